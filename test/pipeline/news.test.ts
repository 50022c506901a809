// From the board to the far side: what is new goes out once, what is not stays silent, and every fate can be asked for.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MAX_LIMIT, parseFilter } from '../../src/domain/filter.js';
import { DAY, HOUR, job, type Lab, openLab } from '../helpers/lab.js';

let lab: Lab;
beforeEach(async () => {
  lab = await openLab({ jobs: [job(1), job(2)] });
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

  test('sends the newest when asked', async () => {
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

  test('send each new posting once, oldest first, whatever moves in the feed', async () => {
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

  test('hand over the links byte for byte, and what the reader needs', async () => {
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

  test('go on after a long time in which nobody ran', async () => {
    await lab.post(job(3));
    await lab.restart();
    lab.clock.advance(40 * DAY);
    await lab.poll();
    expect(lab.sink.got()).toEqual(['3']);
  });

  test('of a malformed or an empty feed mark nothing and forget nothing', async () => {
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

  test('say of a repost only when wanted that it was there before', async () => {
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
});

describe('several tags', () => {
  test('are one request each, one posting however many find it, with every reason', async () => {
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

  test('of which one is unchanged lose nothing of it', async () => {
    await lab.add({ filter: { tags: ['rust', 'defi'] } });
    await lab.poll();
    for (let n = 3; n < 8; n++) {
      await lab.post(job(n, { tags: [n % 2 ? 'defi' : 'rust'] }));
      await lab.poll();
    }
    expect(lab.sink.got()).toEqual(['3', '4', '5', '6', '7']);
  });

  test('a new one has a baseline of its own, the old ones go on', async () => {
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

  test('a lower limit loses no news, a higher one brings no old ones', async () => {
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

  test('is told once; then more is asked for, and sooner, for a day', async () => {
    await lab.post(job(3), job(4), job(5), job(6));
    const first = await lab.poll();
    expect(lab.notices.map(({ kind }) => kind)).toEqual(['gap']);
    expect(first.nextAt - lab.clock.now()).toBeLessThanOrEqual(HOUR / 2);
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

  test('is news again once it was over', async () => {
    await lab.post(job(3), job(4));
    await lab.poll();
    lab.clock.advance(25 * HOUR);
    await lab.post(job(5));
    await lab.poll();
    await lab.post(job(6), job(7));
    await lab.poll();
    expect(lab.notices.map(({ kind }) => kind)).toEqual(['gap', 'gap']);
  });

  test('that is watched brings no more than what was missed', async () => {
    await lab.post(job(3), job(4), job(5));
    await lab.poll();
    await lab.poll();
    expect(lab.sink.got()).toEqual(['4', '5', '3']);
  });

  test('that is watched brings nothing that was there before, out of reach of the limit', async () => {
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

  test('so wide that nothing of before is left brings all there is', async () => {
    await lab.board.setJobs(Array.from({ length: 40 }, (_, n) => job(140 - n)));
    await lab.poll();
    await lab.poll();
    expect(lab.sink.got()).toHaveLength(40);
  });
});

test('a flood: a hundred are shown, the others counted, none is lost', async () => {
  await lab.board.setJobs([]);
  await lab.add({ filter: { tags: ['rust', 'defi', 'dao', 'solana', 'react'] } });
  await lab.poll();
  const tags = ['rust', 'defi', 'dao', 'solana', 'react'];
  await lab.board.setJobs(Array.from({ length: 500 }, (_, n) => job(n, { tags: [tags[n % 5]] })));
  await lab.poll();
  expect(titles()).toHaveLength(100);
  expect(lab.sink.messages).toMatchObject([{ more: 400 }]);
  const { seen, outbox, editions } = (await lab.stores.ledgers.read('s')) ?? {};
  const how = Object.values(seen ?? {}).map(({ done }) => Object.values(done ?? {})[0]?.how);
  expect([how.filter((one) => one === 'sent').length, how.filter((one) => one === 'more').length]).toEqual([
    100, 400,
  ]);
  expect([outbox, editions]).toEqual([[], []]);
  const { postings, rest } = (await lab.p.history.edition(lab.sink.messages[0]?.edition ?? '')) ?? {};
  expect([postings?.length, rest?.length]).toEqual([100, 400]);
});

test('two weeks without a match are asked about once, until something matches again', async () => {
  await lab.add({ filter: { include: ['zk'] } });
  await lab.poll();
  lab.clock.advance(15 * DAY);
  await lab.poll();
  await lab.poll();
  expect(lab.notices.map(({ kind }) => kind)).toEqual(['silence']);
  await lab.post(job(3, { title: 'zk' }));
  await lab.poll();
  lab.clock.advance(15 * DAY);
  await lab.poll();
  expect(lab.notices).toHaveLength(2);
});
