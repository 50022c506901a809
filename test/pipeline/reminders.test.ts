// What a reminder says, to whom it goes, when the next one comes, and that a mark that changed meanwhile stays.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { postingRef } from '../../src/domain/edition.js';
import { OPERATOR, readerOf } from '../../src/domain/subscription.js';
import { sendReminders, setReminders, wantsReminders } from '../../src/pipeline/reminders.js';
import type { Notice } from '../../src/ports/notice.js';
import type { Marks } from '../../src/ports/stores.js';
import { DAY, HOUR, type Lab, openLab } from '../helpers/lab.js';

type Entry = Marks['postings'][string];

/** Monday, 23 November 2026, 09:00 UTC, an hour after the lab starts: the first morning. */
const MORNING = Date.UTC(2026, 10, 23, 9);
const WEEK = 7 * DAY;

let lab: Lab;
beforeEach(async () => {
  lab = await openLab();
  lab.sinks.set('capture', { ...lab.sink, isPrivate: (target: string) => target.startsWith('dm:') });
});
afterEach(() => lab.close());

const link = (id: string) => `https://board.example/r/j${id}__p`;
/** Saved, with the last day to apply three days after the first morning. */
const closing = (id: string, more: Partial<Entry> = {}): Entry => ({
  mark: 'saved',
  at: 5,
  posting: {
    key: `id:${id}`,
    title: `Job ${id}`,
    applyUrl: link(id),
    applyBy: { day: '2026-11-26' } as never,
  },
  ...more,
});
/** Applied to a week before the first morning. */
const applied = (id: string, more: Partial<Entry> = {}): Entry => ({
  mark: 'applied',
  at: MORNING - WEEK,
  posting: { key: `id:${id}`, title: `Job ${id}`, applyUrl: link(id) },
  ...more,
});

async function mark(reader: string, ...entries: readonly Entry[]): Promise<void> {
  const postings = Object.fromEntries(entries.map((one) => [one.posting.key, one]));
  await lab.stores.marks.set(reader, { postings, hiddenCompanies: [], hiddenTags: [] });
}
const marks = async (reader: string) => (await lab.stores.marks.get(reader))?.postings ?? {};

/** Goes to a time and sends what is due; resolves to what was sent. */
async function at(time: number): Promise<Notice[]> {
  lab.clock.advance(time - lab.clock.now());
  lab.notices.length = 0;
  await sendReminders(lab.p);
  return [...lab.notices];
}
const keys = (notices: readonly Notice[]) => notices.map(({ reminder }) => reminder?.posting.key);

