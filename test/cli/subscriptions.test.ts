// The operator's commands for subscriptions through the real program, alone and beside a running service.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cadenceOption, targetOption } from '../../src/cli/subscriptions/add.js';
import { startBoard } from '../helpers/board.js';
import { cliFolder } from '../helpers/cli.js';
import { later } from '../helpers/later.js';
import { startProgram } from '../helpers/process.js';

const DISCORD = { DISCORD_TOKEN: 'x.y.z', DISCORD_API_URL: 'http://127.0.0.1:1/api' };
const MAIL = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@example.org', PUBLIC_URL: 'http://127.0.0.1' };

interface Listed {
  id: string;
  account: string;
  state: string;
  origin: string;
}

describe('add, list, pause, resume, remove', () => {
  it('work in order on one subscription', { tags: 'long' }, async () => {
    const { run } = await cliFolder(MAIL);
    const added = await run([
      ...['subscriptions', 'add', '--id', 'rust', '--tags', 'rust,solidity', '--country', 'DE', '--remote'],
      ...['--include', 'zk', '--exclude', 'intern', '--min-salary', '80000', '--timezone', 'Europe/Berlin'],
      ...[
        '--to',
        'console',
        '--to',
        'email:me@example.org',
        '--cadence',
        'weekly:friday@18:30',
        '--consented',
        '--json',
        '--term',
        'level: Senior, staff',
        'rather remote',
      ],
    ]);
    expect(added.code).toBe(0);
    expect(added.json()).toEqual({
      id: 'rust',
      filter: {
        tags: ['rust', 'solidity'],
        country: 'germany',
        remote: true,
        include: ['zk'],
        exclude: ['intern'],
        minSalary: 80000,
        terms: [{ level: 'senior, staff' }, 'rather remote'],
        limit: 100,
      },
      schedule: '*/15 * * * *',
      timezone: 'Europe/Berlin',
      destinations: [
        { sink: 'console', cadence: { weekly: 'friday', at: '18:30' } },
        {
          sink: 'email',
          target: 'me@example.org',
          consented: true,
          cadence: { weekly: 'friday', at: '18:30' },
        },
      ],
    });
    expect(added.err).toMatch(/account operator has no API token yet.*jobcrier token set/);
    const states = async () => (await run(['subscriptions', 'list', '--json'])).json<Listed[]>();
    expect(await states()).toMatchObject([{ id: 'rust', account: 'operator', origin: 'cli', state: 'new' }]);
    expect(await run(['subscriptions', 'pause', 'rust'])).toMatchObject({ code: 0 });
    expect(await states()).toMatchObject([{ state: 'paused' }]);
    expect(await run(['subscriptions', 'resume', 'rust'])).toMatchObject({ code: 0 });
    expect(await states()).toMatchObject([{ state: 'new' }]);
    expect((await run(['subscriptions', 'list'])).out).toMatch(
      /^rust .*Rust or Solidity.*Germany.*senior or staff, preferably remote/m,
    );
    expect(await run(['subscriptions', 'remove', 'rust'])).toMatchObject({ code: 0 });
    const empty = await run(['subscriptions', 'list']);
    expect(empty).toMatchObject({ code: 0, out: '' });
    expect(empty.err).toContain('no subscription yet');
  });

  it('add takes the rule as one sentence, and says how each word was taken', async () => {
    const { run } = await cliFolder();
    const want = 'senoir rust, remote, at least 90k EUR, no gambling, rather small teams';
    const added = await run([
      ...[
        'subscriptions',
        'add',
        '--id',
        'wish',
        '--want',
        want,
        '--exclude',
        '',
        '--to',
        'console',
        '--json',
      ],
    ]);
    expect(added.json()).toMatchObject({
      filter: {
        tags: ['rust'],
        remote: true,
        exclude: ['gambling'],
        terms: [{ level: 'senior' }, { pay: '90000 EUR/year' }],
      },
    });
    const said = added.err.split('\n').filter((line) => !line.startsWith('{'));
    expect(said.slice(0, 8)).toEqual([
      '“senoir”: senior (nearest match)',
      '“rust”: Rust',
      '“remote”: remote',
      '“at least 90k EUR”: from €90k',
      '“no gambling”: without gambling',
      '“rather small teams”: not used',
      'Rule: Rust, remote, senior, at least 90,000 EUR/year, without gambling.',
      'Nothing is kept for account operator yet that this rule could be compared with.',
    ]);
    expect(await run(['subscriptions', 'preview', '--want', want])).toMatchObject({
      code: 0,
      out: said.slice(0, 8).join('\n'),
    });
    const { json } = await run(['subscriptions', 'preview', '--want', want, '--json']);
    expect(json()).toMatchObject({
      words: [
        { text: 'senoir', as: 'nearest' },
        {},
        {},
        {},
        {},
        { text: 'rather small teams', as: 'unused' },
      ],
      filter: { tags: ['rust'] },
    });
    expect(
      await run(['subscriptions', 'add', '--id', 'no', '--want', 'something nice', '--to', 'console']),
    ).toMatchObject({ code: 2, err: expect.stringMatching(/want: none of its words can be used/u) });
  });

  it('shows which destination gets nothing, and why: unconfirmed, or its sink is off', async () => {
    const { run } = await cliFolder(MAIL);
    const add = ['subscriptions', 'add', '--tags', 'rust'];
    await run([...add, '--id', 'mail', '--to', 'email:me@example.org', '--to', 'console']);
    const listed = (await run(['subscriptions', 'list', '--json'])).json();
    expect(listed).toMatchObject([
      {
        id: 'mail',
        state: 'parked',
        stuck: [
          {
            sink: 'email',
            target: 'me@example.org',
            state: 'blocked',
            why: 'waiting for confirmation',
            fix: 'mailUnconfirmed',
          },
        ],
      },
    ]);
    const { out } = await run(['subscriptions', 'list']);
    expect(out).toMatch(
      /^mail .*parked.*email:me@example\.org blocked: Press the link in the confirmation email\./mu,
    );
    const off = await run(['subscriptions', 'list', '--json'], { env: { SMTP_URL: '', MAIL_FROM: '' } });
    expect(off.json()).toMatchObject([{ state: 'parked', stuck: [{ sink: 'email', state: 'off' }] }]);
  });

  it("refuses what can't work, with all faults together", async () => {
    const { run } = await cliFolder();
    const { code, err } = await run([
      ...['subscriptions', 'add', '--id', 'not good', '--tags', 'solidty', '--schedule', 'x'],
      ...['--to', 'discord:1', '--to', 'nope'],
    ]);
    expect(code).toBe(2);
    expect(err.split('\n').filter((line) => line.startsWith('subscription'))).toHaveLength(5);
    expect(err).toMatch(/did you mean solidity/);
    expect(err).toMatch(/Discord is off: set DISCORD_TOKEN/);
  });

  it('names the nearest id when an id does not exist, and refuses an id in use', async () => {
    const { run } = await cliFolder();
    expect((await run(['subscriptions', 'pause', 'rust'])).err).toMatch(
      /no subscription "rust"\. There is no store yet at .*jobcrier\.sqlite/,
    );
    const add = ['subscriptions', 'add', '--id', 'rust', '--to', 'console'];
    expect((await run(add)).code).toBe(0);
    expect(await run(add)).toMatchObject({ code: 1 });
    const typo = await run(['subscriptions', 'remove', 'rsut']);
    expect(typo.code).toBe(1);
    expect(typo.err).toContain('did you mean rust?');
  }, 300_000);

  it('adds with every rule of a filter, and reports all faults of the options together', async () => {
    const { run } = await cliFolder();
    const add = ['subscriptions', 'add', '--id', 'pay', '--to', 'console', '--json'];
    const added = await run([...add, '--min-salary', '90000', '--pay-unknown', 'drop', '--limit', '50']);
    expect(added.json()).toMatchObject({ filter: { minSalary: 90000, payUnknown: 'drop', limit: 50 } });
    const wrong = ['--min-salary', 'much', '--pay-unknown', 'maybe', '--limit', '0', '--tags', 'xylophone'];
    const { code, err } = await run([...add, ...wrong]);
    expect(code).toBe(2);
    expect(err.split('\n').map((line) => line.split(': ')[1])).toEqual([
      'tags',
      'minSalary',
      'limit',
      'payUnknown',
    ]);
    expect((await run(['subscriptions', 'add', '--help'])).out).toMatch(
      /Tags: ai, .*openzeppelin.*zero-\s*knowledge/su,
    );
  });

  it.each([
    ['daily', { daily: '09:00' }],
    ['daily@7:30', { daily: '7:30' }],
    ['weekly:friday@18:00', { weekly: 'friday', at: '18:00' }],
    ['weekly', { weekly: 'monday', at: '09:00' }],
    ['hourly', 'hourly'],
    ['immediate', 'immediate'],
    ['{ weekly: sunday, at: "10:00" }', { weekly: 'sunday', at: '10:00' }],
  ])('--cadence %s', (text, wanted) => expect(cadenceOption(text)).toEqual(wanted));

  it.each([
    ['console', { sink: 'console' }],
    ['webhook:https://x.example/a:b', { sink: 'webhook', target: 'https://x.example/a:b' }],
    ['discord:dm:123', { sink: 'discord', target: 'dm:123' }],
  ])('--to %s', (text, wanted) => expect(targetOption(text)).toEqual(wanted));
});

