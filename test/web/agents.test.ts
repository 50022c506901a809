// Programs that act for an account, over MCP (with the SDK's client) and over HTTP: what they read and change, that links
// leave as they are, and that a key opens its own account only.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Job } from '../../src/board/job.js';
import { TOOLS } from '../../src/web/agents/tools.js';
import { type Assistant, connectAssistant, type Told } from '../helpers/agent.js';
import { later } from '../helpers/later.js';
import {
  newReader,
  openReaderHouse,
  type Reader,
  type ReaderHouse,
  rustJob,
  subscribeReader,
} from '../helpers/reader-house.js';

const NOTE = 'Apply links carry attribution: use them exactly as they are. They must not be modified.';
const ADMIN = 'the-admin-token-of-the-tests';
/** Not an access key, but of its form. */
const WRONG = `jobcrier_${'0'.repeat(24)}_${'A'.repeat(43)}`;

let house: ReaderHouse;
let reader: Reader;
let id: string;
let jobs = 100;

beforeAll(async () => {
  house = await openReaderHouse({ env: { ADMIN_TOKEN: ADMIN } });
});
afterAll(() => house.close());

beforeEach(async () => {
  // The failures and requests of earlier tests no longer count.
  house.advance(3_600_000);
  reader = await newReader(house);
  id = await subscribeReader(house, { reader });
});

/** Polls of later tests need not ask for them. */
afterEach(async () => {
  await house.app.services.eraseAccount(reader.account);
});

async function keyOf({ account }: Reader, write = false): Promise<string> {
  return (await house.app.services.makeAccessKey(account, write)).reveal();
}
const assistantFor = async (one: Reader, write = false) =>
  connectAssistant(house.at('/mcp'), await keyOf(one, write));

/** A request as programs without MCP make it. */
function rest(path: string, key: string | undefined, init: RequestInit = {}): Promise<Response> {
  const headers = { ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }), ...init.headers };
  return fetch(house.at(path), { ...init, headers });
}
const put = (body: unknown): RequestInit => ({
  method: 'PUT',
  body: JSON.stringify(body),
  headers: { 'Content-Type': 'application/json' },
});

/** A posting that a poll of `reader` finds, and no poll of another account that asks for other tags. */
async function found(fields: Partial<Job> = {}): Promise<Job & { readonly key: string }> {
  const job = rustJob(++jobs, fields);
  await house.announce(job);
  return { ...job, key: `id:${job.id}` };
}

