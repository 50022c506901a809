// Tokens, marks and choices of a person: tested before they are stored, exported completely, and deleted by an
// erasure.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DeliveryError, refusal, StoreError } from '../../src/domain/errors.js';
import { secret } from '../../src/domain/secret.js';
import type { Mark } from '../../src/domain/stages.js';
import type { MailService } from '../../src/ports/mail-service.js';
import type { Marks } from '../../src/ports/stores.js';
import { DAY, HOUR, job, type Lab, MINUTE, openLab } from '../helpers/lab.js';
import { TOKENS } from '../helpers/lab-life.js';
import { polledAt } from '../helpers/polled.js';
import { until } from '../helpers/until.js';

let lab: Lab;
const alice = { account: 'alice' };
const erased: string[] = [];
const mail = {
  exportOf: async (account: string) => ({ address: `${account}@example.org` }),
} as Partial<MailService> as MailService;
beforeEach(async () => {
  erased.length = 0;
  lab = await openLab({ mail, forget: [async (account) => void erased.push(account)] });
});
afterEach(() => lab.close());

describe('a token', () => {
  test('can be guessed five times in 15 minutes, however many guesses come together', async () => {
    const asked = lab.front.asked.length;
    const guess = (account: string, token: string) =>
      lab.services.setToken(account, secret(token)).then(
        () => 'kept',
        (error: Error) => error.message,
      );
    const burst = await Promise.all(
      Array.from({ length: 300 }, (_, index) => guess('carol', `a-guess-${index}`)),
    );
    expect(burst.filter((said) => said.includes('does not accept'))).toHaveLength(5);
    expect(burst.filter((said) => said.includes('Try again in 15 minutes'))).toHaveLength(295);
    expect(lab.front.asked.length - asked).toBe(5);
    // The right one waits as well, or it could be guessed; other accounts are free to try.
    expect(await guess('carol', TOKENS.bob)).toContain('Try again in 15 minutes');
    expect(await guess('dave', TOKENS.bob)).toBe('kept');
    lab.clock.advance(10 * MINUTE);
    expect(await guess('carol', TOKENS.bob)).toContain('Try again in 5 minutes');
    lab.clock.advance(5 * MINUTE);
    expect(await guess('carol', TOKENS.bob)).toBe('kept');
    // An accepted token does not count: it may be renewed any number of times.
    for (let times = 0; times < 7; times++) expect(await guess('carol', TOKENS.bob)).toBe('kept');
    expect((await lab.services.tokenReport('carol')).state).toBe('ok');
  });

  test('can be guessed sixty times an hour by all accounts together', { tags: 'long' }, async () => {
    const guess = (index: number) =>
      lab.services
        .setToken(`user-${index}`, secret(`a-guess-${index}`))
        .catch((error: Error) => error.message);
    const burst = await Promise.all(Array.from({ length: 300 }, (_, index) => guess(index)));
    expect(burst.filter((said) => String(said).includes('does not accept'))).toHaveLength(60);
    expect(burst.filter((said) => String(said).includes('Try again in 60 minutes'))).toHaveLength(240);
    lab.clock.advance(HOUR);
    expect(await guess(1)).toContain('does not accept');
  });

  test('counts as a guess when the board gave no answer, so that no one learns for free which one is right', async () => {
    lab.front.answer({ status: 429, headers: { 'retry-after': '60' } });
    for (let index = 0; index < 5; index++)
      expect(await lab.services.setToken('carol', secret(`a-guess-${index}`))).toMatchObject({
        untried: true,
      });
    await expect(lab.services.setToken('carol', secret('a-guess-6'))).rejects.toThrow(
      'Try again in 15 minutes',
    );
  });

  test('is tested by one small request before it is stored; only its end is ever shown', async () => {
    expect(await lab.services.tokenReport('carol')).toEqual({ state: 'missing' });
    const report = await lab.services.setToken('carol', secret(` ${TOKENS.bob}\n`));
    expect(report).toEqual({ state: 'ok', lastFour: '0001' });
    expect(lab.front.asked).toEqual([{ token: TOKENS.bob, query: { limit: '1' } }]);
    expect((await lab.stores.accounts.get('carol'))?.token?.reveal()).toBe(TOKENS.bob);
    expect((await lab.rows()).join()).not.toContain(TOKENS.bob);
  });

  test('is not stored if the board refuses it, but is stored if it could not be tested', async () => {
    await expect(lab.services.setToken('carol', secret('no-such-token-1'))).rejects.toThrow(
      'nothing was stored',
    );
    expect(await lab.stores.accounts.get('carol')).toBeUndefined();
    lab.front.answer({ status: 500 });
    expect(await lab.services.setToken('carol', secret(TOKENS.bob))).toMatchObject({ state: 'ok' });
    expect(JSON.stringify(lab.logs)).not.toContain(TOKENS.bob);
  });

  test.each(['', '  ', 'with space', 'ünïcode', 'x'.repeat(513)])(
    'refuses %j without a request',
    async (text) => {
      await expect(lab.services.setToken('carol', secret(text))).rejects.toThrow('That is not an API token');
      expect(lab.front.asked).toEqual([]);
    },
  );

  test('is reported if it is refused later, and tested again when it is set again', async () => {
    await lab.add({ account: 'alice' });
    lab.front.answer({ status: 403 });
    await lab.poll();
    expect(await lab.services.tokenReport('alice')).toMatchObject({ state: 'rejected', lastFour: '0001' });
    lab.front.answer(undefined);
    expect(await lab.services.setToken('alice', secret(TOKENS.alice))).toMatchObject({ state: 'ok' });
    await lab.advance(0);
    expect(await polledAt(lab.stores, 's')).toBe(lab.clock.now());
  });

  test('has at most 512 characters', async () => {
    lab.front.answer({ status: 500 });
    await lab.services.setToken('carol', secret('x'.repeat(512)));
    await expect(lab.services.setToken('carol', secret('x'.repeat(513)))).rejects.toMatchObject({
      fault: { name: 'notAToken' },
    });
  });

  test('is stored with a warning if it could not be tested, and not at all if the process stops meanwhile', async () => {
    lab.front.answer({ status: 500 });
    await lab.services.setToken('carol', secret(TOKENS.bob));
    expect(lab.logs.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        message: 'token kept without proof',
        fields: { account: 'carol', fault: 'unavailable' },
      },
    ]);
    expect(lab.front.asked).toHaveLength(1);
    const { fetch } = lab.p.feed;
    for (const error of [refusal('restarting', 'jobcrier is restarting.'), new TypeError('a bug')]) {
      lab.p.feed.fetch = () => Promise.reject(error);
      await expect(lab.services.setToken('dave', secret(TOKENS.bob))).rejects.toBe(error);
    }
    lab.p.feed.fetch = fetch;
    expect(await lab.services.profile('dave')).toBeUndefined();
    lab.front.answer({ status: 401 });
    await expect(lab.services.setToken('dave', secret(TOKENS.bob))).rejects.toMatchObject({
      fault: { name: 'tokenRefused' },
    });
  });

  test('is reported with the reason while it is refused, and with none otherwise', async () => {
    await lab.add({ account: 'alice' });
    expect(await lab.services.tokenReport('alice')).toEqual({ state: 'ok', lastFour: '0001' });
    lab.front.answer({ status: 403 });
    await lab.poll();
    expect(await lab.services.tokenReport('alice')).toEqual({
      state: 'rejected',
      lastFour: '0001',
      why: expect.stringContaining('403'),
    });
  });

  test('that replaces another one does not wait for the rest that was asked of that one, and the same one does', async () => {
    await lab.add({ account: 'alice' });
    lab.front.answer({ status: 429, headers: { 'retry-after': '1800' } });
    await lab.poll();
    lab.front.answer(undefined);
    const asked = lab.front.asked.length;
    expect(await lab.services.setToken('alice', secret(TOKENS.alice))).toMatchObject({ untried: true });
    await lab.settled();
    expect(lab.front.asked).toHaveLength(asked);
    await lab.services.setToken('alice', secret(TOKENS.bob));
    await lab.settled();
    expect(lab.front.asked.slice(asked).map(({ token, query }) => [token, query.limit])).toEqual([
      [TOKENS.bob, '1'],
      [TOKENS.bob, '100'],
    ]);
  });

  test('can be removed, which stops the polls; removing none is no error', async () => {
    await lab.add({ account: 'alice' });
    await lab.poll();
    expect([await lab.services.removeToken('alice'), await lab.services.removeToken('alice')]).toEqual([
      true,
      false,
    ]);
    const asked = lab.front.asked.length;
    await lab.advance(DAY);
    expect(lab.front.asked).toHaveLength(asked);
    expect((await lab.services.subscription(alice, 's')).state).toBe('no-token');
  });

  test('and choices set at the same moment are all kept', async () => {
    await Promise.all([
      lab.services.setToken('carol', secret(TOKENS.bob)),
      lab.services.saveProfile('carol', { timezone: 'Asia/Tokyo' }),
      lab.services.saveProfile('carol', { locale: 'de' }),
    ]);
    const profile = await lab.services.profile('carol');
    expect(profile).toMatchObject({ timezone: 'Asia/Tokyo', locale: 'de' });
    expect(profile).not.toHaveProperty('token');
    expect((await lab.services.tokenReport('carol')).state).toBe('ok');
  });
});