const FILE = `- id: full
  account: discord:123456789012345678
  filter:
    tags: [rust, defi]
    country: united-states
    remote: true
    include: [zk, "light client"]
    exclude: [intern]
    minSalary: 80000
    payUnknown: drop
    terms:
      - level: senior, staff
      - not company: ["Acme, Inc.", Cobalt]
      - rather region: US time zones ± 3h
      - rather remote
      - posted: 7
    limit: 50
  schedule: "0 */2 * * *"
  timezone: America/New_York
  newest: 5
  reposts: true
  paused: true
  locale: de
  destinations:
    - { sink: discord, target: "123456789012345678", cadence: immediate, cap: 7, quiet: { from: "22:00", to: "07:00" }, options: { mention: "1" } }
    - { sink: email, target: me@example.org, consented: true, timezone: Asia/Kolkata, cadence: { daily: "08:15" } }
    - { sink: webhook, target: "https://hooks.example.org/x", cadence: hourly }
- id: least
  destinations: [{ sink: console }]
`;

describe('export and import', () => {
  it('lose nothing: import, export, import elsewhere, export', async () => {
    const first = await cliFolder({ ...MAIL, ...DISCORD });
    const second = await cliFolder({ ...MAIL, ...DISCORD });
    const imported = await first.run(['subscriptions', 'import', '--json'], { input: FILE });
    expect(imported).toMatchObject({ code: 0 });
    expect(imported.json()).toEqual({ added: ['full', 'least'], changed: [], unchanged: 0 });
    const exported = await first.run(['subscriptions', 'export']);
    for (const words of [
      'light client',
      'America/New_York',
      'Asia/Kolkata',
      '08:15',
      'paused: true',
      'payUnknown: drop',
      '- not company: \'"Acme, Inc.", Cobalt\'',
      'rather region: UTC-11 to UTC-2',
      '- rather remote',
      'newest: 5',
      'cap: 7',
      'mention',
    ])
      expect(exported.out).toContain(words);
    const file = join(second.dir, 'all.yaml');
    await writeFile(file, exported.out);
    expect((await second.run(['subscriptions', 'import', file])).code).toBe(0);
    expect((await second.run(['subscriptions', 'export'])).out).toBe(exported.out);
    expect((await second.run(['subscriptions', 'import', file, '--json'])).json()).toEqual({
      added: [],
      changed: [],
      unchanged: 2,
    });
    const json = await first.run(['subscriptions', 'export', '--json']);
    expect(
      (await second.run(['subscriptions', 'import', '--json'], { input: json.out })).json(),
    ).toMatchObject({ unchanged: 2 });
  });

  it('can export one account', async () => {
    const { run } = await cliFolder({ ...MAIL, ...DISCORD });
    await run(['subscriptions', 'import'], { input: FILE });
    const { out } = await run(['subscriptions', 'export', '--account', 'operator']);
    expect(out).toContain('id: least');
    expect(out).not.toContain('id: full');
  });

  it('change what differs, and keep or end a pause as the file says', async () => {
    const { run } = await cliFolder();
    const entry = (rest: string) => `- { id: a, ${rest} destinations: [{ sink: console }] }`;
    await run(['subscriptions', 'import'], { input: entry('') });
    const to = async (rest: string) =>
      (await run(['subscriptions', 'import', '--json'], { input: entry(rest) })).json<{ changed: string[] }>()
        .changed;
    const state = async () => (await run(['subscriptions', 'list', '--json'])).json<Listed[]>()[0]?.state;
    expect(await to('paused: true,')).toEqual(['a']);
    expect(await state()).toBe('paused');
    expect(await to('paused: true, newest: 3,')).toEqual(['a']);
    expect(await state()).toBe('paused');
    expect(await to('newest: 3,')).toEqual(['a']);
    expect(await state()).toBe('new');
    expect(await to('newest: 3, paused: true,')).toEqual(['a']);
    expect(await state()).toBe('paused');
  });

  it('write nothing when one entry has a fault', async () => {
    const { run } = await cliFolder();
    const { code, err } = await run(['subscriptions', 'import'], {
      input: '- { id: good, destinations: [{ sink: console }] }\n- { id: bad, tags: [x] }\n',
    });
    expect(code).toBe(2);
    expect(err).toMatch(/subscription bad: .*"tags" is not a field/);
    expect(err).toMatch(/subscription bad: destinations/);
    expect((await run(['subscriptions', 'list', '--json'])).json()).toEqual([]);
  });

  it('report what is wrong with a file of another format', async () => {
    const { run } = await cliFolder();
    expect(await run(['subscriptions', 'import', 'nope.yaml'])).toMatchObject({ code: 2 });
    const { code, err } = await run(['subscriptions', 'import'], { input: 'a: [' });
    expect(code).toBe(2);
    expect(err).toContain('not YAML');
  });
});

