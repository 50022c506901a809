// What owners are told about polls, word for word, and when nothing is said.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pausedFrom } from '../../src/domain/subscription.js';
import {
  mayBeSilent,
  tellGaps,
  tellRekeyed,
  watchLoad,
  watchLoads,
  watchSilence,
  watchSilences,
} from '../../src/pipeline/poll-trouble.js';
import { leaveServer } from '../../src/pipeline/servers.js';
import { createCaptureSink } from '../helpers/capture-sink.js';
import { DAY, type Lab, MINUTE, openLab } from '../helpers/lab.js';

let lab: Lab;
beforeEach(async () => {
  const named = {
    ...createCaptureSink('named'),
    nameOf: async () => ({ channel: 'jobs', server: 'Rust Berlin' }),
  };
  lab = await openLab({ sinks: [named] });
});
afterEach(() => lab.close());

const lines = () =>
  lab.logs.filter(({ level }) => level === 'warn').map(({ fields, message }) => [message, fields]);

describe('a suspected gap', () => {
  test('is told with its tags, logged, counted, and in the history', async () => {
    const subscription = await lab.add({ filter: { tags: ['rust', 'golang'] } });
    await tellGaps(lab.p, subscription, ['rust||', 'golang||'], 5000);
    const text =
      'There were more new postings for rust, golang than one answer holds, so some may have been missed. jobcrier now asks for more postings and looks more often for a day; a narrower filter or a shorter schedule prevents it.';
    expect(lab.notices).toEqual([
      {
        kind: 'gap',
        subject: 's',
        account: 'operator',
        subscription: 's',
        text,
        data: { about: 'about s', tags: 'rust, golang' },
      },
    ]);
    expect(lab.figures).toContainEqual(['gaps_suspected_total', {}, 2]);
    expect(lines()[0]).toEqual([
      'gap suspected: an answer was full and ended in a new posting',
      { subscription: 's', questions: ['rust||', 'golang||'] },
    ]);
    expect(await lab.p.history.events('s')).toMatchObject([{ at: 5000, kind: 'gap', why: 'rust, golang' }]);
  });

  test('of a question without a tag names none', async () => {
    const subscription = await lab.add({});
    await tellGaps(lab.p, subscription, ['||'], 5000);
    expect(lab.notices[0]?.text).toMatch(/^There were more new postings than one answer holds/u);
    expect(lab.notices[0]?.data).toEqual({ about: 'about s' });
    expect((await lab.p.history.events('s'))[0]).not.toHaveProperty('why');
  });
});

test('new keys of all postings are told once in 30 days', async () => {
  const subscription = await lab.add({});
  for (let day = 0; day < 30; day++) {
    await tellRekeyed(lab.p, subscription, ['||']);
    lab.clock.advance(DAY - 1);
  }
  expect(lab.notices).toEqual([
    {
      kind: 'keys',
      subject: 's',
      account: 'operator',
      subscription: 's',
      text: 'The jobs board has given all its postings new ids. They were recognised by title and company and are not announced again; new ones still are. You need not do anything.',
      data: { about: 'about s' },
      forMs: 30 * DAY,
    },
  ]);
  expect(lines()[0]).toEqual([
    'the keys of the feed have changed, its postings were recognised by title and company',
    { subscription: 's', questions: ['||'] },
  ]);
  lab.clock.advance(30);
  await tellRekeyed(lab.p, subscription, ['||']);
  expect(lab.notices).toHaveLength(2);
});