describe('marks', () => {
  async function edition(account = 'alice'): Promise<string> {
    await lab.add({ account });
    await lab.poll();
    await lab.post(job(2), job(3));
    await lab.poll();
    return lab.sink.messages[0]?.edition ?? '';
  }

  test('are stored per person, newest first, and can be removed', async () => {
    const id = await edition();
    await lab.services.mark('alice', id, 0, 'saved');
    lab.clock.advance(HOUR);
    await lab.services.mark('alice', id, 1, 'applied');
    expect((await lab.services.marks('alice')).map(({ key, mark }) => [key, mark])).toEqual([
      ['id:3', 'applied'],
      ['id:2', 'saved'],
    ]);
    expect(await lab.services.marks('bob')).toEqual([]);
    await lab.services.unmark('alice', 'id:2');
    expect((await lab.services.marks('alice')).map(({ key }) => key)).toEqual(['id:3']);
  });

  test('keep each change with its time, and are undone one by one', async () => {
    const id = await edition();
    const start = lab.clock.now();
    const { services } = lab;
    await services.mark('alice', id, 0, 'saved', 'https://card.example');
    lab.clock.advance(HOUR);
    await services.mark('alice', id, 0, 'applied');
    // Pressed a second time, which is no change.
    lab.clock.advance(HOUR);
    await services.mark('alice', id, 0, 'applied');
    await services.moveMarked('alice', 'id:2', 'interview');
    const own = async () => {
      const [one] = await services.marks('alice');
      return (
        one && [one.mark, one.at - start, one.before?.map(({ mark, at }) => [mark, at - start]), one.card]
      );
    };
    const before = [
      ['saved', 0],
      ['applied', HOUR],
    ];
    expect(await own()).toEqual(['interview', 2 * HOUR, before, 'https://card.example']);
    expect(await services.moveMarked('bob', 'id:2', 'offer')).toBeUndefined();
    expect(await services.marks('bob')).toEqual([]);
    // The form of another mark does nothing.
    await services.unmark('alice', 'id:2', 'applied');
    await services.unmark('alice', 'id:2', 'interview');
    await services.unmark('alice', 'id:2', 'interview');
    expect(await own()).toEqual(['applied', HOUR, [['saved', 0]], 'https://card.example']);
    await services.unmark('alice', 'id:2');
    expect(await own()).toEqual(['saved', 0, undefined, 'https://card.example']);
    expect(await services.moveMarked('alice', 'id:2', undefined)).toMatchObject({ mark: 'saved' });
    expect(await services.marks('alice')).toEqual([]);
  });

  test('of applications that are under way are kept longest when there are too many', async () => {
    const entry = (n: number, mark: Mark): [string, Marks['postings'][string]] => [
      `id:${n}`,
      { mark, at: n, posting: { key: `id:${n}` } },
    ];
    const all = [entry(0, 'interview'), ...Array.from({ length: 500 }, (_, n) => entry(n + 1, 'saved'))];
    await lab.stores.marks.set('alice', {
      postings: Object.fromEntries(all),
      hiddenCompanies: [],
      hiddenTags: [],
    });
    await lab.services.moveMarked('alice', 'id:500', 'closed');
    const kept = (await lab.services.marks('alice')).map(({ key }) => key);
    expect(kept).toHaveLength(500);
    expect(kept).toContain('id:0');
    expect(kept).not.toContain('id:1');
  });

  test('of earlier versions, which have no changes, work as before', async () => {
    const at = lab.clock.now() - HOUR;
    const posting = { key: 'id:9', title: 'Rust', company: 'Acme' };
    await lab.stores.marks.set('alice', {
      postings: { 'id:9': { mark: 'applied', at, posting } },
      hiddenCompanies: [],
      hiddenTags: [],
    });
    expect(await lab.services.marks('alice')).toEqual([{ key: 'id:9', mark: 'applied', at, posting }]);
    await lab.services.moveMarked('alice', 'id:9', 'offer');
    expect(await lab.services.marks('alice')).toMatchObject([
      { mark: 'offer', before: [{ mark: 'applied', at }] },
    ]);
  });

  test('pressed together are all kept', async () => {
    const id = await edition();
    await Promise.all([0, 1].map((index) => lab.services.mark('alice', id, index, 'saved')));
    expect(await lab.services.marks('alice')).toHaveLength(2);
  });

  test('of another reader have no link, because it belongs to the reader it was sent to', async () => {
    const id = await edition();
    expect(await lab.services.mark('alice', id, 0, 'saved')).toHaveProperty('applyUrl');
    expect(await lab.services.mark('bob', id, 0, 'saved')).not.toHaveProperty('applyUrl');
    expect((await lab.services.marks('bob'))[0]?.posting).not.toHaveProperty('applyUrl');
  });

  test('hide companies and tags, the newest first and each once, until they are shown again', async () => {
    const { hide, unhide, hidden } = lab.services;
    for (const what of [{ company: 'acme' }, { tag: 'php' }, { company: 'beta' }, { tag: 'java' }])
      await hide('alice', what);
    await hide('alice', { company: 'acme' });
    expect(await hidden('alice')).toEqual([
      { company: 'acme' },
      { company: 'beta' },
      { tag: 'java' },
      { tag: 'php' },
    ]);
    expect(await hidden('bob')).toEqual([]);
    await unhide('alice', { company: 'acme' });
    await unhide('alice', { tag: 'none' });
    await unhide('alice', { tag: 'php' });
    expect(await hidden('alice')).toEqual([{ company: 'beta' }, { tag: 'java' }]);
    for (let n = 0; n < 51; n++) await hide('alice', { tag: `t${n}` });
    const tags = (await hidden('alice')).filter((one) => 'tag' in one);
    expect([tags.length, tags[0], tags.at(-1)]).toEqual([50, { tag: 't50' }, { tag: 't1' }]);
  });

  test('can be set by the key, the id or the link of a posting that was found or marked', async () => {
    await edition();
    const { markKept, marks: list } = lab.services;
    const link = 'https://board.example/r/j2__p';
    expect(await markKept('alice', ` ${link} `, 'saved')).toMatchObject({
      key: 'id:2',
      applyUrl: link,
      matched: [],
    });
    expect(await markKept('alice', 'id:3', 'applied')).toMatchObject({ key: 'id:3' });
    expect(await markKept('alice', 'id:none', 'saved')).toBeUndefined();
    expect(await markKept('bob', 'id:3', 'saved')).toBeUndefined();
    expect((await list('alice')).map(({ key, mark }) => [key, mark]).toSorted()).toEqual([
      ['id:2', 'saved'],
      ['id:3', 'applied'],
    ]);
    lab.clock.advance(100 * DAY);
    // No longer kept as found, but marked.
    expect(await markKept('alice', 'id:3', 'offer')).toMatchObject({ key: 'id:3' });
    expect(await markKept('alice', link, 'closed')).toMatchObject({ key: 'id:2' });
  });

  test('on a card that is no longer stored are answered with that', async () => {
    await expect(lab.services.mark('alice', 'gone', 0, 'saved')).rejects.toThrow('too old');
    await expect(lab.services.mark('alice', await edition(), 7, 'saved')).rejects.toThrow('too old');
  });
});

