// From the board to the recipient: new postings are sent once, others are not sent, and `why` answers for each.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MAX_LIMIT, parseFilter } from '../../src/domain/filter.js';
import { secret } from '../../src/domain/secret.js';
import { DAY, HOUR, job, type Lab, openLab } from '../helpers/lab.js';
import { put } from '../helpers/put.js';

let lab: Lab;
beforeEach(async () => {
  lab = await openLab({ jobs: [job(1), job(2)], pages: true });
});
afterEach(() => lab.close());

const titles = () => lab.sink.messages.flatMap((one) => one.postings.map(({ title }) => title));

describe('the first poll', () => {
  test('sends nothing', async () => {
    await lab.add({});
    expect(await lab.poll()).toMatchObject({ outcome: 'baseline', matched: 2 });
    expect(lab.sink.calls).toEqual([]);
    expect(await lab.p.history.events('s')).toMatchObject([{ kind: 'baseline', count: 2 }]);
  });

  test('sends the newest posting when asked to', async () => {
    await lab.add({ newest: 1 });
    await lab.poll();
    expect(lab.sink.got()).toEqual(['1']);
  });
});

describe('later polls', () => {
  beforeEach(async () => {
    await lab.add({ filter: { tags: ['rust'] } });
    await lab.poll();
  });

  test('send each new posting once, oldest first, however the feed moves', async () => {
    await lab.post(job(3), job(4));
    expect(await lab.poll()).toMatchObject({ outcome: 'recorded', matched: 2 });
    expect(lab.sink.got()).toEqual(['3', '4']);
    expect(lab.sink.messages[0]).toMatchObject({
      attempt: 1,
      part: 0,
      parts: 1,
      more: 0,
      every: 'immediate',
    });
    expect(await lab.poll()).toMatchObject({ outcome: 'unchanged' });
    await lab.board.setJobs([job(1), job(4), job(2, { title: 'New title' })]);
    await lab.poll();
    await lab.board.setJobs([job(2), job(3, { postedAt: '2026-11-23' }), job(1), job(5)]);
    await lab.poll();
    expect(lab.sink.got()).toEqual(['3', '4', '5']);
  });

  test('pass the links on byte for byte, with what the reader needs', async () => {
    const link = 'https://board.example/r/x?a=1&b=%20&amp;c=ü';
    await lab.post(
      job(3, { apply_url: link, salary: '$100k', location: 'Berlin', description: '<p>Hi</p>' }),
    );
    await lab.poll();
    expect(lab.sink.messages[0]?.postings[0]).toMatchObject({
      applyUrl: link,
      company: 'Company 3',
      location: 'Berlin',
      description: 'Hi',
      matched: ['rust'],
    });
  });

  test('continue after a long time in which the service was down', async () => {
    await lab.post(job(3));
    await lab.restart();
    lab.clock.advance(40 * DAY);
    await lab.poll();
    expect(lab.sink.got()).toEqual(['3']);
  });

  test('mark nothing and forget nothing when the feed is malformed or empty', async () => {
    lab.front.answer({
      status: 200,
      headers: { 'content-type': 'text/html' },
      body: '<html><body>Hi</body></html>',
    });
    expect(await lab.poll()).toMatchObject({ outcome: 'failed' });
    lab.front.answer(undefined);
    await lab.board.setJobs([]);
    expect(await lab.poll()).toMatchObject({ outcome: 'recorded', matched: 0 });
    await lab.board.setJobs([job(3), job(2), job(1)]);
    await lab.poll();
    expect(lab.sink.got()).toEqual(['3']);
    expect(lab.notices).toEqual([]);
  });

  test('announce a repost only when wanted, and say when the posting was there before', async () => {
    const same = { title: 'Rust Dev', company: 'Acme', location: 'Berlin' };
    await lab.post(job(3, same));
    await lab.poll();
    await lab.post(job(4, same));
    await lab.poll();
    expect(lab.sink.got()).toEqual(['3']);
    expect(await lab.why('4')).toMatchObject({ fate: 'repost', by: 'id:3' });
    await lab.change('s', (before) => ({ ...before, reposts: true }));
    lab.clock.advance(DAY);
    await lab.post(job(5, same));
    await lab.poll();
    expect(lab.sink.messages.at(-1)?.postings).toMatchObject([{ key: 'id:5', seenBefore: '2026-11-23' }]);
  });

  test('say to their reader alone that they are of a job that the reader applied to under another id', async () => {
    const destinations = ['dm:1', 'channel'].map((target) => ({ sink: 'capture', target }));
    await lab.add({ id: 'both', account: 'alice', destinations });
    await lab.poll('both');
    await lab.post(job(3, { title: 'Rust Dev (C++)', company: 'Acme', location: 'Berlin' }), job(4));
    await lab.poll('both');
    const [sent] = await lab.services.editions('alice', 1);
    const index = sent?.postings.findIndex(({ key }) => key === 'id:3') ?? -1;
    await lab.services.mark('alice', sent?.id ?? '', index, 'applied');
    await lab.advance(DAY);
    lab.sink.messages.length = 0;
    await lab.post(
      job(5, { title: 'Rust Dev – C++', company: 'ACME', location: 'Lisbon' }),
      job(6, { title: 'Rust Dev – C', company: 'Acme' }),
      job(7, { title: 'Job 4', company: 'Company 4', location: 'Lisbon' }),
    );
    await lab.poll('both');
    const said = lab.sink.messages.flatMap(({ destination, postings }) =>
      postings.map(({ key, appliedOn }) => `${destination.target} ${key} ${appliedOn}`),
    );
    expect(said.toSorted()).toEqual([
      ...['5', '6', '7'].map((id) => `channel id:${id} undefined`),
      'dm:1 id:5 2026-11-23',
      'dm:1 id:6 undefined',
      'dm:1 id:7 undefined',
    ]);
  });
});

