// A mail server that we did not write: OpenSMTPD accepts the mails, passes them on, and writes a real report of one
// that could not be delivered. Needs root and Debian's opensmtpd; CI installs it.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/ports/sink.js';
import { samplePostings } from '../../src/render/samples.js';
import { bound } from '../helpers/bound.js';
import { deliverTo, headerOf, type MailSetup, mailDelivery, parseMail, setupMail } from '../helpers/mail.js';
import { type SmtpStand, startSmtp } from '../helpers/smtp.js';
import { until } from '../helpers/until.js';

const DAEMON = '/usr/sbin/smtpd';
const missing = !existsSync(DAEMON)
  ? 'opensmtpd is not installed'
  : process.getuid?.() !== 0
    ? 'only root can start it'
    : undefined;
if (missing) console.warn(`tests with OpenSMTPD skipped: ${missing}`);

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}

describe.skipIf(missing)('through OpenSMTPD', () => {
  let next: SmtpStand;
  let setup: MailSetup;
  let daemon: ChildProcess;
  let dir: string;
  let said = '';
  // The daemon keeps one queue for the whole machine, and what an earlier one had not finished arrives here too: only
  // mails of this test's own edition and reader count.
  let edition = '';
  let reader = '';

  /** The first mail that holds `part`, once the next server has it. */
  async function mailWith(part: string) {
    const find = () => next.mails.find((mail) => mail.raw.includes(part));
    await until(() => find() !== undefined, { what: `a mail with ${part}`, timeoutMs: 20_000 });
    return find()!;
  }

  /** A digest to this test's reader. */
  function digest(): Delivery {
    const delivery = mailDelivery({ edition });
    return { ...delivery, destination: { ...delivery.destination, target: reader } };
  }

  beforeEach(async () => {
    // The server that the daemon passes everything on to: the mailboxes of this test.
    next = await startSmtp();
    dir = await mkdtemp(join(tmpdir(), 'crier-smtpd-'));
    const port = await freePort();
    const conf = join(dir, 'smtpd.conf');
    await writeFile(
      conf,
      `listen on 127.0.0.1 port ${port}
action "onward" relay host "${next.url}"
match from any for any action "onward"
`,
    );
    said = '';
    edition = randomBytes(8).toString('hex');
    reader = `reader-${edition}@example.org`;
    daemon = spawn(...bound(DAEMON, ['-d', '-f', conf]), { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [daemon.stdout, daemon.stderr])
      stream?.on('data', (chunk: Buffer) => {
        said += chunk.toString();
      });
    await until(() => said.includes('smtp-in') || /info: OpenSMTPD.*starting/u.test(said), {
      what: 'the daemon',
    });
    setup = setupMail(`smtp://127.0.0.1:${port}?ignoreTLS=true`);
    await until(() => setup.sink.verify().then(() => true), { what: 'its greeting' });
  });

  afterEach(async () => {
    await setup?.sink.close?.();
    if (daemon.exitCode === null) {
      daemon.kill('SIGTERM');
      await new Promise((done) => daemon.once('close', done));
    }
    await next.close();
    await rm(dir, { recursive: true, force: true });
  });

  test('a digest arrives complete: headers, both parts, every apply link byte for byte', async () => {
    await deliverTo(setup, digest());
    const taken = await mailWith(`<${edition}.0@`);
    expect(taken.to).toEqual([reader]);
    expect(taken.from).toMatch(/^digest\+b[0-9a-f]{32}@crier\.example\.org$/u);
    const mail = await parseMail(taken.raw);
    expect(mail.messageId).toBe(`<${edition}.0@crier.example.org>`);
    expect(headerOf(mail, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
    const lines = (mail.text ?? '').split(/\r?\n/u);
    for (const { applyUrl } of samplePostings().slice(0, 8)) {
      expect(lines).toContain(applyUrl);
      expect(mail.html).toContain(`href="${applyUrl?.replaceAll('&', '&amp;')}"`);
    }
  });

  test('the report it writes of an unknown address suppresses that address', async () => {
    next.unknown.add(reader);
    await deliverTo(setup, digest());
    const report = await mailWith(`rfc822; ${reader}`);
    expect(report.from).toBe('');
    expect(report.to[0]).toMatch(/^digest\+b[0-9a-f]{32}@/u);
    expect(await setup.sink.takeBounce(report.raw.toString('utf8'), 'message/rfc822')).toEqual({ taken: 1 });
    expect((await setup.sink.suppression.find(reader))?.why).toBe('status 5.1.1');
    await expect(deliverTo(setup, { ...digest(), edition: 'later' })).rejects.toThrow('suppressed');
  });
});