describe('editions', () => {
  test('are those of the present subscriptions, the newest first, up to the limit', async () => {
    await lab.add({ account: 'alice' });
    await lab.add({ id: 't', account: 'alice', destinations: [{ sink: 'capture', target: 'two' }] });
    for (const id of ['s', 't']) await lab.poll(id);
    for (const [n, id] of [
      [2, 's'],
      [3, 't'],
      [4, 's'],
    ] as const) {
      await lab.post(job(n));
      await lab.poll(id);
      await lab.advance(HOUR);
    }
    const all = await lab.services.editions('alice', 100);
    const slots = all.map(({ slot }) => slot);
    expect(slots).toEqual(slots.toSorted((a, b) => b - a));
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(new Set(all.map(({ subscription }) => subscription))).toEqual(new Set(['s', 't']));
    expect(await lab.services.editions('alice', 2)).toEqual(all.slice(0, 2));
    expect(await lab.services.editions('bob', 100)).toEqual([]);
    const [first] = all;
    expect(await lab.services.edition(first?.id ?? '')).toEqual(first);
    expect(await lab.services.edition('none')).toBeUndefined();
    await lab.services.remove(alice, 's');
    await lab.services.remove(alice, 't');
    expect(await lab.services.edition(first?.id ?? '')).toBeUndefined();
    expect(await lab.services.editions('alice', 100)).toEqual([]);
    // They are no longer kept, but the events of the subscriptions name them.
    await lab.add({ account: 'alice' });
    lab.clock.advance(36 * DAY);
    expect(await lab.services.editions('alice', 100)).toEqual([]);
  });
});