describe('several tags', () => {
  test('are one request each; a posting found by several is sent once, with every reason', async () => {
    await lab.add({ filter: { tags: ['rust', 'defi', 'dao'], include: ['zk'] } });
    await lab.poll();
    await lab.post(
      job(3, { tags: ['defi'], title: 'zk' }),
      job(4, { tags: ['defi', 'rust'], title: 'zk 2' }),
      job(5, { tags: ['golang'], title: 'zk 3' }),
      job(6, { tags: ['dao'] }),
    );
    lab.front.asked.length = 0;
    await lab.poll();
    expect(lab.front.asked.map(({ query }) => query.tag)).toEqual(['rust', 'defi', 'dao']);
    expect(lab.sink.messages[0]?.postings.map(({ key, matched }) => [key, matched])).toEqual([
      ['id:3', ['defi', 'zk']],
      ['id:4', ['rust', 'defi', 'zk']],
    ]);
    expect(await lab.why('6')).toMatchObject({ fate: 'filtered', by: 'include: zk' });
    expect(await lab.why('5')).toMatchObject({ fate: 'unseen', destinations: [] });
  });

  test('lose no news when one of them is unchanged', async () => {
    await lab.add({ filter: { tags: ['rust', 'defi'] } });
    await lab.poll();
    for (let n = 3; n < 8; n++) {
      await lab.post(job(n, { tags: [n % 2 ? 'defi' : 'rust'] }));
      await lab.poll();
    }
    expect(lab.sink.got()).toEqual(['3', '4', '5', '6', '7']);
  });

  test('give a new tag its own baseline while the old ones continue', async () => {
    await lab.add({ filter: { tags: ['rust'] } });
    await lab.post(job(3, { tags: ['defi'] }));
    await lab.poll();
    await lab.post(job(4, { tags: ['defi'] }), job(5), job(6, { tags: ['rust', 'defi'] }));
    await lab.change('s', (before) => ({ ...before, filter: parseFilter({ tags: ['rust', 'defi'] }) }));
    await lab.poll();
    expect(lab.sink.got()).toEqual(['5', '6']);
    expect(await lab.why('4')).toMatchObject({ fate: 'baseline' });
    await lab.post(job(7, { tags: ['defi'] }));
    await lab.poll();
    expect(lab.sink.got()).toEqual(['5', '6', '7']);
  });

  test('record a new tag and the old ones together, also in a scheduled poll', async () => {
    await lab.add({ filter: { tags: ['defi'] } });
    await lab.poll();
    await lab.post(job(6, { tags: ['rust', 'defi'] }));
    await lab.change('s', (before) => ({ ...before, filter: parseFilter({ tags: ['rust', 'defi'] }) }));
    await lab.advance(0);
    expect(lab.sink.got()).toEqual(['6']);
  });

  test('lose no news with a lower limit and send no old postings with a higher one', async () => {
    await lab.board.setJobs(Array.from({ length: 30 }, (_, n) => job(30 - n)));
    await lab.add({ filter: { limit: 10 } });
    await lab.poll();
    await lab.board.setJobs(Array.from({ length: 31 }, (_, n) => job(31 - n)));
    await lab.change('s', (before) => ({ ...before, filter: parseFilter({ limit: 5 }) }));
    await lab.poll();
    await lab.board.setJobs(Array.from({ length: 32 }, (_, n) => job(32 - n)));
    await lab.change('s', (before) => ({ ...before, filter: parseFilter({ limit: 100 }) }));
    await lab.poll();
    expect(lab.sink.got()).toEqual(['31', '32']);
  });
});