describe('a reminder to a person with an account', () => {
  beforeEach(() => setReminders(lab.p, 'alice', true));

  test('of the last day has the apply link as it is, and comes once', async () => {
    await mark('alice', closing('1'));
    expect(await at(MORNING - 1)).toEqual([]);
    expect(await at(MORNING)).toEqual([
      {
        kind: 'reminder',
        subject: `alice:${postingRef('id:1')}:5`,
        account: 'alice',
        text: 'The last day to apply to a saved posting is near.',
        reminder: { kind: 'deadline', at: 5, timezone: 'UTC', posting: closing('1').posting },
      },
    ]);
    expect(lab.logs.at(-1)).toEqual({
      level: 'info',
      fields: { account: 'alice', posting: postingRef('id:1'), kind: 'deadline' },
      message: 'reminder sent',
    });
    expect((await marks('alice'))['id:1']).toEqual({ ...closing('1'), remindedAt: MORNING });
    expect(await at(MORNING + DAY)).toEqual([]);
  });

  test('of an application has no link, and its subject is that of the time it was asked for', async () => {
    await mark('alice', applied('1'), applied('2', { remindAt: MORNING }));
    const found = await at(MORNING);
    expect(found).toMatchObject([
      { subject: `alice:${postingRef('id:1')}:${MORNING - WEEK}`, text: 'Did you hear back?' },
      { subject: `alice:${postingRef('id:2')}:${MORNING}`, reminder: { kind: 'reply', at: MORNING - WEEK } },
    ]);
    expect(JSON.stringify(found)).not.toContain('board.example');
    expect((await marks('alice'))['id:2']).not.toHaveProperty('remindAt');
  });

  test('comes in the morning of the person’s time zone', async () => {
    await lab.stores.accounts.update(
      'alice',
      (before) => before && { ...before, timezone: 'America/New_York' },
    );
    await setReminders(lab.p, 'alice', false);
    await setReminders(lab.p, 'alice', true);
    await mark('alice', closing('1'));
    expect(await at(MORNING + 5 * HOUR - 1)).toEqual([]);
    expect(await at(MORNING + 5 * HOUR)).toMatchObject([{ reminder: { timezone: 'America/New_York' } }]);
  });

  test('without the record of an account comes in the morning in UTC', async () => {
    await setReminders(lab.p, 'nemo', true);
    await mark('nemo', closing('1'));
    expect(await at(MORNING)).toMatchObject([{ account: 'nemo', reminder: { timezone: 'UTC' } }]);
  });

  test.each([
    [5, MORNING + DAY],
    [6, MORNING + HOUR],
  ])('five at most: with %i, the next time is %i', async (count, next) => {
    await mark('alice', ...Array.from({ length: count }, (_, n) => closing(String(n))));
    expect(await at(MORNING)).toHaveLength(5);
    expect(await lab.stores.misc.get('reminders:alice')).toEqual({ at: next });
  });

  test('that reaches no one is not recorded, and tried the next morning, even with more than five', async () => {
    await mark('alice', ...Array.from({ length: 6 }, (_, n) => closing(String(n))));
    Object.assign(lab.p.notices, { send: async () => false });
    await at(MORNING);
    expect(await lab.stores.misc.get('reminders:alice')).toEqual({ at: MORNING + DAY });
    expect((await marks('alice'))['id:0']).toEqual(closing('0'));
  });

  test('says when the marks are looked at next, also without one that is due', async () => {
    await mark('alice');
    expect(await at(MORNING)).toEqual([]);
    expect(await lab.stores.misc.get('reminders:alice')).toEqual({ at: MORNING + DAY });
  });

  test('waits for the end of the longest quiet hours, but only if one is due', async () => {
    const quiet = (target: string, to: string) => ({
      sink: 'capture',
      target,
      quiet: { from: '08:30', to },
    });
    await lab.add({
      id: 'q',
      account: 'alice',
      destinations: [quiet('dm:1', '11:00'), quiet('dm:2', '10:00'), quiet('channel', '15:00')],
    });
    await lab.add({ id: 'off', account: 'alice', destinations: [quiet('dm:3', '12:00')] });
    await lab.change('off', (before) => ({
      ...before,
      destinations: before.destinations.map((one) => ({ ...one, sink: 'gone' })),
    }));
    await mark('alice');
    await at(MORNING);
    expect(await lab.stores.misc.get('reminders:alice')).toEqual({ at: MORNING + DAY });
    await setReminders(lab.p, 'alice', false);
    await lab.stores.misc.set('reminders:alice', { at: MORNING });
    await mark('alice', closing('1'));
    expect(await at(MORNING)).toEqual([]);
    expect(await lab.stores.misc.get('reminders:alice')).toEqual({ at: Date.UTC(2026, 10, 23, 11) });
    expect(await at(Date.UTC(2026, 10, 23, 11))).toHaveLength(1);
  });

  test('changes no mark that the person changed, moved or removed meanwhile', async () => {
    await mark('alice', closing('1'), closing('2'), closing('3'), closing('4'));
    const { send } = lab.p.notices;
    const now: Record<string, Entry | undefined> = {
      'id:1': closing('1', { mark: 'dismissed' }),
      'id:2': closing('2', { at: 6 }),
      'id:3': undefined,
      'id:4': closing('4'),
    };
    Object.assign(lab.p.notices, {
      send: async (notice: Notice) => {
        await mark('alice', ...Object.values(now).filter((one) => one !== undefined));
        return send(notice);
      },
    });
    expect(await at(MORNING)).toHaveLength(4);
    expect(await marks('alice')).toEqual({
      'id:1': now['id:1'],
      'id:2': now['id:2'],
      'id:4': closing('4', { remindedAt: MORNING }),
    });
    await setReminders(lab.p, 'bob', true);
    await mark('bob', closing('9'));
    Object.assign(lab.p.notices, { send: async () => lab.stores.marks.delete('bob').then(() => true) });
    await at(MORNING + DAY);
    expect(await lab.stores.marks.get('bob')).toBeUndefined();
  });

  test('that fails is logged, the others are sent, and none is sent after the stop', async () => {
    await setReminders(lab.p, 'bob', true);
    await mark('alice', closing('1'));
    await mark('bob', closing('2'));
    const { send } = lab.p.notices;
    Object.assign(lab.p.notices, {
      send: async (notice: Notice) => {
        if (notice.account === 'alice') throw new Error('no way');
        return send(notice);
      },
    });
    expect(keys(await at(MORNING))).toEqual(['id:2']);
    expect(lab.logs.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        fields: { account: 'alice', reason: 'no way' },
        message: 'reminders not sent, tried again in an hour',
      },
    ]);
    expect(await lab.stores.misc.get('reminders:alice')).toEqual({ at: MORNING + HOUR });
    await sendReminders(lab.p, AbortSignal.abort());
    expect(lab.notices).toHaveLength(1);
  });

  test('is not turned on again when it was turned off while it was sent', async () => {
    await mark('alice', closing('1'));
    Object.assign(lab.p.notices, { send: async () => setReminders(lab.p, 'alice', false).then(() => true) });
    await at(MORNING);
    expect(await wantsReminders(lab.p, 'alice')).toBe(false);
  });
});