describe('a rule as one sentence in the file', () => {
  const entry = (filter: string) => `- id: wish\n  filter:\n${filter}\n  destinations: [{ sink: console }]\n`;

  it('is expanded when it is read', async () => {
    const { run } = await cliFolder();
    const input = entry('    want: "Rust oder Solidity, remote, keine Praktika"\n    exclude: [nft]');
    expect(await run(['subscriptions', 'import'], { input })).toMatchObject({ code: 0 });
    const { out } = await run(['subscriptions', 'export', '--json']);
    expect(JSON.parse(out)).toMatchObject([
      {
        filter: {
          tags: ['rust', 'solidity'],
          remote: true,
          exclude: ['nft'],
          terms: [{ 'not contract': 'internship' }],
        },
      },
    ]);
  });

  it.each([
    [
      'has no word that can be used',
      '    tags: [rust]\n    want: "etwas Nettes"',
      /:4:5: entry 1, subscription wish: want: none of its words/u,
    ],
    [
      'names a field that is there too',
      '    want: "defi, remote"\n    tags: [rust]',
      /:3:5: entry 1, subscription wish: want: it says something about tags, /u,
    ],
  ])('is an error with line and column if it %s', async (_case, filter, fault) => {
    const { run } = await cliFolder();
    const { code, err } = await run(['subscriptions', 'import'], { input: entry(filter) });
    expect(code).toBe(2);
    expect(err).toMatch(fault);
  });
});