describe('a gap', () => {
  beforeEach(async () => {
    await lab.add({ filter: { limit: 2 }, schedule: '0 * * * *' });
    await lab.poll();
  });

  test('is reported once; then requests are larger and more frequent for a day', async () => {
    await lab.post(job(3), job(4), job(5), job(6));
    await lab.poll();
    expect(lab.notices.map(({ kind }) => kind)).toEqual(['gap']);
    expect(((await lab.nextPollAt('s')) ?? 0) - lab.clock.now()).toBeLessThanOrEqual(HOUR / 2);
    expect(lab.sink.got()).toEqual(['5', '6']);
    await lab.poll();
    expect(lab.front.asked.at(-1)?.query.limit).toBe(String(MAX_LIMIT));
    await lab.post(...Array.from({ length: 120 }, (_, n) => job(100 + n)));
    await lab.poll();
    expect(lab.notices).toHaveLength(1);
    expect((await lab.p.history.events('s')).filter(({ kind }) => kind === 'gap')).toHaveLength(2);
    lab.clock.advance(25 * HOUR);
    await lab.poll();
    expect(lab.front.asked.at(-1)?.query.limit).toBe('2');
  });

  test('is reported again after it was over', async () => {
    await lab.post(job(3), job(4));
    await lab.poll();
    lab.clock.advance(25 * HOUR);
    await lab.post(job(5));
    await lab.poll();
    await lab.post(job(6), job(7));
    await lab.poll();
    expect(lab.notices.map(({ kind }) => kind)).toEqual(['gap', 'gap']);
  });

  test('adds only the postings that were missed', async () => {
    await lab.post(job(3), job(4), job(5));
    await lab.poll();
    await lab.poll();
    expect(lab.sink.got()).toEqual(['4', '5', '3']);
  });

  test('adds no older postings from beyond the limit', async () => {
    const list = (newest: number) =>
      lab.board.setJobs(Array.from({ length: newest }, (_, n) => job(newest - n)));
    await list(30);
    await lab.add({ id: 'two', filter: { limit: 2 }, destinations: [{ sink: 'capture', target: 'two' }] });
    await lab.poll('two');
    await list(33);
    for (let n = 0; n < 3; n++) await lab.poll('two');
    expect(lab.sink.got('two')).toEqual(['32', '33', '31']);
    expect(await lab.why('28', 'two')).toMatchObject({ fate: 'baseline' });
    await list(34);
    await lab.poll('two');
    expect(lab.sink.got('two')).toEqual(['32', '33', '31', '34']);
  });

  test('sends the whole response when none of the known postings is left in it', async () => {
    await lab.board.setJobs(Array.from({ length: 40 }, (_, n) => job(140 - n)));
    await lab.poll();
    await lab.poll();
    expect(lab.sink.got()).toHaveLength(40);
  });
});