describe('silence', () => {
  test('may begin a day after a match, and never without one', () => {
    expect(mayBeSilent({}, 10 * DAY)).toBe(false);
    expect(mayBeSilent({ matchedAt: 0 }, DAY - 1)).toBe(false);
    expect(mayBeSilent({ matchedAt: 0 }, DAY)).toBe(true);
  });

  test('is told after the days of the setting, and not a moment sooner', async () => {
    const subscription = await lab.add({});
    await watchSilence(lab.p, subscription, 0, 14 * DAY - 1);
    expect(lab.notices).toEqual([]);
    await watchSilence(lab.p, subscription, 0, 14 * DAY);
    await watchSilence(lab.p, subscription, 0, 15 * DAY);
    expect(lab.notices).toEqual([
      {
        kind: 'silence',
        subject: 's',
        account: 'operator',
        subscription: 's',
        text: 'Nothing has matched for 14 days. A wider filter may help: fewer words, more tags, or no country.',
        data: { days: 14, about: 'about s' },
      },
    ]);
    // A match in between ends it.
    await watchSilence(lab.p, subscription, 15 * DAY, 16 * DAY);
    await watchSilence(lab.p, subscription, 15 * DAY, 30 * DAY);
    expect(lab.notices).toHaveLength(2);
  });

  describe('of a subscription that is polled', () => {
    beforeEach(async () => {
      await lab.add({ filter: { include: ['zk'] } });
      await lab.poll();
      await lab.poll();
    });

    test.each([
      [-1, 0],
      [0, 1],
    ])('is counted up to the last poll: %i ms from 14 days, %i notices', async (ms, count) => {
      const matchedAt = (await lab.stores.ledgers.owed('s'))?.matchedAt ?? Number.NaN;
      lab.clock.advance(matchedAt + 14 * DAY + ms - MINUTE - lab.clock.now());
      await lab.poll();
      lab.clock.advance(DAY);
      await watchSilences(lab.p);
      expect(lab.notices).toHaveLength(count);
    });

    test('is not told while it is paused, or after it was removed', async () => {
      lab.clock.advance(15 * DAY);
      await lab.stores.subscriptions.update('s', (before) => before && pausedFrom(before, lab.clock.now()));
      await watchSilences(lab.p);
      expect(lab.notices).toEqual([]);
      await lab.stores.subscriptions.remove('s');
      await watchSilences(lab.p);
      expect(lab.notices).toEqual([]);
    });

    test('is not told if no request was made meanwhile, because then nothing could match', async () => {
      lab.clock.advance(15 * DAY);
      await watchSilences(lab.p);
      expect(lab.notices).toEqual([]);
    });
  });
});

describe('a server that the bot has left', () => {
  async function begin(...ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      await lab.add({ id, account: 'alice', destinations: [{ sink: 'named', target: id }] });
      await lab.change(id, (before) => ({ ...before, guild: 'g' }));
    }
    await leaveServer(lab.p, 'g');
  }

  test('is named, with the only subscription that delivered there', async () => {
    await begin('a');
    expect(lab.notices).toEqual([
      {
        kind: 'left',
        subject: 'alice:g',
        account: 'alice',
        text: 'The bot was removed from a Discord server, so subscriptions that deliver there have stopped (1). Invite it again and they resume, or choose another place with /jobs edit; after 30 days they are deleted.',
        subscription: 'a',
        data: { count: 1, days: 30, server: 'Rust Berlin' },
        forMs: 30 * DAY,
      },
    ]);
  });

  test('is told once for several subscriptions, without naming one', async () => {
    await begin('a', 'b');
    expect(lab.notices).toMatchObject([{ data: { count: 2 } }]);
    expect(lab.notices[0]).not.toHaveProperty('subscription');
  });
});

test('the load of an account that can not be made in time is told, and ends when it fits again', async () => {
  const tags = ['rust', 'defi', 'dao'];
  await lab.close();
  lab = await openLab({ settings: { spacingMs: 60_000 } });
  await lab.add({ account: 'alice', filter: { tags }, schedule: '* * * * *' });
  await watchLoad(lab.p, 'alice');
  await watchLoads(lab.p);
  const told = lab.notices.filter(({ kind }) => kind === 'load');
  expect(told).toMatchObject([
    {
      subject: 'alice',
      account: 'alice',
      text: expect.stringMatching(
        /^Your subscriptions need 3 different requests, more than one API token can make as often as they are due\. They are made as fast as the API allows, so postings come later\. Fewer tags or fewer subscriptions help; at an interval of .+ all of them fit\.$/u,
      ),
      data: { requests: 3, minutes: expect.any(Number) },
    },
  ]);
  await lab.change('s', (before) => ({ ...before, schedule: { ...before.schedule, cron: '0 0 * * *' } }));
  await watchLoads(lab.p);
  expect(await lab.stores.notices.get('load:alice')).toBeUndefined();
});
