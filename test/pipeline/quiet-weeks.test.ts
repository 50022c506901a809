// Which weeks without a posting are told, and what nearly matched in them.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pausedFrom, resumedFrom } from '../../src/domain/subscription.js';
import { tellQuietWeeks } from '../../src/pipeline/quiet-weeks.js';
import type { QuietWeek, Sink } from '../../src/ports/sink.js';
import { createCaptureSink, outage } from '../helpers/capture-sink.js';
import { DAY, HOUR, job, type Lab, MINUTE, openLab } from '../helpers/lab.js';
import { putFound, putMatches } from '../helpers/put.js';

/** The digest's slots: Mondays at 09:00. The lab starts on the first of them, an hour before. */
const MONDAY = Date.UTC(2026, 10, 23, 9);
const NEXT = MONDAY + 7 * DAY;
const WEEKLY = { weekly: 'monday', at: '09:00' };
const place = (target = 'x', more: object = { quietWeek: true }) => ({
  sink: 'quiet',
  target,
  cadence: WEEKLY,
  options: more,
});

let lab: Lab;
let told: QuietWeek[];
let fault: Error | undefined;
let guard: ((body: string) => void) | undefined;

beforeEach(async () => {
  told = [];
  fault = undefined;
  guard = undefined;
  const quiet: Sink = {
    ...createCaptureSink('quiet'),
    quietWeek: async (week, context) => {
      told.push(week);
      guard = (body) => context.guard({ format: 'html', body });
      if (fault) throw fault;
    },
  };
  lab = await openLab({ sinks: [quiet] });
});
afterEach(() => lab.close());

async function begin(entry: object = {}): Promise<void> {
  await lab.add({ schedule: '0 8 * * *', destinations: [place()], ...entry });
  await lab.poll();
}

/** Makes the last poll before `at`, and looks then. */
async function look(at: number): Promise<QuietWeek[]> {
  const poll = at - (at % DAY) + 8 * HOUR;
  for (const time of [poll > at ? poll - DAY : poll, at])
    if (time > lab.clock.now()) await lab.advance(time - lab.clock.now());
  told = [];
  await tellQuietWeeks(lab.p);
  return told;
}