describe('a gap of one tag', () => {
  const list = (java: number, solidity: number, ...more: readonly Parameters<typeof job>[]) =>
    lab.board.setJobs([
      ...more.map((one) => job(...one)),
      ...Array.from({ length: 25 }, (_, n) => job(`j${java - n}`, { tags: ['java'] })),
      ...Array.from({ length: 60 }, (_, n) => job(`s${solidity - n}`, { tags: ['solidity'] })),
    ]);
  const last = () =>
    Object.fromEntries(lab.front.asked.slice(-2).map(({ query }) => [query.tag, query.limit]));
  const numbered = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, n) => `s${from + n}`);

  test('is detected and reported with the tag, and the missed postings are sent, while the other tag continues as before', async () => {
    await list(100, 100);
    await lab.add({ filter: { tags: ['solidity', 'java'], limit: 20 }, schedule: '0 * * * *' });
    await lab.poll();
    await list(100, 130);
    await lab.poll();
    expect(lab.sink.got()).toEqual(numbered(111, 130));
    expect(lab.notices).toMatchObject([
      { kind: 'gap', data: { tags: 'solidity' }, text: expect.stringContaining('for solidity') },
    ]);
    expect(await lab.p.history.events('s')).toContainEqual(
      expect.objectContaining({ kind: 'gap', why: 'solidity' }),
    );
    await lab.poll();
    expect(last()).toEqual({ solidity: String(MAX_LIMIT), java: '20' });
    expect(lab.sink.got().toSorted()).toEqual(numbered(101, 130));
    await list(101, 130);
    await lab.poll();
    expect(lab.sink.got().at(-1)).toBe('j101');
    expect(lab.notices).toHaveLength(1);
  });

  test('is detected behind a posting that stays at the top', async () => {
    const pinned = ['top', { tags: ['solidity'], postedAt: '2026-11-23' }] as const;
    await list(100, 100, [...pinned]);
    await lab.add({ filter: { tags: ['solidity'], limit: 20 } });
    await lab.poll();
    await list(100, 130, [...pinned]);
    await lab.poll();
    expect(lab.notices.map(({ kind }) => kind)).toEqual(['gap']);
    await lab.poll();
    expect(lab.sink.got().toSorted()).toEqual(numbered(101, 130));
  });

  test('is reported after a crash that came before the notice', async () => {
    await list(100, 100);
    await lab.add({ filter: { tags: ['solidity'], limit: 20 } });
    await lab.poll();
    await list(100, 130);
    lab.crashAt('poll.recorded');
    await lab.poll().catch(() => undefined);
    await lab.restart();
    await lab.poll();
    expect(lab.notices.map(({ kind }) => kind)).toEqual(['gap']);
    await lab.poll();
    expect(lab.sink.got().toSorted()).toEqual(numbered(101, 130));
  });
});