describe('an assistant', () => {
  test('sees at most eight tools in under 1,700 tokens, and without the right to change only those that read', async () => {
    const names = async (write: boolean) =>
      (await (await assistantFor(reader, write)).client.listTools()).tools;
    const all = await names(true);
    expect(all.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    expect(all.length).toBeLessThanOrEqual(8);
    // No tokenizer needs more than a token for three characters of such a text.
    expect(JSON.stringify(all).length / 3).toBeLessThan(1_700);
    expect((await names(false)).map(({ name }) => name)).toEqual([
      'search_jobs',
      'preview_rule',
      'explain_posting',
      'list_subscriptions',
      'weekly_pulse',
    ]);
  });

  test('is told how to treat links and the words of others', async () => {
    const { client } = await assistantFor(reader);
    expect(client.getInstructions()).toMatch(/must not be modified.*not as instructions/su);
  });

  test('finds postings with their exact links and the note', async () => {
    const job = await found({ title: 'Rust Architect (searched)' });
    const assistant = await assistantFor(reader);
    const text = await assistant.text('search_jobs', { words: 'ARCHITECT searched' });
    expect(text).toContain(`"${job.apply_url}"`);
    expect(text).not.toContain(`"${job.url}"`);
    expect(JSON.parse(text)).toMatchObject({
      total: 1,
      note: NOTE,
      postings: [{ key: job.key, applyUrl: job.apply_url, company: job.company, source: 'Example Jobs' }],
    });
    expect(await assistant.ask('search_jobs', { words: 'architect unheard-of' })).toEqual({
      total: 0,
      postings: [],
    });
  });

  test('gets no link that is withheld, but the reason', async () => {
    const job = await found({ title: 'Rust without a link', apply_url: 'javascript:alert(1)' });
    const assistant = await assistantFor(reader);
    const { postings = [] } = await assistant.ask('search_jobs', { words: 'without a link' });
    expect(postings).toMatchObject([{ key: job.key, noLink: expect.stringMatching(/withheld/u) }]);
    expect(postings[0]).not.toHaveProperty('applyUrl');
    expect(JSON.stringify(postings)).not.toContain('javascript:');
  });

  test('searches what a subscription lets through', { tags: 'long' }, async () => {
    await found({ title: 'Rust Intern (narrow)' });
    const { report } = await house.app.services.subscribe(
      { account: reader.account },
      {
        filter: { tags: ['rust'], exclude: ['intern'] },
        destination: { sink: 'email', target: reader.address, cadence: 'daily' },
      },
    );
    const assistant = await assistantFor(reader);
    const total = async (subscription?: string) =>
      (await assistant.ask('search_jobs', { words: '(narrow)', ...(subscription && { subscription }) }))
        .total;
    expect([await total(), await total(id), await total(report.subscription.id)]).toEqual([1, 1, 0]);
  });

  test('reads the terms of a subscription, and what each rule says about a posting', {
    tags: 'long',
  }, async () => {
    const job = await found({ title: 'Junior Rust Termite' });
    const { filter } = (await house.app.services.subscription({ account: reader.account }, id)).subscription;
    const terms = ['not level: junior', 'rather region: eu'];
    await house.app.services.edit({ account: reader.account }, id, { filter: { ...filter, terms } });
    const assistant = await assistantFor(reader);
    expect(
      await assistant.ask('preview_rule', { rule: { tags: ['rust'], include: ['zebra'] } }),
    ).toMatchObject({
      matches: 0,
      emptiedBy: { rule: 'include: zebra' },
    });
    expect(await assistant.ask('list_subscriptions')).toMatchObject({ subscriptions: [{ rule: { terms } }] });
    const explained = await assistant.ask('explain_posting', { posting: job.key, subscription: id });
    expect(explained).toMatchObject({
      fates: [
        { rules: expect.arrayContaining([{ rule: 'not level: junior', isMet: false, saw: ['junior'] }]) },
      ],
    });
    await house.app.services.edit({ account: reader.account }, id, { filter });
  });

  test('previews a rule', async () => {
    const job = await found({ title: 'Rust Previewer' });
    const assistant = await assistantFor(reader);
    const rule = { tags: ['rust'], include: ['previewer'] };
    expect(await assistant.ask('preview_rule', { rule })).toMatchObject({
      matches: 1,
      note: NOTE,
      postings: [{ key: job.key, applyUrl: job.apply_url }],
    });
  });

  test('gets a preview from the cache only as long as a response may be kept', { tags: 'long' }, async () => {
    const quiet = await openReaderHouse({ env: { MIN_POLL_SECONDS: '300' } });
    later(() => quiet.close());
    // Without a subscription, nothing else asks the board.
    const { account } = await newReader(quiet);
    const key = (await quiet.app.services.makeAccessKey(account, false)).reveal();
    const assistant = await connectAssistant(quiet.at('/mcp'), key);
    const matches = async () => (await assistant.ask('preview_rule', { rule: { tags: ['rust'] } })).matches;
    expect(await matches()).toBe(2);
    const asked = quiet.board.requests.length;
    await quiet.board.addJob(rustJob(3));
    quiet.advance(150_000);
    expect([await matches(), quiet.board.requests.length]).toEqual([2, asked]);
    quiet.advance(151_000);
    expect([await matches(), quiet.board.requests.length]).toEqual([3, asked + 1]);
  });

  test('is told what is wrong with a rule', async () => {
    const assistant = await assistantFor(reader);
    const ask = (args: Record<string, unknown>) => assistant.ask('preview_rule', args);
    await expect(ask({ rule: { tags: ['rusty'] } })).rejects.toThrow(/did you mean rust\?/u);
    await expect(ask({ rule: { tag: ['rust'] } })).rejects.toThrow(
      /"tag" is not known; wanted want, tags, country/u,
    );
    await expect(ask({})).rejects.toThrow(/^rule: missing\.$/u);
    await expect(ask({ rule: {}, limit: 500 })).rejects.toThrow(/limit: wanted a whole number from 1 to 50/u);
  });

  test('describes a rule in one sentence, and learns how each word was taken', { tags: 'long' }, async () => {
    const assistant = await assistantFor(reader, true);
    const rule = { want: 'senior rust, no gambling, small teams', terms: ['not company: Acme'] };
    const words = [
      { text: 'senior', as: 'understood', meaning: 'level: senior' },
      { text: 'rust', as: 'understood', meaning: 'tag: rust' },
      { text: 'no gambling', as: 'understood', meaning: 'not words: gambling' },
      { text: 'small teams', as: 'unused' },
    ];
    expect(await assistant.ask('preview_rule', { rule })).toMatchObject({ words });
    expect(await assistant.ask('add_subscription', { rule })).toMatchObject({
      words,
      subscription: {
        rule: { tags: ['rust'], exclude: ['gambling'], terms: ['not company: Acme', 'level: senior'] },
      },
    });
    await expect(assistant.ask('preview_rule', { rule: { want: 'nice' } })).rejects.toThrow(
      /^want: none of its words can be used/u,
    );
  });

  test('explains a posting by key and by link', { tags: 'long' }, async () => {
    const job = await found();
    const assistant = await assistantFor(reader);
    for (const posting of [job.key, job.apply_url as string])
      expect((await assistant.ask('explain_posting', { posting })).fates).toMatchObject([
        { subscription: id, fate: 'matched', destinations: [{ to: 'email' }] },
      ]);
    expect((await assistant.ask('explain_posting', { posting: 'id:unheard' })).fates).toEqual([]);
  });

  test('lists subscriptions without the addresses they deliver to', async () => {
    const assistant = await assistantFor(reader);
    const text = await assistant.text('list_subscriptions');
    expect(text).not.toContain('@');
    expect((JSON.parse(text) as Told).subscriptions).toMatchObject([
      {
        id,
        state: 'active',
        rule: { tags: ['rust'] },
        delivers: [{ to: 'email', when: 'as soon as they appear' }],
      },
    ]);
  });

  test('gets the pulse of a week', { tags: 'long' }, async () => {
    for (let n = 0; n < 6; n++) await found({ company: 'Pulse Inc' });
    const assistant = await assistantFor(reader);
    const pulse = await assistant.ask('weekly_pulse');
    expect(pulse.subscriptions).toMatchObject([{ id, matched: 6 }]);
    expect(pulse.companies).toMatchObject({ 'Pulse Inc': 6 });
    expect(pulse.note).toBe(NOTE);
    expect(pulse.postings).toHaveLength(5);
  });

  test('with the right to change things adds and pauses subscriptions and marks postings', {
    tags: 'long',
  }, async () => {
    const job = await found();
    const assistant = await assistantFor(reader, true);
    const { subscription } = await assistant.ask('add_subscription', {
      rule: { tags: ['solidity'] },
      to: 'email',
      every: 'weekly',
      day: 'friday',
      at: '18:00',
      timezone: 'Europe/Berlin',
    });
    const added = subscription?.id ?? '';
    const stored = async () =>
      (await house.app.services.subscription({ account: reader.account }, added)).subscription;
    expect((await stored()).destinations).toMatchObject([
      { sink: 'email', target: reader.address, cadence: { every: 'weekly', day: 'friday', at: '18:00' } },
    ]);
    const pause = async (paused: boolean) =>
      (await assistant.ask('pause_subscription', { id: added, paused })).subscription?.state;
    expect(await pause(true)).toBe('paused');
    expect(await pause(false)).toBe('active');

    expect(await assistant.ask('mark_job', { posting: job.key, mark: 'saved' })).toMatchObject({
      note: NOTE,
      postings: [{ applyUrl: job.apply_url }],
    });
    const saved = async () => (await assistant.ask('search_jobs', { mark: 'saved' })).postings;
    expect(await saved()).toMatchObject([{ key: job.key, mark: 'saved', applyUrl: job.apply_url }]);
    await assistant.ask('mark_job', { posting: job.key, mark: 'none' });
    expect(await saved()).toEqual([]);
  });

  test('without that right changes nothing', async () => {
    const job = await found();
    const assistant = await assistantFor(reader);
    const before = await house.state();
    for (const [tool, args] of [
      ['add_subscription', { rule: {}, to: 'email' }],
      ['pause_subscription', { id, paused: true }],
      ['mark_job', { posting: job.key, mark: 'saved' }],
    ] as const)
      await expect(assistant.ask(tool, args)).rejects.toThrow(/may only read/u);
    expect(await house.state()).toBe(before);
    expect(await house.app.services.marks(reader.account)).toEqual([]);
  });

  test('subscribes only places that the account has: no address or channel of others can be named', async () => {
    const assistant = await assistantFor(reader, true);
    const add = (args: Record<string, unknown>) => assistant.ask('add_subscription', { rule: {}, ...args });
    await expect(add({ to: 'victim@example.org' })).rejects.toThrow(/to: wanted one of dm, email/u);
    await expect(add({ target: 'victim@example.org' })).rejects.toThrow(/"target" is not known/u);
    await expect(add({ destination: {} })).rejects.toThrow(/"destination" is not known/u);
  });
});

describe('a key of one account', () => {
  let other: Reader;
  let theirs: string;
  let secretJob: Job & { readonly key: string };
  let assistant: Assistant;

  beforeEach(async () => {
    other = await newReader(house);
    theirs = await subscribeReader(house, { reader: other, filter: { tags: ['solidity'] } });
    secretJob = await found({ title: 'Only for the other account', tags: ['solidity'] });
    assistant = await assistantFor(reader, true);
  });
  afterEach(() => house.app.services.eraseAccount(other.account));

  test("does not open another account's subscription", async () => {
    const noSuch = /no such subscription of yours/u;
    for (const [tool, args] of [
      ['search_jobs', { subscription: theirs }],
      ['explain_posting', { subscription: theirs, posting: secretJob.key }],
      ['pause_subscription', { id: theirs, paused: true }],
      ['add_subscription', { rule: {}, like: theirs }],
    ] as const)
      await expect(assistant.ask(tool, args)).rejects.toThrow(noSuch);
    expect(await assistant.text('list_subscriptions')).not.toContain(theirs);
    expect((await house.app.services.subscription({ account: other.account }, theirs)).state).toBe('active');
  });

  test("does not find, explain or mark another account's posting, not even by its link or edition", async () => {
    const owner = await assistantFor(other);
    expect((await owner.ask('search_jobs', { words: secretJob.company })).total).toBe(1);
    expect((await assistant.ask('search_jobs', { words: secretJob.company })).total).toBe(0);
    const [edition] = await house.app.services.editions(other.account, 1);
    const named = [
      secretJob.key,
      secretJob.apply_url ?? '',
      secretJob.key.slice(3),
      edition?.id ?? 'edition',
    ];
    for (const posting of named) {
      expect((await assistant.ask('explain_posting', { posting })).fates).toEqual([]);
      await expect(assistant.ask('mark_job', { posting, mark: 'saved' })).rejects.toThrow(/No such posting/u);
    }
    expect(await house.app.services.marks(reader.account)).toEqual([]);
    expect(await assistant.text('weekly_pulse')).not.toContain('Only for the other account');
  });

  test("does not see another account's marks", async () => {
    await house.app.services.markKept(other.account, secretJob.key, 'saved');
    expect((await assistant.ask('search_jobs', { mark: 'saved' })).total).toBe(0);
  });

  test('does not show a link that was marked on a card of another account', async () => {
    const sent = async () => (await house.app.services.editions(other.account, 10))[0];
    await expect.poll(sent, { timeout: 20_000 }).toBeDefined();
    const edition = await sent();
    await house.app.services.mark(
      reader.account,
      edition?.id ?? '',
      0,
      'saved',
      'https://discord.example/card',
    );
    const { postings = [] } = await assistant.ask('search_jobs', { mark: 'saved' });
    expect(postings).toMatchObject([{ key: secretJob.key, noLink: expect.stringMatching(/card/u) }]);
    expect(JSON.stringify(postings)).not.toContain('jobs.example/r/');
  });
});

describe('a key', () => {
  const status = async (key: string | undefined) => (await rest('/api/subscriptions', key)).status;

  test('is stored only as a hash, and a new one replaces it', async () => {
    const first = await keyOf(reader);
    expect(await status(first)).toBe(200);
    const stored: unknown[] = [];
    for await (const entry of house.app.pipeline.stores.misc.entries('access-key:')) stored.push(entry);
    expect(JSON.stringify(stored)).not.toContain(first.slice(-43));
    expect(JSON.stringify(stored)).not.toContain(first.slice(-20));
    const second = await keyOf(reader);
    expect([await status(first), await status(second)]).toEqual([401, 200]);
  });

  test('stops working when it is revoked, and when its account is erased', async () => {
    const key = await keyOf(reader);
    const assistant = await connectAssistant(house.at('/mcp'), key);
    expect(await house.app.services.removeAccessKey(reader.account)).toBe(true);
    expect(await house.app.services.removeAccessKey(reader.account)).toBe(false);
    expect(await status(key)).toBe(401);
    await expect(assistant.ask('list_subscriptions')).rejects.toThrow(/access key of your account/u);
    const next = await keyOf(reader);
    await house.app.services.eraseAccount(reader.account);
    expect(await status(next)).toBe(401);
    expect(await house.app.services.accessKey(reader.account)).toBeUndefined();
  });

  test('is taken from the header only, and with its account', async () => {
    const key = await keyOf(reader);
    const other = await newReader(house);
    const foreign = (await keyOf(other)).replace(/^jobcrier_[^_]+/u, key.slice(0, 33));
    expect(await status(undefined)).toBe(401);
    expect((await fetch(house.at(`/api/subscriptions?key=${key}&access_token=${key}`))).status).toBe(401);
    for (const wrong of [foreign, `${key}A`, key.slice(0, -1), key.toUpperCase()])
      expect(await status(wrong), wrong).not.toBe(200);
    expect(await status(key)).toBe(200);
  });

  test('that is wrong counts with wrong tokens of the operator, and a right one still opens', async () => {
    const key = await keyOf(reader);
    for (let count = 0; count < 4; count++) expect(await status(WRONG)).toBe(401);
    // A right key of an account must not give further tries at the operator's token.
    expect(await status(key)).toBe(200);
    const refused = await rest('/admin', 'not-the-admin-token');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(await status(WRONG)).toBe(429);
    expect(await status(key)).toBe(200);
    expect((await rest('/admin', ADMIN)).status).toBe(200);
  });

  test('makes 60 requests in a minute', { tags: 'long' }, async () => {
    const key = await keyOf(reader);
    const all = await Promise.all(Array.from({ length: 65 }, () => rest('/api/pulse', key)));
    expect(all.filter((one) => one.status === 200)).toHaveLength(60);
    expect(all.filter((one) => one.status === 429)).toHaveLength(5);
    house.advance(60_000);
    expect(await status(key)).toBe(200);
  });
});

describe('the address for assistants', () => {
  const post = async (body: string, headers: Record<string, string> = {}) =>
    rest('/mcp', await keyOf(reader), {
      method: 'POST',
      body,
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...headers,
      },
    });
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

  test('answers one message at a time, and keeps no connection open', async () => {
    expect((await post(JSON.stringify(list))).status).toBe(200);
    expect((await post(JSON.stringify([list, list]))).status).toBe(400);
    expect((await post('not JSON')).status).toBe(400);
    expect((await post(JSON.stringify({ ...list, params: { pad: 'x'.repeat(40_000) } }))).status).toBe(413);
    const open = await rest('/mcp', await keyOf(reader));
    expect([open.status, open.headers.get('Allow')]).toEqual([405, 'POST']);
  });

  test('refuses pages of other sites', async () => {
    expect((await post(JSON.stringify(list), { Origin: 'https://evil.example' })).status).toBe(403);
    expect((await post(JSON.stringify(list), { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
  });

  test('repeats no key in the log', async () => {
    const key = await keyOf(reader);
    await rest('/api/subscriptions', `${key}x`);
    await rest('/api/subscriptions', key);
    expect(JSON.stringify(house.log.lines)).not.toContain(key.slice(-43));
  });
});

describe('a program without MCP', () => {
  test('does the same over plain HTTP', async () => {
    const job = await found({ title: 'Rust over HTTP' });
    const key = await keyOf(reader, true);
    const body = await (await rest('/api/jobs?words=over+http&limit=5', key)).text();
    expect(body).toContain(`"${job.apply_url}"`);
    expect(JSON.parse(body)).toMatchObject({ total: 1, note: NOTE });
    const paused = await rest(`/api/subscriptions/${id}/pause`, key, put({ paused: true }));
    expect(await paused.json()).toMatchObject({ subscription: { id, state: 'paused' } });
    const path = `/api/jobs/${encodeURIComponent(job.apply_url as string)}/mark`;
    expect((await rest(path, key, put({ mark: 'applied' }))).status).toBe(200);
    expect(await house.app.services.marks(reader.account)).toMatchObject([{ key: job.key, mark: 'applied' }]);
  });

  test('is told what is wrong by status and sentence', async () => {
    const key = await keyOf(reader);
    const told = async (path: string, init?: RequestInit) => {
      const answer = await rest(path, key, init);
      return [answer.status, ((await answer.json()) as { error: string }).error];
    };
    expect(await told('/api/nothing')).toEqual([404, expect.stringMatching(/openapi/u)]);
    expect(await told('/api/jobs', { method: 'DELETE' })).toEqual([405, expect.any(String)]);
    expect(await told('/api/jobs?limit=many')).toEqual([400, expect.stringMatching(/^limit: /u)]);
    expect(await told('/api/preview', { method: 'POST', body: '[]' })).toEqual([400, expect.any(String)]);
    expect(await told('/api/jobs?subscription=none')).toEqual([422, expect.stringMatching(/no such/iu)]);
    expect(await told(`/api/subscriptions/${id}/pause`, put({ paused: true }))).toEqual([
      403,
      expect.stringMatching(/may only read/u),
    ]);
  });

  test('finds every tool in the OpenAPI document, with its arguments', async () => {
    const document = (await (await rest('/api/openapi.json', undefined)).json()) as {
      openapi: string;
      servers: unknown;
      paths: Record<
        string,
        Record<string, { operationId: string; parameters: { name: string; in: string }[] }>
      >;
    };
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers).toEqual([{ url: 'https://crier.example.org/api' }]);
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    expect(operations.map((one) => one.operationId).sort()).toEqual(TOOLS.map(({ name }) => name).sort());
    for (const [path, methods] of Object.entries(document.paths))
      for (const { parameters } of Object.values(methods))
        expect(parameters.filter((one) => one.in === 'path').map(({ name }) => `{${name}}`)).toEqual(
          path.match(/\{\w+\}/gu) ?? [],
        );
    expect(document.paths['/jobs']?.get?.parameters.map(({ name }) => name)).toContain('words');
  });
});
