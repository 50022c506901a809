// The mailed link to a reader's data: it works once, for an hour, and can't be asked for without end.
import { expect, test } from 'vitest';
import { createDataRequests, forgetDataRequests } from '../../src/sinks/email/data-requests.js';
import { createUnsubscribes, forgetUnsubscribes } from '../../src/sinks/email/unsubscribes.js';
import { memoryTable, testClock } from '../helpers/memory-table.js';
import { until } from '../helpers/until.js';

const HOUR = 3_600_000;
const ANN = 'ann@example.org';

function start() {
  const clock = testClock();
  const table = memoryTable(clock);
  const sent: { account: string; address: string; token: string }[] = [];
  let isAway = false;
  const requests = createDataRequests({
    table,
    clock,
    async send({ account }, address, token) {
      if (isAway) throw new Error('away');
      sent.push({ account, address, token });
    },
  });
  const ask = (account = 'ann', what: 'export' | 'erase' = 'export') =>
    requests.ask({ account, subscription: 'rust', destination: 'd1', what, locale: 'de' }, ANN);
  const token = () => sent.at(-1)?.token ?? '';
  const away = (is: boolean) => {
    isAway = is;
  };
  return { clock, table, sent, requests, ask, token, away };
}

test('works once, and shows before what it does', async () => {
  const { clock, table, sent, requests, ask, token } = start();
  expect(await ask('ann', 'erase')).toBe(true);
  expect(sent).toEqual([{ account: 'ann', address: ANN, token: expect.stringMatching(/^[\w-]{43}$/u) }]);
  const stream = { account: 'ann', subscription: 'rust', destination: 'd1' };
  const found = { ...stream, what: 'erase', locale: 'de', address: ANN, askedAt: clock.now() };
  expect(await requests.peek(token())).toEqual(found);
  expect(await requests.peek(token())).toEqual(found);
  expect(await requests.take(token())).toEqual(found);
  expect(await requests.take(token())).toBeUndefined();
  expect(await requests.peek(token())).toBeUndefined();
  expect(table.dump()).not.toContain(token());
});

test('of two that use it at the same time, one finds it used', async () => {
  const { requests, ask, token } = start();
  await ask();
  const taken = await Promise.all([requests.take(token()), requests.take(token())]);
  expect(taken.filter(Boolean)).toHaveLength(1);
});

test('works for an hour', async () => {
  const { clock, requests, ask, token } = start();
  await ask();
  clock.advance(HOUR - 1);
  expect(await requests.peek(token())).toBeDefined();
  clock.advance(1);
  expect(await requests.peek(token())).toBeUndefined();
  expect(await requests.take(token())).toBeUndefined();
});

test('a new one replaces the former', async () => {
  const { requests, ask, token } = start();
  await ask();
  const former = token();
  await ask();
  expect(await requests.peek(former)).toBeUndefined();
  expect(await requests.peek(token())).toBeDefined();
});

test('is mailed three times in a day for an account, and then again', async () => {
  const { clock, sent, requests, ask, token } = start();
  for (const isSent of [true, true, true, false, false]) {
    expect(await ask()).toBe(isSent);
    clock.advance(1);
  }
  expect(sent).toHaveLength(3);
  // The last one still works.
  expect(await requests.peek(token())).toBeDefined();
  expect(await ask('bob')).toBe(true);
  clock.advance(24 * HOUR - 5);
  expect(await ask()).toBe(true);
  expect(await ask()).toBe(false);
});

test('a mail that could not be sent does not count, and its link does not work', async () => {
  const { clock, table, ask, away } = start();
  away(true);
  for (let n = 0; n < 5; n++) {
    await expect(ask()).rejects.toThrow('away');
    clock.advance(1);
  }
  expect(table.dump()).not.toContain('mail:datalink');
  away(false);
  for (const isSent of [true, true, true, false]) expect(await ask()).toBe(isSent);
});

test('a mail that could not be sent changes nothing for those that were', async () => {
  const { clock, table, requests, ask, token, away } = start();
  await ask();
  clock.advance(1);
  await ask();
  clock.advance(1);
  away(true);
  await expect(ask()).rejects.toThrow('away');
  // The former link was replaced, and the new one was not sent.
  expect(await requests.peek(token())).toBeUndefined();
  away(false);
  clock.advance(1);
  expect(await ask()).toBe(true);
  expect(await ask()).toBe(false);
  await forgetDataRequests(table, 'ann');
  expect(table.dump()).toBe('[]');
});

test('a failure that comes late leaves a newer link alone', async () => {
  const clock = testClock();
  const table = memoryTable(clock);
  const failing: (() => void)[] = [];
  let isSlow = true;
  const tokens: string[] = [];
  const requests = createDataRequests({
    table,
    clock,
    send: (_request, _address, token) => {
      tokens.push(token);
      return isSlow
        ? new Promise((_, reject) => failing.push(() => reject(new Error('away'))))
        : Promise.resolve();
    },
  });
  const request = {
    account: 'ann',
    subscription: 'rust',
    destination: 'd1',
    what: 'export',
    locale: 'en',
  } as const;
  const first = requests.ask(request, ANN);
  await until(() => failing.length === 1, { what: 'the first mail' });
  isSlow = false;
  clock.advance(1);
  await requests.ask(request, ANN);
  failing[0]?.();
  await expect(first).rejects.toThrow('away');
  expect(await requests.peek(tokens[1] ?? '')).toBeDefined();
  // It is still known as the open one, and goes with the account.
  await forgetDataRequests(table, 'ann');
  expect(table.dump()).toBe('[]');
});

test.each(['', 'x', 'a'.repeat(42), 'a'.repeat(44), `${'a'.repeat(42)}!`])('%j is no link', async (token) => {
  const { requests } = start();
  expect(await requests.peek(token)).toBeUndefined();
  expect(await requests.take(token)).toBeUndefined();
});

test('goes with the account', async () => {
  const { table, ask } = start();
  await ask();
  await ask('bob');
  await forgetDataRequests(table, 'ann');
  const left = table.dump();
  await forgetDataRequests(table, 'nina');
  expect(table.dump()).toBe(left);
  expect(left).not.toContain('"account\\":\\"ann');
  expect(left).toContain('bob');
  await forgetDataRequests(table, 'bob');
  expect(table.dump()).toBe('[]');
});

test('who unsubscribed from a stream is known until that is taken back, with the time of the first click', async () => {
  const clock = testClock();
  const table = memoryTable(clock);
  const list = createUnsubscribes(table, clock);
  const stream = { account: 'ann', subscription: 'rust', destination: 'd1' };
  const first = clock.now();
  expect(await list.any('ann')).toBe(false);
  await list.stop(stream);
  clock.advance(HOUR);
  await list.stop(stream);
  expect(await list.stoppedAt(stream)).toBe(first);
  for (const other of [{ account: 'bob' }, { subscription: 'go' }, { destination: 'd2' }])
    expect(await list.stoppedAt({ ...stream, ...other })).toBeUndefined();
  expect([await list.any('ann'), await list.any('bob')]).toEqual([true, false]);
  await list.stop({ ...stream, destination: 'd2' });
  await list.restart(stream);
  expect(await list.stoppedAt(stream)).toBeUndefined();
  expect(await list.any('ann')).toBe(true);
  await list.restart({ ...stream, destination: 'd2' });
  expect(table.dump()).toBe('[]');
  await list.stop(stream);
  await forgetUnsubscribes(table, 'ann');
  expect(table.dump()).toBe('[]');
});