describe('all data of a person', () => {
  /** Alice with every kind of record; Bob with the same. */
  async function live(): Promise<void> {
    for (const account of ['alice', 'bob']) {
      await lab.add({
        id: `${account}-1`,
        account,
        destinations: [{ sink: 'capture', target: `${account}-place` }],
      });
      await lab.services.saveProfile(account, { timezone: 'Asia/Tokyo' });
      await lab.poll(`${account}-1`);
    }
    lab.sink.script('alice-place', 'well', new DeliveryError('target', 'no access'));
    for (const id of [2, 3]) {
      await lab.post(job(id));
      for (const account of ['alice', 'bob']) await lab.poll(`${account}-1`);
    }
    // More than a ledger keeps in its row.
    await lab.post(...[4, 5, 6, 7, 8].map((id) => job(id)));
    for (const account of ['alice', 'bob']) await lab.poll(`${account}-1`);
    const edition = lab.sink.messages.find((one) => one.account === 'alice')?.edition ?? '';
    await lab.services.mark('alice', edition, 0, 'saved');
    await lab.services.hide('alice', { company: 'Acme' });
    await lab.services.hide('alice', { tag: 'dao' });
    lab.front.answer({ status: 401 }, TOKENS.alice);
    await lab.poll('alice-1');
  }

  test('is exported, except the token', async () => {
    await live();
    const text = JSON.stringify(await lab.services.exportAccount('alice'));
    const all = JSON.parse(text);
    expect(all).toMatchObject({
      account: { id: 'alice', timezone: 'Asia/Tokyo' },
      token: { state: 'rejected', at: lab.clock.now() },
      subscriptions: [
        { subscription: { id: 'alice-1' }, ledger: { version: 1 }, poll: { outcome: 'recorded' } },
      ],
      marks: { hiddenCompanies: ['Acme'], hiddenTags: ['dao'] },
      mail: { address: 'alice@example.org' },
    });
    expect(all.editions).toHaveLength(1);
    expect(all.postings.length).toBeGreaterThan(0);
    expect(all.notices.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual([
      'destination',
      'token',
    ]);
    expect(all.subscriptions[0].history.length).toBeGreaterThan(2);
    expect(text).not.toContain(TOKENS.alice);
    expect(text).not.toMatch(/\bbob\b/u);
  });

  test('is exported also if there is none, and without what another person keeps', async () => {
    await live();
    const all = await lab.services.exportAccount('carol');
    expect(all).toEqual({
      account: { id: 'carol' },
      token: { state: 'missing' },
      subscriptions: [],
      removed: [],
      editions: [],
      accessKey: null,
      sessions: [],
      marks: null,
      reminders: false,
      postings: [],
      notices: [],
      mail: { address: 'carol@example.org' },
    });
    expect(await lab.services.exportAccount('bob')).toMatchObject({ token: { state: 'ok' } });
    expect(JSON.stringify(await lab.services.exportAccount('bob'))).not.toContain('alice');
  });

  test('has the removed subscriptions as long as they can be put back, with the access key and the sessions', async () => {
    await live();
    await lab.services.remove(alice, 'alice-1');
    const removed = async (account = 'alice') =>
      (
        (await lab.services.exportAccount(account)) as { removed: { subscription: { id: string } }[] }
      ).removed.map(({ subscription }) => subscription.id);
    expect([await removed(), await removed('bob')]).toEqual([['alice-1'], []]);
    await lab.services.makeAccessKey('alice', false);
    expect(await lab.services.exportAccount('alice')).toMatchObject({
      accessKey: { madeAt: lab.clock.now() },
    });
    lab.clock.advance(7 * DAY);
    expect(await removed()).toEqual([]);
    await lab.services.eraseAccount('alice');
    expect((await lab.rows()).filter((row) => row.includes('alice'))).toEqual([]);
  });

  test('is deleted together with the marks of the readers of its subscriptions', async () => {
    const saved = { postings: {}, hiddenCompanies: ['Acme'], hiddenTags: [] };
    for (const reader of ['operator', 'operator/one', 'operator/two', 'other/one'])
      await lab.stores.marks.set(reader, saved);
    for (const reader of ['operator/one', 'other/one']) await lab.services.setReminders(reader, true);
    await lab.services.eraseAccount('operator');
    expect((await lab.rows()).filter((row) => row.includes('operator'))).toEqual([]);
    expect(await lab.stores.marks.get('other/one')).toEqual(saved);
    expect(await lab.services.reminders('other/one')).toBe(true);
  });

  test.each([36, 100])('is deleted also if some of it has expired, after %i days', async (days) => {
    await live();
    lab.clock.advance(days * DAY);
    await lab.services.eraseAccount('alice');
    expect((await lab.rows()).filter((row) => row.includes('alice'))).toEqual([]);
  });

  test('is deleted also if the files can be overwritten only later', async () => {
    await live();
    lab.broken.set('wipe', new StoreError('full', 'no room left'));
    await lab.services.eraseAccount('alice');
    expect(lab.logs.filter(({ message }) => message === 'erased records are overwritten later')).toEqual([
      { level: 'warn', message: expect.any(String), fields: { reason: 'no room left' } },
    ]);
    expect((await lab.rows()).filter((row) => row.includes('alice'))).toEqual([]);
  });

  test('is deleted from every table, and nothing of another person', async () => {
    await live();
    const before = await lab.rows();
    const tables = new Set(before.filter((row) => row.includes('alice')).map((row) => row.split(' ')[0]));
    // Present in all of them before, so that a forgotten table fails the test.
    expect([...tables].toSorted()).toEqual(
      'accounts cache delivered history ledgers lookups marks notices outcomes owed rejections seen subscriptions'.split(
        ' ',
      ),
    );
    await lab.services.eraseAccount('alice');
    const after = await lab.rows();
    expect(after.filter((row) => row.includes('alice'))).toEqual([]);
    // Not only `bob`: an ETag of alice's answers, which are random, may contain that.
    const of = (rows: string[]) => rows.filter((row) => /\bbob\b/u.test(row) && !row.includes('alice'));
    expect(of(after)).toEqual(of(before));
    expect(erased).toEqual(['alice']);
    const asked = lab.front.asked.length;
    lab.front.answer(undefined, TOKENS.alice);
    await lab.advance(HOUR);
    expect(lab.front.asked.slice(asked).map(({ token }) => token)).not.toContain(TOKENS.alice);
  });

  test('is deleted for good during polls and deliveries', async () => {
    await live();
    lab.front.answer(undefined, TOKENS.alice);
    await lab.services.setToken('alice', secret(TOKENS.alice));
    await lab.settled();
    await lab.services.resume(alice, 'alice-1');
    await lab.settled();
    const release = lab.sink.hold('alice-place');
    const delivered = lab.sink.calls.length;
    await lab.post(job(9));
    lab.clock.advance(HOUR);
    await lab.scheduler.pollNow('alice-1');
    await until(() => lab.sink.calls.slice(delivered).some(({ account }) => account === 'alice'));
    const hold = lab.front.hold();
    const before = lab.front.asked.length;
    const polled = lab.scheduler.pollNow('alice-1');
    await until(() => lab.front.asked.length > before);
    await lab.services.eraseAccount('alice');
    lab.front.answer({ status: 401 }, TOKENS.alice);
    lab.sink.script('alice-place', new DeliveryError('target', 'no access'));
    release();
    hold();
    await polled;
    await lab.settled();
    expect((await lab.rows()).filter((row) => row.includes('alice'))).toEqual([]);
  });

  test('is deleted for good during a preview and a test of a new token', async () => {
    await live();
    lab.front.answer(undefined, TOKENS.alice);
    await lab.services.setToken('alice', secret(TOKENS.alice));
    await lab.settled();
    const hold = lab.front.hold();
    const before = lab.front.asked.length;
    const asked = [
      lab.services.preview(alice, { tags: ['golang'] }),
      lab.services.setToken('alice', secret(TOKENS.alice)),
    ];
    await until(() => lab.front.asked.length > before);
    await lab.services.eraseAccount('alice');
    hold();
    const [preview, token] = await Promise.allSettled(asked);
    expect(preview?.status).toBe('fulfilled');
    expect(token).toMatchObject({ reason: { fault: { name: 'erased' } } });
    await lab.settled();
    expect((await lab.rows()).filter((row) => row.includes('alice'))).toEqual([]);
  });
});
