// Mail servers that are busy, refuse, or are not the right ones, with the real process: the same mail is sent again
// under its Message-ID, a fault of one reader affects no other, and the operator is alerted to faults of the
// installation.
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { expect, test } from 'vitest';
import { type FaultHouse, faultHouse, faultJob } from '../helpers/fault-house.js';
import { later } from '../helpers/later.js';
import { type MovedClock, movedClock } from '../helpers/moved-clock.js';
import type { Program } from '../helpers/process.js';
import { type SmtpAnswer, type SmtpStand, startSmtp } from '../helpers/smtp.js';

const MINUTE = 60_000;
const TIMEOUT = { timeout: 270_000 };
const FROM = 'Jobs <jobs@example.org>';
const READER = '- { sink: email, target: reader@example.org, consented: true, cadence: immediate }';

async function stand(options: Parameters<typeof startSmtp>[0] = {}): Promise<SmtpStand> {
  const smtp = await startSmtp(options);
  later(() => smtp.close());
  return smtp;
}

interface Setting {
  readonly house: FaultHouse;
  readonly clock: MovedClock;
  readonly program: Program;
}

/** `readers`: they get mail, by the tag they want; without any, one reader beside the webhook. */
async function settingOf(smtpUrl: string, readers: Readonly<Record<string, string>> = {}): Promise<Setting> {
  const jobs = [faultJob(1, { tags: ['rust', 'defi'] })];
  const apart = Object.entries(readers);
  const extra = apart.length > 0 ? [] : [READER];
  const house = await faultHouse({ env: { SMTP_URL: smtpUrl, MAIL_FROM: FROM }, extra, jobs });
  const entries = apart.map(
    ([id, tag]) =>
      `- { id: ${id}, filter: { tags: [${tag}] }, schedule: "* * * * * *", destinations: [{ sink: email, target: ${id}@${id}.example, consented: true, cadence: immediate }] }`,
  );
  const webhook = `{ sink: webhook, target: "${house.receiver.url}", cadence: immediate }`;
  if (apart.length > 0)
    await house.subscriptions(
      `- { id: all, schedule: "* * * * * *", destinations: [${webhook}] }\n${entries.join('\n')}\n`,
    );
  const clock = movedClock(house.dir);
  const program = house.run(clock.env);
  const baselines = () => program.json().filter((line) => line.baseline === true).length;
  await program.until('the baselines', () => baselines() === apart.length + 1, 40_000);
  return { house, clock, program };
}

async function post({ house, program }: Setting, id: number, tags: readonly string[] = []): Promise<void> {
  await house.board.addJob(faultJob(id, { tags: [...tags] }));
  await program.until(`posting ${id}`, () => house.titles().includes(`Position ${id}`));
}

const idOf = ({ raw }: { raw: Buffer }) => /^Message-ID: (.+)$/imu.exec(raw.toString())?.[1];
const titleOf = ({ raw }: { raw: Buffer }) => /Position \d+/u.exec(raw.toString())?.[0];
const failures = (program: Program) => program.json().filter(({ msg }) => msg === 'delivery failed');
const paused = (program: Program) => failures(program).filter(({ reason }) => reason === 'mail is paused');
const alerts = (program: Program) => program.json().filter(({ msg }) => msg === 'operator alert');
/** Notices to the owners of readers; those to the operator have another kind. */
const notices = (program: Program) =>
  program.json().filter(({ msg, kind }) => msg === 'owner notice' && kind === 'destination');

const BUSY: readonly [keyof SmtpStand['script'], SmtpAnswer][] = [
  ['mail', { code: 421, text: '4.3.2 closing' }],
  ['rcpt', { code: 451, text: '4.7.1 greylisted, try later' }],
  ['data', { code: 452, text: '4.3.1 no space' }],
  ['data', 'drop'],
];

test(
  '421, greylisting, 452 and a drop after the final dot: the mail is sent again under its id',
  TIMEOUT,
  async () => {
    const smtp = await stand();
    const setting = await settingOf(smtp.url);
    const { clock, program } = setting;
    let id = 1;
    for (const [command, answer] of BUSY) {
      smtp.script[command].push(answer);
      await post(setting, ++id);
      await program.until(`the refusal of ${id}`, () => smtp.script[command].length === 0);
      await program.until(
        'its line',
        () => program.json().filter(({ msg }) => msg === 'delivery failed').length === id / 2,
      );
      await clock.move(6 * MINUTE);
      await post(setting, ++id);
      await program.until(`the mail of ${id}`, () =>
        smtp.mails.some((mail) => titleOf(mail) === `Position ${id}`),
      );
    }
    const ids = new Map<string, Set<string>>();
    for (const mail of smtp.mails) {
      const title = String(titleOf(mail));
      ids.set(title, (ids.get(title) ?? new Set()).add(String(idOf(mail))));
    }
    expect([...ids.keys()]).toEqual(Array.from({ length: id - 1 }, (_, n) => `Position ${n + 2}`));
    expect([...ids.values()].map(({ size }) => size)).toEqual([...ids].map(() => 1));
    // Only the one whose answer was lost was accepted twice.
    expect(smtp.mails).toHaveLength(id);
    expect(alerts(program)).toEqual([]);
    expect(notices(program)).toEqual([]);
    program.kill();
    expect(await program.ended).toBe(0);
  },
);