describe('one tag that fails', () => {
  beforeEach(async () => {
    await lab.add({ filter: { tags: ['rust', 'defi', 'dao'] }, schedule: '0 * * * *' });
  });

  test.each([
    ['refused', { status: 404 }],
    ['unavailable', { status: 503 }],
    ['malformed', { status: 200, body: '<html><body>Hi</body></html>' }],
  ] as const)('(%s) does not affect the others at any position', async (_how, answer) => {
    await lab.poll();
    for (const [round, tag] of ['rust', 'defi', 'dao'].entries()) {
      lab.front.answer(answer, tag);
      const others = ['rust', 'defi', 'dao'].filter((one) => one !== tag);
      await lab.post(...others.map((one) => job(`${one}${round}`, { tags: [one] })));
      expect(await lab.poll()).toMatchObject({ outcome: 'partial', why: expect.stringContaining('1 of 3') });
      expect(lab.sink.got().slice(-2).toSorted()).toEqual(others.map((one) => `${one}${round}`).toSorted());
      lab.front.answer(undefined, tag);
      lab.clock.advance(2 * HOUR);
      expect(await lab.poll()).not.toMatchObject({ outcome: 'partial' });
    }
  });

  test('is requested again like a failed poll, and loses nothing', async () => {
    await lab.poll();
    lab.front.answer({ status: 404 }, 'defi');
    await lab.post(job('d1', { tags: ['defi'] }));
    await lab.poll();
    const tags = async () => {
      lab.front.asked.length = 0;
      await lab.poll();
      return lab.front.asked.map(({ query }) => query.tag);
    };
    expect(await tags()).toEqual(['rust', 'dao']);
    lab.clock.advance(HOUR);
    expect(new Set(await tags())).toEqual(new Set(['rust', 'dao', 'defi']));
    lab.front.answer(undefined, 'defi');
    lab.clock.advance(HOUR);
    await lab.poll();
    expect(lab.sink.got()).toEqual(['d1']);
    expect(await tags()).toEqual(['rust', 'defi', 'dao']);
  });

  test('gets its own baseline later if it fails at the first poll', async () => {
    await lab.post(job('d1', { tags: ['defi'] }));
    lab.front.answer({ status: 404 }, 'defi');
    expect(await lab.poll()).toMatchObject({ outcome: 'partial' });
    await lab.post(job('r1'), job('d2', { tags: ['defi'] }));
    lab.front.answer(undefined, 'defi');
    lab.clock.advance(2 * HOUR);
    await lab.poll();
    expect(lab.sink.got()).toEqual(['r1']);
    expect(await lab.why('d2')).toMatchObject({ fate: 'baseline' });
    await lab.post(job('d3', { tags: ['defi'] }));
    await lab.poll();
    expect(lab.sink.got()).toEqual(['r1', 'd3']);
  });

  test('stops all of them if the token is refused, and what was answered before is recorded', async () => {
    await lab.poll();
    lab.front.answer({ status: 401 }, 'defi');
    await lab.post(job('r1'));
    expect(await lab.poll()).toMatchObject({ outcome: 'rejected' });
    expect(lab.sink.got()).toEqual(['r1']);
    expect(lab.notices.map(({ kind }) => kind)).toEqual(['token']);
  });

  test('does not request every tag of an API that is down, and does not keep the others waiting', async () => {
    await lab.poll();
    lab.front.answer({ status: 503 });
    lab.front.asked.length = 0;
    expect(await lab.poll()).toMatchObject({ outcome: 'failed' });
    expect(new Set(lab.front.asked.map(({ query }) => query.tag))).toEqual(new Set(['rust', 'defi']));
    lab.front.answer(undefined);
    for (const tag of ['rust', 'defi']) lab.front.answer({ status: 503 }, tag);
    await lab.post(job('dao1', { tags: ['dao'] }));
    lab.clock.advance(2 * HOUR);
    expect(await lab.poll()).toMatchObject({ outcome: 'partial' });
    expect(lab.sink.got()).toEqual(['dao1']);
  });
});