describe('beside a running service', () => {
  /** A service that polls every second, with these jobs on the board and this text as its subscriptions file. */
  async function serve(jobs: Parameters<typeof startBoard>[0]['jobs'], file: string) {
    const board = await startBoard({ jobs });
    later(() => board.close());
    const env = {
      JOBS_API_URL: board.url,
      JOBS_API_TOKEN: board.token,
      HTTP_PORT: '0',
      MIN_POLL_SECONDS: '1',
      API_SPACING_MS: '10',
      LIVE_SCHEDULE: '* * * * * *',
    };
    const { run, dir } = await cliFolder(env);
    await mkdir(join(dir, 'config'));
    await writeFile(join(dir, 'config', 'subscriptions.yaml'), file);
    const service = startProgram(['run'], { cwd: dir, env });
    later(async () => {
      service.kill('SIGKILL');
      await service.ended;
    });
    return { board, run, dir, service };
  }

  it('a resume is answered after the service has polled, so that later postings are news', {
    tags: 'long',
  }, async () => {
    const job = (id: string) => ({
      id,
      title: `Rust Engineer ${id}`,
      tags: ['rust'],
      apply_url: `https://jobs.example/r/x${id}`,
      postedAt: '2026-11-20',
    });
    const { board, run, service } = await serve(
      [job('1')],
      '- { id: rust, filter: { tags: [rust] }, schedule: "* * * * * *", destinations: [{ sink: console }] }\n',
    );
    await service.until('the baseline', () => service.json().some((line) => line.baseline === true));
    await run(['subscriptions', 'pause', 'rust']);
    expect(await run(['subscriptions', 'resume', 'rust'])).toMatchObject({
      code: 0,
      err: expect.stringContaining('Resumed rust.'),
    });
    await board.addJob(job('2'));
    const isSent = (line: string) => line.includes('"event":"edition"') && line.includes('Rust Engineer 2');
    await service.until('what was posted after the answer', () => service.stdout.some(isSent));
    service.kill('SIGTERM');
    expect(await service.ended).toBe(0);
  });

  it('the service applies what the command line adds, and keeps the entries of the file', {
    tags: 'long',
    timeout: 300_000,
  }, async () => {
    const job = {
      id: '1',
      title: 'Rust Engineer',
      company: 'Firm',
      tags: ['rust'],
      apply_url: 'https://jobs.example/r/x1',
      postedAt: '2026-11-20',
    };
    const { board, run, dir, service } = await serve(
      [job],
      '- { id: from-file, filter: { tags: [defi] }, destinations: [{ sink: console }] }\n',
    );
    await service.until('it runs', () => service.json().some((line) => line.msg === 'running'));
    expect(
      await run(['subscriptions', 'add', '--id', 'rust', '--tags', 'rust', '--to', 'console']),
    ).toMatchObject({ code: 0 });
    await service.until('the first poll of what was added', () =>
      service.json().some((line) => line.msg === 'poll recorded' && line.subscription === 'rust'),
    );
    await board.addJob({ ...job, id: '2', title: 'Second', apply_url: 'https://jobs.example/r/x2' });
    // Logged once it is on record, a moment after it is on the console.
    await service.until('the delivery', () =>
      service.json().some((line) => line.msg === 'edition delivered' && line.subscription === 'rust'),
    );
    const removed = await run(['subscriptions', 'remove', 'from-file']);
    expect(removed.code).toBe(1);
    expect(removed.err).toContain('config/subscriptions.yaml');
    const why = await run(['why', '--subscription', 'rust', '--posting', '2']);
    expect(why.out).toMatch(
      /id:2 is new and matches; first seen on .*\n {2}console was delivered on .*\n {2}rule "tags: rust": met \(rust\)/,
    );
    expect(
      (
        await run(['why', '--subscription', 'rust', '--posting', 'https://jobs.example/r/x1', '--json'])
      ).json(),
    ).toMatchObject({ key: expect.any(String) });
    expect((await run(['why', '--subscription', 'rust', '--posting', '1'])).out).toMatch(/was there already/);
    expect((await run(['why', '--subscription', 'rust', '--posting', '77'])).out).toMatch(/was not seen/);
    expect(await readFile(join(dir, 'config', 'subscriptions.yaml'), 'utf8')).toContain('from-file');
    service.kill('SIGTERM');
    expect(await service.ended).toBe(0);
  });
});