describe('a reminder to a reader of the operator’s subscriptions', () => {
  async function begin(id: string, account = OPERATOR, more: object = {}): Promise<string> {
    const cadence = { weekly: 'monday', at: '09:00', timezone: 'Asia/Tokyo' };
    const subscription = await lab.add({
      id,
      account,
      destinations: [
        { sink: 'capture', target: 'other' },
        { sink: 'capture', target: 'dm:1', cadence },
      ],
      ...more,
    });
    return readerOf(OPERATOR, subscription.destinations[1]?.id ?? '');
  }

  test('goes to the first of the reader’s mails that is still wanted, in the reader’s zone', async () => {
    const reader = await begin('a', OPERATOR, { locale: 'de' });
    await begin('b');
    await begin('theirs', 'alice');
    lab.clock.advance(DAY);
    await setReminders(lab.p, reader, true);
    expect(await lab.stores.misc.get(`reminders:${reader}`)).toEqual({ at: Date.UTC(2026, 10, 25) });
    await mark(reader, closing('1'));
    const asked: unknown[] = [];
    const { send } = lab.p.notices;
    Object.assign(lab.p.notices, {
      send: async (notice: Notice) => {
        const { subscription, destination, locale } = notice.reader!;
        asked.push([notice.account, subscription, destination.target, locale]);
        return subscription === 'b' && send(notice);
      },
    });
    expect(await at(Date.UTC(2026, 10, 25))).toMatchObject([
      { account: reader, reader: { subscription: 'b' }, reminder: { timezone: 'Asia/Tokyo' } },
    ]);
    expect(asked.toSorted()).toEqual([
      [reader, 'a', 'dm:1', 'de'],
      [reader, 'b', 'dm:1', undefined],
    ]);
    expect((await marks(reader))['id:1']).toHaveProperty('remindedAt');
  });

  test('is not recorded as sent if none of the mails is wanted', async () => {
    const reader = await begin('a');
    await setReminders(lab.p, reader, true);
    await mark(reader, closing('1'));
    Object.assign(lab.p.notices, { send: async () => false });
    await at(Date.UTC(2026, 10, 24));
    expect((await marks(reader))['id:1']).not.toHaveProperty('remindedAt');
  });

  test('waits for the quiet hours of that destination alone', async () => {
    const quiet = (to: string) => ({ from: '00:00', to });
    const reader = await begin('a', OPERATOR, {
      destinations: [
        { sink: 'capture', target: 'dm:2', quiet: quiet('20:00') },
        { sink: 'capture', target: 'dm:1', quiet: quiet('10:00') },
      ],
    });
    await setReminders(lab.p, reader, true);
    await mark(reader, closing('1'));
    expect(await at(MORNING)).toEqual([]);
    expect(await lab.stores.misc.get(`reminders:${reader}`)).toEqual({ at: Date.UTC(2026, 10, 23, 10) });
  });

  test('ends with the subscription', async () => {
    const reader = await begin('a');
    await setReminders(lab.p, reader, true);
    await mark(reader, closing('1'));
    await lab.change('a', () => undefined);
    expect(await at(Date.UTC(2026, 10, 24))).toEqual([]);
    expect(await wantsReminders(lab.p, reader)).toBe(false);
  });
});