describe('two postings under one name', () => {
  type Item = readonly [title: string, link: string, guid?: string];
  const itemOf = ([title, link, guid]: Item) =>
    `<item><title>${title}</title><link>${link}</link>${guid ? `<guid>${guid}</guid>` : ''}</item>`;
  const feed = (...items: readonly Item[]) =>
    lab.front.answer({ status: 200, body: `<rss><channel>${items.map(itemOf).join('')}</channel></rss>` });
  const CAREERS = 'https://acme.example/careers';

  test('two titles on one link, and two links with one guid, are announced once each', async () => {
    feed(['Old', 'https://board.example/old']);
    await lab.add({});
    await lab.poll();
    const four = [
      ['Go Dev', CAREERS],
      ['Rust Dev', CAREERS],
      ['Dev', 'https://board.example/1', 'same'],
      ['Dev', 'https://board.example/2', 'same'],
    ] as const;
    feed(...four);
    await lab.poll();
    const sent = lab.sink.messages.flatMap((one) => one.postings);
    expect(sent.map(({ title, applyUrl }) => `${title} ${applyUrl}`).toSorted()).toEqual(
      four.map(([title, link]) => `${title} ${link}`).toSorted(),
    );
    feed(...four.toReversed());
    await lab.poll();
    feed(four[1], four[3]);
    await lab.poll();
    feed(four[3], four[0], four[2], four[1]);
    await lab.poll();
    expect(lab.sink.messages).toHaveLength(1);
  });

  test('a change of all keys is reported once, and only new postings are sent', async () => {
    const names = ['E', 'D', 'C', 'B', 'A'];
    const run = (n: number, all = names) =>
      all.map((name) => [name, `https://board.example/${n}/${name}`, `${n}-${name}`] as const);
    feed(...run(0));
    await lab.add({ reposts: true });
    await lab.poll();
    for (let n = 1; n < 5; n++) {
      feed(...run(n));
      await lab.poll();
    }
    expect(lab.sink.messages).toEqual([]);
    expect(lab.notices.map(({ kind }) => kind)).toEqual(['keys']);
    expect(lab.logs.filter(({ message }) => message.startsWith('the keys of the feed'))).toHaveLength(4);
    feed(...run(5, ['F', ...names]));
    await lab.poll();
    expect(titles()).toEqual(['F']);
  });

  test('compares by title and company when another token gets other links', async () => {
    feed(['B', 'https://board.example/me/b'], ['A', 'https://board.example/me/a']);
    await lab.add({ account: 'alice' });
    await lab.poll();
    const account = await lab.stores.accounts.get('alice');
    await put(lab.stores.accounts, {
      id: 'alice',
      createdAt: 0,
      ...account,
      token: secret('alice-token-0002'),
    });
    feed(
      ['C', 'https://board.example/you/c'],
      ['B', 'https://board.example/you/b'],
      ['A', 'https://board.example/you/a'],
    );
    await lab.poll();
    expect(titles()).toEqual(['C']);
    expect(lab.notices).toEqual([]);
  });
});

test('shows a hundred of 500 new postings, counts the others and loses none', async () => {
  await lab.board.setJobs([]);
  await lab.add({ filter: { tags: ['rust', 'defi', 'dao', 'solana', 'react'] } });
  await lab.poll();
  const tags = ['rust', 'defi', 'dao', 'solana', 'react'];
  await lab.board.setJobs(Array.from({ length: 500 }, (_, n) => job(n, { tags: [tags[n % 5]] })));
  await lab.poll();
  expect(titles()).toHaveLength(100);
  expect(lab.sink.messages).toMatchObject([{ more: 400 }]);
  const { done, outbox, editions } = (await lab.stores.ledgers.read('s')) ?? {};
  const how = Object.values(done ?? {}).map((one) => Object.values(one)[0]?.how);
  expect([how.filter((one) => one === 'sent').length, how.filter((one) => one === 'more').length]).toEqual([
    100, 400,
  ]);
  expect([outbox, editions]).toEqual([[], []]);
  const { postings, rest } = (await lab.p.history.edition(lab.sink.messages[0]?.edition ?? '')) ?? {};
  expect([postings?.length, rest?.length]).toEqual([100, 400]);
});

test('asks once after two weeks without a match, and again only after another match', async () => {
  await lab.add({ filter: { include: ['zk'] } });
  await lab.poll();
  await lab.advance(15 * DAY);
  await lab.advance(DAY);
  await lab.advance(DAY);
  expect(lab.notices.map(({ kind }) => kind)).toEqual(['silence']);
  await lab.post(job(3, { title: 'zk' }));
  await lab.poll();
  await lab.advance(15 * DAY);
  await lab.advance(DAY);
  expect(lab.notices).toHaveLength(2);
});