test(
  '550: that address is suppressed immediately and not tried again, its owner is notified once, others get their mail',
  TIMEOUT,
  async () => {
    const smtp = await stand();
    const setting = await settingOf(smtp.url, { gone: 'rust', here: 'defi' });
    const { program } = setting;
    smtp.script.rcpt.push({ code: 550, text: '5.1.1 unknown' });
    await post(setting, 2, ['rust']);
    await program.until('the notice', () => notices(program).length > 0);
    for (const id of [3, 4]) {
      await post(setting, id, ['rust', 'defi']);
      await program.until(`the mail of ${id}`, () => smtp.mails.length === id - 2);
    }
    expect(smtp.mails.map(({ to }) => to)).toEqual([['here@here.example'], ['here@here.example']]);
    expect(notices(program)).toMatchObject([{ kind: 'destination', subscription: 'gone' }]);
    expect(alerts(program)).toEqual([]);
    expect(program.stdout.join('\n')).not.toContain('gone@gone.example');
    program.kill();
    expect(await program.ended).toBe(0);
  },
);

/** A server that speaks only TLS, with a self-signed certificate. */
async function selfSigned(): Promise<{ url: string; readonly asked: number }> {
  const far = { url: '', asked: 0 };
  const server = new SMTPServer({ secure: true, logger: false, disabledCommands: ['AUTH'] });
  server.on('error', () => undefined);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
  server.server.on('connection', () => {
    far.asked++;
  });
  far.url = `smtps://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  later(() => new Promise<void>((done) => server.close(() => done())));
  return far;
}

test(
  '535: all mail waits, the operator is alerted, no address is suppressed, and everything is sent later',
  TIMEOUT,
  async () => {
    const smtp = await stand({ login: true });
    smtp.script.auth.push({ code: 535, text: '5.7.8 bad credentials' });
    const setting = await settingOf(smtp.url, { first: 'rust', second: 'defi' });
    const { clock, program } = setting;
    await post(setting, 2, ['rust']);
    await program.until('the alert', () => alerts(program).length === 1);
    expect(String(alerts(program)[0]?.alert)).toMatch(/SMTP_URL/u);
    await program.until('its line', () => failures(program).length === 1);
    const { connections } = smtp;
    await clock.move(10 * MINUTE);
    await post(setting, 3, ['defi']);
    await program.until('the wait of the other reader', () => paused(program).length === 1);
    expect(smtp.connections).toBe(connections);
    expect(notices(program)).toEqual([]);
    await clock.move(51 * MINUTE);
    await post(setting, 4, ['rust', 'defi']);
    await program.until('all of it', () => smtp.mails.length === 4);
    const got = (reader: string) =>
      smtp.mails.filter(({ to }) => to.includes(`${reader}@${reader}.example`)).map(titleOf);
    expect([got('first'), got('second')]).toEqual([
      ['Position 2', 'Position 4'],
      ['Position 3', 'Position 4'],
    ]);
    expect(program.stdout.join('\n')).not.toContain('secret@');
    program.kill();
    expect(await program.ended).toBe(0);
  },
);

test('a self-signed certificate: no mail is sent over it, and the operator is alerted', TIMEOUT, async () => {
  const far = await selfSigned();
  const setting = await settingOf(far.url, { first: 'rust', second: 'defi' });
  const { program } = setting;
  await post(setting, 2, ['rust']);
  await program.until('the alert', () => alerts(program).length === 1);
  expect(String(alerts(program)[0]?.alert)).toMatch(/SMTP_URL/u);
  const { asked } = far;
  await post(setting, 3, ['defi']);
  await program.until('the wait of the other reader', () => paused(program).length === 1);
  expect(far.asked).toBe(asked);
  expect(notices(program)).toEqual([]);
  program.kill();
  expect(await program.ended).toBe(0);
});
