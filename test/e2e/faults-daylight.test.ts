// Daylight saving time with the real process: a slot in the skipped hour comes once, right after it; a slot in the
// repeated hour comes once. One of the zones moves by half an hour.
import { expect, test } from 'vitest';
import { baseline, faultHouse, faultJob } from '../helpers/fault-house.js';
import { later } from '../helpers/later.js';
import { movedClock } from '../helpers/moved-clock.js';
import { until } from '../helpers/until.js';
import { startReceiver } from '../helpers/webhook-receiver.js';

const MINUTE = 60_000;
const DAY = 86_400_000;

interface Change {
  readonly zone: string;
  /** The local time of the daily slot. */
  readonly at: string;
  /** When it comes. */
  readonly slot: string;
  /** When the clocks show that time again; or, for a skipped time, some time later on that day. */
  readonly again: string;
}

const GAPS: readonly Change[] = [
  // 02:00 becomes 03:00.
  { zone: 'Europe/Berlin', at: '02:30', slot: '2027-03-28T01:00Z', again: '2027-03-28T01:30Z' },
  // 02:00 becomes 02:30.
  { zone: 'Australia/Lord_Howe', at: '02:15', slot: '2026-10-03T15:30Z', again: '2026-10-03T15:45Z' },
];

const FOLDS: readonly Change[] = [
  // 03:00 becomes 02:00.
  { zone: 'Europe/Berlin', at: '02:30', slot: '2026-10-25T00:30Z', again: '2026-10-25T01:30Z' },
  // 02:00 becomes 01:30.
  { zone: 'Australia/Lord_Howe', at: '01:45', slot: '2027-04-03T14:45Z', again: '2027-04-03T15:15Z' },
];

/** What happened on the day of this change, and on the next. */
async function live({ zone, at, slot, again }: Change) {
  const daily = await startReceiver();
  later(() => daily.close());
  const house = await faultHouse();
  await house.subscriptions(`- id: all
  schedule: "* * * * * *"
  timezone: ${zone}
  destinations:
    - { sink: webhook, target: "${house.receiver.url}", cadence: immediate }
    - { sink: webhook, target: "${daily.url}", cadence: { daily: "${at}" } }
`);
  const clock = movedClock(house.dir);
  clock.set(Date.parse(slot) - 30 * MINUTE);
  const program = house.run(clock.env);
  const post = async (id: number) => {
    await house.board.addJob(faultJob(id));
    await program.until(`posting ${id}`, () => house.titles().includes(`Position ${id}`));
  };
  await baseline(program);
  await post(2);
  // A minute before its time nothing is due, although the clocks have not changed yet.
  clock.set(Date.parse(slot) - MINUTE);
  await post(3);
  const early = daily.received.length;
  clock.set(Date.parse(slot));
  await post(4);
  await until(() => daily.received.length > 0, { what: 'the digest' });
  clock.set(Date.parse(again));
  for (const id of [5, 6]) await post(id);
  const thatDay = daily.received.length;
  clock.set(Date.parse(slot) + DAY + 61 * MINUTE);
  await post(7);
  await until(() => daily.received.length > 1, { what: 'the digest of the next day' });
  program.kill();
  const told = daily.received.flatMap(({ body }) => body.data.postings.map(({ title }) => title));
  const sentAt = Number(daily.received[0]?.headers['webhook-timestamp']) * 1000;
  return {
    early,
    thatDay,
    /** How long after the slot the first digest came, in minutes. */
    late: Math.floor((sentAt - Date.parse(slot)) / MINUTE),
    told: told.slice(0, 5),
    ended: await program.ended,
  };
}

test.each([
  ['skipped hour comes right after it, once', GAPS],
  ['repeated hour comes the first time, once', FOLDS],
])('a slot in a %s', { timeout: 270_000 }, async (_what, changes) => {
  const told = [2, 3, 4, 5, 6].map((id) => `Position ${id}`);
  // Both zones at the same time, because most of the time is spent waiting for a clock.
  const days = await Promise.all(changes.map(live));
  for (const day of days) expect(day).toEqual({ early: 0, thatDay: 1, late: 0, told, ended: 0 });
});
