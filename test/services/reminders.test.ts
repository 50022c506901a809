// Reminders of marked postings: off until the person wants them, once each, in the morning, and never in quiet hours.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sendReminders } from '../../src/pipeline/reminders.js';
import { DAY, job, type Lab, openLab } from '../helpers/lab.js';

const HOUR = 3_600_000;
let lab: Lab;
let id: string;

beforeEach(async () => {
  lab = await openLab();
  const { report } = await lab.services.subscribe(
    { account: 'alice' },
    { filter: { tags: ['rust'] }, destination: { sink: 'capture', target: 'one' } },
  );
  id = report.subscription.id;
});
afterEach(() => lab.close());

const reminders = () =>
  lab.notices.flatMap(({ kind, account, reminder }) =>
    kind === 'reminder' ? [[account, reminder?.kind, reminder?.posting.key]] : [],
  );

/** Posts jobs, and saves them as the reader who got them. */
async function saved(...jobs: readonly ReturnType<typeof job>[]) {
  await lab.post(...jobs);
  await lab.poll(id);
  for (const { id: key } of jobs) await lab.services.markKept('alice', `id:${key}`, 'saved');
}

const dayIn = (days: number) => new Date(lab.clock.now() + days * DAY).toISOString().slice(0, 10);
const closing = (n: number, days: number) =>
  job(n, { description: `<p>Rust.</p><p>Apply by ${dayIn(days)}.</p>` });

/** Goes to the next time that is `hour` o'clock UTC, and sends what is due. */
async function until(hour: number): Promise<void> {
  const now = lab.clock.now();
  const today = now - (now % DAY) + hour * HOUR;
  await lab.advance((today > now ? today : today + DAY) - now);
  await sendReminders(lab.p);
}

async function mornings(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await until(9);
}

test('are off until the person wants them, and then come once, three days before the last day', async () => {
  await saved(closing(11, 6));
  await mornings(4);
  expect(reminders()).toEqual([]);
  expect(await lab.services.reminders('alice')).toBe(false);
  await lab.services.setReminders('alice', true);
  expect(await lab.services.reminders('alice')).toBe(true);
  await saved(closing(12, 6));
  await sendReminders(lab.p);
  expect(reminders()).toEqual([]);
  await mornings(1);
  expect(reminders()).toEqual([['alice', 'deadline', 'id:11']]);
  await mornings(3);
  expect(reminders()).toEqual([
    ['alice', 'deadline', 'id:11'],
    ['alice', 'deadline', 'id:12'],
  ]);
  const [first] = lab.notices.filter(({ kind }) => kind === 'reminder');
  expect(first?.reminder?.posting.applyUrl).toBe(closing(11, 6).apply_url);
});

test('ask about an application after a week, again on request, and without its link', async () => {
  await saved(job(11));
  await lab.services.setReminders('alice', true);
  await lab.services.moveMarked('alice', 'id:11', 'applied');
  await mornings(7);
  expect(reminders()).toEqual([]);
  await mornings(1);
  expect(reminders()).toEqual([['alice', 'reply', 'id:11']]);
  expect(lab.notices.at(-1)?.reminder?.posting).not.toHaveProperty('applyUrl');
  await lab.services.remindLater('alice', 'id:11');
  await mornings(6);
  expect(reminders()).toHaveLength(1);
  await mornings(1);
  expect(reminders()).toHaveLength(2);
  await mornings(10);
  expect(reminders()).toHaveLength(2);
});

test('stop when they are turned off, and with the account; the export says whether they are on', async () => {
  const on = async () => ((await lab.services.exportAccount('alice')) as { reminders: boolean }).reminders;
  await saved(closing(11, 4));
  await lab.services.setReminders('alice', true);
  expect(await on()).toBe(true);
  await lab.services.setReminders('alice', false);
  await mornings(3);
  expect(reminders()).toEqual([]);
  await lab.services.setReminders('alice', true);
  await lab.services.eraseAccount('alice');
  expect((await lab.rows()).filter((row) => row.includes('reminders:'))).toEqual([]);
});

test('wait until the quiet hours of the person’s own places have ended', async () => {
  await lab.change(id, (before) => ({
    ...before,
    destinations: before.destinations.map((one) => ({
      ...one,
      quiet: { from: '08:00', to: '14:00', timezone: 'UTC' },
    })),
  }));
  lab.sinks.set('capture', { ...lab.sink, isPrivate: () => true } as never);
  await saved(closing(11, 3));
  await lab.services.setReminders('alice', true);
  await until(9);
  await until(13);
  expect(reminders()).toEqual([]);
  await until(14);
  expect(reminders()).toHaveLength(1);
});

test('at most five come at once, the deadlines first; the others come an hour later', async () => {
  await saved(...Array.from({ length: 7 }, (_, n) => closing(n + 11, 10)));
  await lab.services.moveMarked('alice', 'id:11', 'applied');
  await lab.services.setReminders('alice', true);
  await mornings(8);
  const kinds = () => reminders().map(([, kind]) => kind);
  expect(kinds()).toEqual(Array(5).fill('deadline'));
  await until(10);
  expect(kinds()).toEqual([...Array(6).fill('deadline'), 'reply']);
});

test('one that reaches no one is tried again the next morning, and one that fails the next hour', async () => {
  await saved(closing(11, 3));
  await lab.services.setReminders('alice', true);
  const { send } = lab.p.notices;
  let tries = 0;
  Object.assign(lab.p.notices, { send: async () => ++tries > 99 });
  for (const hour of [9, 10, 15, 8]) await until(hour);
  expect(tries).toBe(1);
  Object.assign(lab.p.notices, { send });
  lab.broken.set('marks.get', new Error('the disk is full'));
  await until(9);
  expect(lab.logs.map(({ message }) => message)).toContain('reminders not sent, tried again in an hour');
  lab.broken.clear();
  expect(reminders()).toEqual([]);
  await until(10);
  expect(reminders()).toHaveLength(1);
});

test('nothing is sent while nothing can be written', async () => {
  await saved(closing(11, 3));
  await lab.services.setReminders('alice', true);
  for (const table of ['misc', 'marks']) lab.broken.set(`${table}.update`, new Error('the disk is full'));
  for (const hour of [9, 10, 11]) await until(hour);
  expect(reminders()).toEqual([]);
  lab.broken.clear();
  await until(12);
  expect(reminders()).toHaveLength(1);
});

test('the others wait when the service stops', async () => {
  await saved(closing(11, 3));
  await lab.services.setReminders('alice', true);
  await lab.advance(DAY);
  await sendReminders(lab.p, AbortSignal.abort());
  expect(reminders()).toEqual([]);
  await sendReminders(lab.p);
  expect(reminders()).toHaveLength(1);
});

test('a posting that is moved while its reminder is sent keeps its new stage', async () => {
  await saved(closing(11, 3));
  await lab.services.setReminders('alice', true);
  const { send } = lab.p.notices;
  Object.assign(lab.p.notices, {
    send: async (...args: Parameters<typeof send>) => {
      await lab.services.moveMarked('alice', 'id:11', 'applied');
      return send(...args);
    },
  });
  await mornings(1);
  const [mark] = await lab.services.marks('alice');
  expect(mark).toMatchObject({ mark: 'applied' });
  expect(mark).not.toHaveProperty('remindedAt');
});
