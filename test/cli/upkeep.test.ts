// Mail previews, keys, backups and unexpected failures, through the real program.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cliFolder } from '../helpers/cli.js';
import { later } from '../helpers/later.js';
import { parseMail } from '../helpers/mail.js';
import { startSmtp } from '../helpers/smtp.js';

/** util-linux, to become another user. */
const setpriv = spawnSync('setpriv', ['--version']).status === 0;
const CANARY = 'canary0a1b2c3d4e';
const key = () => randomBytes(32).toString('base64');

describe('mail preview', () => {
  it('writes every kind in three forms and prints the names of the files', async () => {
    const { run, dir } = await cliFolder({ SOURCE_NAME: 'Example Jobs' });
    const out = join(dir, 'out');
    const { code, json } = await run(['mail', 'preview', '--out', out, '--locale', 'de', '--json']);
    expect(code).toBe(0);
    const { files } = json<{ files: string[] }>();
    expect(files).toHaveLength(18);
    expect((await readdir(out)).map((file) => join(out, file)).sort()).toEqual(files.toSorted());
    const eml = await readFile(join(out, 'digest.eml'), 'utf8');
    expect(eml).toMatch(/^List-Unsubscribe: /m);
    const html = await readFile(join(out, 'digest.html'), 'utf8');
    expect(html).toContain('lang="de');
    // A browser has no attachments: the chart is in the page itself. In the mail it is attached.
    expect(html).toMatch(/<img [^>]*src="data:image\/png;base64,iVBOR/u);
    expect(html).not.toContain('cid:');
    expect(eml).toContain('cid:weeks@jobcrier');
    // Each is completely in its language, with a link where an action is possible.
    for (const file of ['digest.txt', 'alert.txt', 'quiet.txt', 'confirm.txt', 'notice.txt']) {
      const text = await readFile(join(out, file), 'utf8');
      // The confirmation mail to a stranger names only tags.
      expect(text).toContain(
        file === 'confirm.txt' ? 'Solidity oder Rust.' : 'Solidity oder Rust, remote, ab $80k',
      );
      // The words of employers stay in their language.
      const own = text.replace(/^(?:Write|Read|Work) .*$/gmu, '');
      expect(own).not.toMatch(/\b(?:the|from|your|sample:)\b/u);
      expect(text).toMatch(/^(?:.*: )?https:\/\//mu);
    }
  });

  it('says that no posting of a subscription waits', async () => {
    const { run, dir } = await cliFolder();
    const preview = ['mail', 'preview', '--out', join(dir, 'out')];
    await run(['subscriptions', 'add', '--id', 'a', '--to', 'console']);
    const { code, err } = await run([...preview, '--subscription', 'a']);
    expect(code).toBe(1);
    expect(err).toContain('Nothing is waiting to be sent for a');
    expect(await run([...preview, '--kind', 'nope'])).toMatchObject({ code: 2 });
  });
});

describe('mail lint', () => {
  it("finds no fault in the program's templates", { tags: 'long' }, async () => {
    const { run } = await cliFolder();
    expect(await run(['mail', 'lint'])).toMatchObject({ code: 0, out: 'The mail templates are valid.' });
  });

  it.each([
    ['a broken tag', 'digest.subject.liquid', '{% if %}', /digest\.subject\.liquid/],
    ['an unknown field', 'notice.text.liquid', '{{ titel }}', /notice\.text\.liquid.*titel/],
    [
      'a forbidden rel',
      'posting.html.liquid',
      '<tr><td>\n<a rel="nofollow" href="{{ card.link }}">x</a></td></tr>',
      /posting\.html\.liquid, line 2: breaks a link rule: a link carries rel="nofollow"/,
    ],
    [
      'a tracking pixel',
      'footer.html.liquid',
      '<img src="https://t.example/o.gif?r={{ links.unsubscribe }}" alt=""><a href="{{ links.unsubscribe }}">x</a>',
      /digest \(en\), HTML: loads something from t\.example/,
    ],
    [
      'a missing way to unsubscribe in HTML',
      'footer.html.liquid',
      '<p>{{ why }}</p>',
      /alert \(de\), HTML: no link to unsubscribe/,
    ],
    [
      'a missing way to unsubscribe in text',
      'footer.text.liquid',
      '{{ note }}\n{{ words.unsubscribe }}',
      /digest \(es\), text: no link to unsubscribe/,
    ],
  ])('names %s', { tags: 'long' }, async (_what, name, text, says) => {
    const { run, dir } = await cliFolder();
    await mkdir(join(dir, 'templates', 'mail'), { recursive: true });
    await writeFile(join(dir, 'templates', 'mail', name), text);
    const { code, json } = await run(['mail', 'lint', '--json']);
    expect(code).toBe(1);
    expect(json<{ faults: string[] }>().faults.join('\n')).toMatch(says);
  });
});

describe('mail send-test', () => {
  it('sends one marked mail through the relay', async () => {
    const smtp = await startSmtp();
    later(() => smtp.close());
    const { run } = await cliFolder({ SMTP_URL: smtp.url, MAIL_FROM: 'Crier <jobs@example.org>' });
    expect(await run(['mail', 'send-test', 'me@example.org'])).toMatchObject({ code: 0 });
    expect(smtp.mails).toHaveLength(1);
    expect(smtp.mails[0]?.to).toEqual(['me@example.org']);
    const mail = await parseMail(smtp.mails[0]?.raw as Buffer);
    expect(mail.subject).toMatch(/^\[test\] /);
  });

  it('shows the answer of the relay, and reports when none is configured', async () => {
    const smtp = await startSmtp();
    later(() => smtp.close());
    smtp.script.rcpt.push({ code: 550, text: '5.1.1 nobody here' });
    const { run } = await cliFolder();
    const env = { SMTP_URL: smtp.url, MAIL_FROM: 'jobs@example.org' };
    const refused = await run(['mail', 'send-test', 'me@example.org'], { env });
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/did not accept the mail \(SMTP 550/);
    expect(await run(['mail', 'send-test', 'nonsense'], { env })).toMatchObject({ code: 2 });
    const off = await run(['mail', 'send-test', 'me@example.org']);
    expect(off.code).toBe(2);
    expect(off.err).toContain('SMTP_URL and MAIL_FROM: not set');
  });
});

describe('keys rotate', () => {
  it('encrypts secrets with the first key, so that the old one can be deleted', async () => {
    const [old, fresh] = [key(), key()];
    const { run } = await cliFolder();
    await run(['token', 'set', '--account', 'a', '--no-check'], { input: CANARY, env: { SECRET_KEY: old } });
    const status = async (SECRET_KEY: string) =>
      (await run(['token', 'status', '--account', 'a', '--json'], { env: { SECRET_KEY } })).json<{
        state: string;
      }>().state;
    expect(await status(fresh)).not.toBe('ok');
    const lost = await run(['keys', 'rotate'], { env: { SECRET_KEY: fresh } });
    expect(lost).toMatchObject({
      code: 2,
      err: expect.stringMatching(/encrypted with the key [0-9a-f]{8}/u),
    });
    const rotated = await run(['keys', 'rotate', '--json'], { env: { SECRET_KEY: `${fresh},${old}` } });
    expect(rotated.code).toBe(0);
    expect(rotated.json()).toMatchObject({ rotated: expect.any(Number), unreadable: 0 });
    expect(await status(fresh)).toBe('ok');
  });
});

describe('a missing key', () => {
  const add = ['subscriptions', 'add', '--id', 'kept', '--to', 'webhook:https://hooks.example.org/x'];
  const STARTS = [
    ['run'],
    ['poll'],
    ['poll', '--dry-run'],
    ['digest', '--subscription', 'kept'],
    ['subscriptions', 'export'],
    ['subscriptions', 'pause', 'kept'],
    ['keys', 'rotate'],
  ];

  it('is reported by every command that needs it, and nothing is changed or created', {
    tags: 'long',
    timeout: 300_000,
  }, async () => {
    const [old, fresh] = [key(), key()];
    const { run, dir } = await cliFolder({ JOBS_API_URL: 'http://127.0.0.1:1', API_SPACING_MS: '0' });
    await run(add, { env: { SECRET_KEY: old } });
    const store = () => readFile(join(dir, 'data', 'jobcrier.sqlite'));
    const before = await store();
    for (const SECRET_KEY of [fresh, ''])
      for (const args of STARTS) {
        const { code, err } = await run(args, { env: { SECRET_KEY, HTTP_PORT: '0' } });
        expect(code, err).toBe(2);
        expect(err).toMatch(/encrypted with the key [0-9a-f]{8}, and that key is not given/u);
        expect(before.equals(await store())).toBe(true);
        expect(await readdir(join(dir, 'data'))).toEqual(['jobcrier.sqlite']);
      }
    expect((await run(['doctor'], { env: { SECRET_KEY: fresh } })).out).toMatch(
      /FAIL.* store: it holds secrets encrypted with/u,
    );
    const copy = join(dir, 'copy.sqlite');
    await run(['backup', copy]);
    const restored = await run(['restore', copy], { env: { SECRET_KEY: fresh } });
    expect(restored).toMatchObject({ code: 0, err: expect.stringMatching(/encrypted with the key/u) });
    const found = await run(['subscriptions', 'export', '--json'], {
      env: { SECRET_KEY: `${fresh},${old}` },
    });
    expect(found.out).toContain('https://hooks.example.org/x');
  });

  it('can be given up only by its own id', async () => {
    const [old, fresh] = [key(), key()];
    const { run } = await cliFolder({ JOBS_API_URL: 'http://127.0.0.1:1', API_SPACING_MS: '0' });
    await run(add, { env: { SECRET_KEY: old } });
    const env = { SECRET_KEY: fresh };
    const [, id = ''] = /the key ([0-9a-f]{8})/u.exec((await run(['poll'], { env })).err) ?? [];
    expect((await run(['keys', 'rotate', '--lost', '00000000'], { env })).err).toContain(`it misses ${id}`);
    expect(await run(['keys', 'rotate', '--lost', id], { env })).toMatchObject({
      code: 1,
      out: expect.stringContaining("1 can't be read"),
    });
    expect((await run(['subscriptions', 'pause', 'kept'], { env })).code).toBe(0);
  }, 300_000);
});

describe('backup and restore', () => {
  it('restore a store and keep the former one', async () => {
    const { run, dir } = await cliFolder({ SECRET_KEY: key() });
    const copy = join(dir, 'copy.sqlite');
    await run(['subscriptions', 'add', '--id', 'kept', '--to', 'console']);
    const backup = await run(['backup', copy]);
    expect(backup).toMatchObject({
      code: 0,
      out: `Wrote ${copy}: 1 subscription, 0 accounts, 0 ledgers.`,
    });
    await run(['subscriptions', 'remove', 'kept']);
    const restored = await run(['restore', copy, '--json']);
    expect(restored.code).toBe(0);
    expect((await run(['subscriptions', 'list', '--json'])).json()).toMatchObject([{ id: 'kept' }]);
    expect((await readdir(join(dir, 'data'))).some((name) => name.includes('before-restore'))).toBe(true);
  });

  it('refuse a file that is no backup', async () => {
    const { run, dir } = await cliFolder();
    const file = join(dir, 'x');
    await writeFile(file, 'nonsense '.repeat(1000));
    const refused = await run(['restore', file]);
    expect(refused.code).toBe(1);
    expect(`\n${refused.err}`).toContain(
      `\n${file} is damaged or not a copy of a store, so nothing was changed`,
    );
    expect(refused.err).not.toMatch(/jobcrier restore|Stop the service/u);
    expect(await readFile(file, 'utf8')).toBe('nonsense '.repeat(1000));
    expect((await run(['restore', join(dir, 'nope')])).code).toBe(2);
    expect((await run(['restore', dir])).err).toContain(`Can't read ${dir}: it is not a file.`);
  });
});

describe("a file that can't be written", () => {
  it('is reported under its given name, with the reason', { tags: 'long' }, async () => {
    const { run, spawn, dir } = await cliFolder({ SECRET_KEY: key() });
    await run(['subscriptions', 'add', '--id', 'kept', '--to', 'console']);
    await writeFile(join(dir, 'taken'), '');
    const cases = [
      [['backup', './taken/before.sqlite'], "Can't write ./taken/before.sqlite: a file is in the way."],
      [['mail', 'preview', '--out', 'taken'], "Can't write taken: a file is in the way."],
      [['doctor', '--report', 'taken/report.json'], "Can't write taken/report.json: a part of its path is"],
    ] as const;
    for (const [args, says] of cases) {
      const { code, err } = await spawn(args);
      expect([args, code, err]).toEqual([args, 1, expect.stringContaining(says)]);
    }
    const demo = await run(['demo'], { env: { DATA_DIR: 'taken' } });
    expect([demo.code, demo.err]).toEqual([1, expect.stringMatching(/Can't write .*taken\/demo: a part/u)]);
    await mkdir(join(dir, 'mine', 'demo'), { recursive: true });
    await writeFile(join(dir, 'mine', 'demo', 'thesis.txt'), 'years of work');
    const other = await run(['demo'], { env: { DATA_DIR: 'mine' } });
    expect([other.code, other.err]).toEqual([2, expect.stringContaining('files that are not from a demo')]);
    expect(await readdir(join(dir, 'mine', 'demo'))).toEqual(['thesis.txt']);
    const store = await run(['subscriptions', 'add', '--id', 'new', '--to', 'console'], {
      env: { STORE_URL: 'sqlite://taken/store.sqlite' },
    });
    expect([store.code, store.err]).toEqual([1, expect.stringMatching(/Can't write .*taken: a file/u)]);
  });

  it.runIf(process.getuid?.() === 0 && setpriv)(
    'for want of permission says so',
    { tags: 'long' },
    async () => {
      const { run, dir } = await cliFolder({
        SECRET_KEY: key(),
        STORE_URL: 'sqlite://store/jobs.sqlite',
      });
      await run(['subscriptions', 'add', '--id', 'kept', '--to', 'console']);
      await chmod(dir, 0o755);
      for (const name of ['store', 'store/jobs.sqlite']) await chown(join(dir, name), 10001, 10001);
      const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
      const { status, stderr } = spawnSync(
        'setpriv',
        [
          '--reuid=10001',
          '--regid=10001',
          '--clear-groups',
          process.execPath,
          main,
          'backup',
          './before.sqlite',
        ],
        {
          cwd: dir,
          env: { PATH: process.env.PATH, STORE_URL: 'sqlite://store/jobs.sqlite' },
          encoding: 'utf8',
        },
      );
      expect([status, stderr]).toEqual([
        1,
        expect.stringContaining("Can't write ./before.sqlite: permission denied."),
      ]);
    },
  );
});

describe('an unexpected failure', () => {
  it('ends with one line, a log line with the place and without the secret, and exit code 1', async () => {
    const { run, dir } = await cliFolder();
    const sink = join(dir, 'sink.mjs');
    await writeFile(
      sink,
      `export function createSink() {
        return { name: 'odd', async deliver() {}, parseTarget() { throw new TypeError('at https://x.example/?token=${CANARY}'); } };
      }`,
    );
    const { code, out, err } = await run(['subscriptions', 'add', '--id', 'a', '--to', 'odd:x'], {
      env: { SINKS: sink },
    });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    const [line, logged = ''] = err.split('\n').slice(-2);
    expect(line).toMatch(/^unexpected failure: TypeError/);
    expect(JSON.parse(logged)).toMatchObject({
      level: 'error',
      msg: 'unexpected failure',
      stack: expect.stringContaining('sink.mjs'),
    });
    expect(err).not.toContain(CANARY);
  });
});
