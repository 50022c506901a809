// The clock of the machine is set forward and back, and the service was down for weeks: each destination gets one
// catch-up edition, with the oldest posting first, and nothing twice.
import { expect, test } from 'vitest';
import { baseline, type FaultHouse, faultHouse, faultJob } from '../helpers/fault-house.js';
import { later } from '../helpers/later.js';
import { type MovedClock, movedClock } from '../helpers/moved-clock.js';
import type { Program } from '../helpers/process.js';
import { startSmtp } from '../helpers/smtp.js';
import { until } from '../helpers/until.js';
import { type Receiver, startReceiver } from '../helpers/webhook-receiver.js';

const DAY = 86_400_000;
const TIMEOUT = { timeout: 180_000 };
const WEEKLY = '{ weekly: monday, at: "09:00" }';
const WEDNESDAY = Date.UTC(2026, 10, 25, 10);

interface Weeks {
  readonly house: FaultHouse;
  readonly clock: MovedClock;
  /** Gets the weekly editions. */
  readonly weekly: Receiver;
  run(): Program;
}

/** A house whose second webhook (and `extra`) is weekly. The clock starts on a Wednesday. */
async function weeks(extra: readonly string[] = [], env: Record<string, string> = {}): Promise<Weeks> {
  const weekly = await startReceiver();
  later(() => weekly.close());
  const house = await faultHouse({
    env,
    extra: [`- { sink: webhook, target: "${weekly.url}", cadence: ${WEEKLY} }`, ...extra],
  });
  const clock = movedClock(house.dir);
  clock.set(WEDNESDAY);
  return { house, clock, weekly, run: () => house.run(clock.env) };
}

const titles = ({ received }: Receiver) =>
  received.map(({ body }) => body.data.postings.map(({ title }) => title));

async function stop(program: Program): Promise<void> {
  program.kill();
  expect(await program.ended).toBe(0);
}

/** Posts, and waits until the immediate destination has it: by then, everything else that was due has been checked. */
async function post({ house }: Weeks, program: Program, id: number): Promise<void> {
  await house.board.addJob(faultJob(id));
  await program.until(`posting ${id}`, () => house.titles().includes(`Position ${id}`));
}

test(
  'sends one catch-up per destination after four missed slots, the oldest posting first',
  TIMEOUT,
  async () => {
    const smtp = await startSmtp();
    later(() => smtp.close());
    const all = await weeks(
      [`- { sink: email, target: reader@example.org, consented: true, cadence: ${WEEKLY} }`],
      { SMTP_URL: smtp.url, MAIL_FROM: 'Jobs <jobs@example.org>' },
    );
    const { house, clock, weekly } = all;
    const first = all.run();
    await baseline(first);
    house.receiver.answers.push(...Array.from({ length: 50 }, () => 503));
    for (const id of [2, 3]) {
      const recorded = first.stdout.filter((line) => line.includes('poll recorded')).length;
      await house.board.addJob(faultJob(id));
      await first.until(
        `posting ${id} on record`,
        () => first.stdout.filter((line) => line.includes('poll recorded')).length > recorded,
      );
    }
    await stop(first);
    expect([house.titles(), weekly.received, smtp.mails]).toEqual([[], [], []]);
    house.receiver.answers.length = 0;
    await clock.move(26 * DAY);
    const second = all.run();
    await second.until('both by the immediate one', () => house.titles().length === 2);
    await second.until('the catch-ups', () => weekly.received.length > 0 && smtp.mails.length > 0);
    await post(all, second, 4);
    expect(house.titles()).toEqual([2, 3, 4].map((id) => `Position ${id}`));
    expect(titles(weekly)).toEqual([['Position 2', 'Position 3']]);
    expect(smtp.mails).toHaveLength(1);
    const mail = smtp.mails[0]?.raw.toString() ?? '';
    expect(mail.indexOf('Position 2')).toBeGreaterThan(0);
    expect(mail.indexOf('Position 3')).toBeGreaterThan(mail.indexOf('Position 2'));
    // What came after the catch-up waits for the next Monday.
    clock.set(WEDNESDAY + 26 * DAY + 7 * DAY);
    await post(all, second, 5);
    await until(() => weekly.received.length > 1, { what: 'the next digest' });
    expect(titles(weekly).flat().slice(0, 3)).toEqual([2, 3, 4].map((id) => `Position ${id}`));
    expect(weekly.received).toHaveLength(2);
    await stop(second);
  },
);

test(
  'continues after the clock was set forward by more than a year and back by two, and sends nothing twice',
  TIMEOUT,
  async () => {
    const all = await weeks();
    const { house, clock, weekly } = all;
    const program = all.run();
    await baseline(program);
    await post(all, program, 2);
    await clock.move(400 * DAY);
    await post(all, program, 3);
    await until(() => weekly.received.length > 0, { what: 'the one digest' });
    await post(all, program, 4);
    expect(weekly.received).toHaveLength(1);
    await clock.move(-800 * DAY);
    for (const id of [5, 6]) await post(all, program, id);
    expect(house.titles()).toEqual([2, 3, 4, 5, 6].map((id) => `Position ${id}`));
    expect(new Set(titles(weekly).flat()).size).toBe(titles(weekly).flat().length);
    expect(weekly.received).toHaveLength(1);
    // The repeated weeks have their digest when they contain news.
    await clock.move(7 * DAY);
    await post(all, program, 7);
    await until(() => weekly.received.length > 1, { what: 'a digest by the new time' });
    expect(new Set(titles(weekly).flat()).size).toBe(titles(weekly).flat().length);
    expect(program.stdout.join('\n')).not.toContain('missed execution');
    expect(program.json().filter(({ msg }) => msg === 'owner notice')).toEqual([]);
    await stop(program);
  },
);