describe('a week without a posting', () => {
  test('is told once, after its slot and within a day', async () => {
    await begin();
    expect(await look(NEXT - 1)).toEqual([]);
    expect(await look(NEXT + HOUR)).toMatchObject([
      {
        account: 'operator',
        subscription: 's',
        destination: { target: 'x' },
        from: MONDAY,
        slot: NEXT,
        about: 'about s',
        source: 'Example Jobs',
        locale: 'en',
        misses: [],
      },
    ]);
    expect(await look(NEXT + 2 * HOUR)).toEqual([]);
    expect(lab.logs.filter(({ message }) => message === 'quiet week mail sent')).toMatchObject([
      {
        level: 'info',
        fields: { subscription: 's', destination: told[0]?.destination.id ?? expect.any(String) },
      },
    ]);
    expect(await look(NEXT + 7 * DAY)).toMatchObject([{ from: NEXT, slot: NEXT + 7 * DAY }]);
  });

  test('is no news a day later', async () => {
    await begin();
    expect(await look(NEXT + DAY + 1)).toEqual([]);
    expect(await look(NEXT + 8 * DAY)).toHaveLength(1);
  });

  test('is told only where that was chosen, and by sinks that can', async () => {
    const plain = { sink: 'quiet', target: 'e', cadence: WEEKLY };
    await begin({
      locale: 'de',
      destinations: [
        place('a'),
        place('b', {}),
        place('c', { quietWeek: false }),
        { ...place('d'), sink: 'capture' },
        plain,
        place('f'),
      ],
    });
    await lab.change('s', (before) => ({
      ...before,
      destinations: before.destinations.map((one) =>
        one.target === 'f' ? { ...one, cadence: { every: 'daily', at: '09:00', timezone: 'UTC' } } : one,
      ),
    }));
    expect(await look(NEXT)).toMatchObject([{ destination: { target: 'a' }, locale: 'de' }]);
    expect(lab.logs.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  test('is told to each subscription', async () => {
    await begin();
    await lab.add({ id: 't', schedule: '0 8 * * *', destinations: [place()] });
    await lab.poll('t');
    expect((await look(NEXT)).map(({ subscription }) => subscription).toSorted()).toEqual(['s', 't']);
  });

  test('is not told again when it failed, which is logged', async () => {
    await begin();
    fault = outage();
    expect(await look(NEXT)).toHaveLength(1);
    expect(lab.logs.at(-1)).toEqual({
      level: 'warn',
      fields: { subscription: 's', reason: 'the recipient does not answer' },
      message: 'message about a quiet week not sent',
    });
    fault = undefined;
    expect(await look(NEXT + HOUR)).toEqual([]);
  });
});

describe('a week is not told', () => {
  test('if the subscription is newer', async () => {
    lab.clock.advance(HOUR + MINUTE);
    await begin();
    expect(await look(NEXT)).toEqual([]);
    expect(await look(NEXT + 7 * DAY)).toHaveLength(1);
  });

  test('if the subscription is paused, or was resumed in it', async () => {
    await begin();
    await lab.change('s', (before) => pausedFrom(before, lab.clock.now()));
    expect(await look(NEXT)).toEqual([]);
    await lab.advance(MINUTE);
    await lab.change('s', (before) => resumedFrom(before, lab.clock.now()));
    expect(await look(NEXT + 7 * DAY)).toEqual([]);
    expect(await look(NEXT + 14 * DAY)).toHaveLength(1);
  });

  test('if no request was answered on its last day', async () => {
    await begin();
    lab.front.answer({ status: 503 });
    expect(await look(NEXT)).toEqual([]);
  });

  test.each([
    ['in the week', MONDAY + 3 * DAY],
    ['right before its slot', NEXT - HOUR - MINUTE],
  ])('if a posting matched %s', async (_when, at) => {
    await begin();
    while (lab.clock.now() + DAY < at) await lab.advance(DAY);
    await lab.advance(at - lab.clock.now());
    await lab.post(job(2));
    await lab.poll();
    expect(await look(NEXT)).toEqual([]);
    expect(await look(NEXT + 7 * DAY)).toHaveLength(1);
  });

  test.each([
    ['an hour before it', MONDAY - HOUR, 1],
    ['in its first hour', MONDAY + HOUR - 1, 0],
    ['in its last hour', NEXT - 1, 0],
    ['after it', NEXT, 1],
  ])('if a match is counted in it: %s', async (_when, at, count) => {
    await begin();
    await look(NEXT - MINUTE);
    await putMatches(lab.stores.ledgers, 's', { now: at, count: 1, isFirst: false });
    expect(await look(NEXT + MINUTE)).toHaveLength(count);
  });

  test.each([
    [0, 1],
    [1, 0],
  ])('if counting began %i ms after its begin', async (ms, count) => {
    await begin();
    const at = MONDAY + ms;
    await putMatches(lab.stores.ledgers, 's', { now: at, count: 0, isFirst: true });
    expect(await look(NEXT)).toHaveLength(count);
  });

  test.each(['posting', 'edition', 'last edition', 'nothing of another destination'])(
    'if the ledger has an unsent %s',
    async (what) => {
      await begin();
      await look(NEXT - MINUTE);
      const [{ id } = { id: '' }] = (await lab.stores.subscriptions.get('s'))!.destinations;
      const edition = {
        id: 'e',
        destination: what.startsWith('nothing') ? 'elsewhere' : id,
        every: 'weekly' as const,
        from: 0,
        slot: 0,
        parts: [['id:9']],
        sent: 0,
        rest: [],
        cutAt: 0,
        attempts: 0,
        outages: 0,
        waited: 0,
        nextAt: NEXT + DAY,
      };
      const owed = { posting: { key: 'id:9' }, matched: [], at: MONDAY, to: [id] };
      await lab.p.ledgers.update('s', (before) => ({
        ledger: {
          ...before,
          ...(what === 'posting' ? { outbox: [owed] } : {}),
          ...(what.includes('nothing') || what === 'edition' ? { editions: [edition] } : {}),
          ...(what === 'last edition' ? { lastEdition: { [id]: MONDAY + 1 } } : {}),
        },
        result: undefined,
      }));
      lab.clock.advance(MINUTE);
      await tellQuietWeeks(lab.p);
      expect(told).toHaveLength(what.startsWith('nothing') ? 1 : 0);
    },
  );

  test('if a posting waits there from before', async () => {
    await begin();
    lab.clock.advance(30 * MINUTE);
    await lab.post(job(2));
    await lab.poll();
    await lab.change('s', (before) => ({
      ...before,
      destinations: [
        { ...before.destinations[0]!, cadence: { ...before.destinations[0]!.cadence, at: '08:00' } },
      ],
    }));
    expect(await look(NEXT - HOUR)).toEqual([]);
  });
});

describe('what nearly matched', () => {
  const filter = { include: ['zk'], exclude: ['intern'] };
  const near = (id: number, title = `Job ${id}`) => job(id, { title });

  async function week(...postings: ReturnType<typeof job>[]): Promise<QuietWeek['misses']> {
    await begin({ filter });
    await lab.advance(DAY);
    for (const one of postings) {
      await lab.post(one);
      await lab.poll();
    }
    const [found] = await look(NEXT);
    return found?.misses ?? [];
  }

  test('is the two newest postings that one rule alone left out', async () => {
    const misses = await week(near(2), near(3), near(4), near(5, 'Intern'));
    expect(misses.map(({ posting, rule }) => [posting.key, rule])).toEqual([
      ['id:4', 'include: zk'],
      ['id:3', 'include: zk'],
    ]);
    // Its output is checked as that of a digest is.
    expect(() => guard?.('<p>operator-token-1</p>')).toThrow('it contains the API token');
    expect(() => guard?.('<p>nothing</p>')).toThrow('posting id:4: its apply link is missing or was altered');
  });

  test.each([
    [MONDAY, 0],
    [MONDAY + 1, 1],
    [NEXT, 1],
    [NEXT + 1, 0],
  ])('is what was found in the week: at %i', async (at, count) => {
    await begin({ filter });
    await look(NEXT - MINUTE);
    const posting = { key: 'id:8', title: 'Job' };
    for (const subscription of ['s', 'other'])
      await putFound(lab.stores.ledgers, 'operator', [
        { at, subscription, posting: { ...posting, key: `id:${subscription}` } },
      ]);
    expect((await look(NEXT + MINUTE))[0]?.misses.map((one) => one.posting.key)).toEqual(
      count === 0 ? [] : ['id:s'],
    );
  });

  test('is of that week and that subscription', async () => {
    await lab.add({ id: 'other', filter: { include: ['never'] }, schedule: '0 0 1 1 *' });
    await lab.poll('other');
    await begin({ filter });
    await lab.post(near(2));
    await lab.poll();
    expect((await look(NEXT))[0]?.misses).toEqual([]);
    await lab.post(near(3));
    await lab.poll('other');
    expect((await look(NEXT + 7 * DAY))[0]?.misses.map(({ posting }) => posting.key)).toEqual(['id:3']);
  });
});
