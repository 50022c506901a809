// Requests of one account are made one after the other, and a new token does not wait for the former one.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { POLL_QUEUE } from '../../src/domain/request.js';
import { secret } from '../../src/domain/secret.js';
import { job, type Lab, openLab } from '../helpers/lab.js';
import { TOKENS } from '../helpers/lab-life.js';
import { until } from '../helpers/until.js';

let lab: Lab;
const MINUTE = 60_000;
const NEW = 'alice-token-0002';
const by = () => lab.front.asked.map(({ token }) => token);

beforeEach(async () => {
  lab = await openLab({ jobs: [job(1)] });
  await lab.add({
    id: 'a',
    account: 'alice',
    schedule: '*/5 * * * *',
    destinations: [{ sink: 'capture', target: 'a' }],
  });
  await lab.poll('a');
});
afterEach(() => lab.close());

test('a preview waits for a poll of the same account, and not for other accounts', async () => {
  const release = lab.front.hold();
  lab.clock.advance(6 * MINUTE);
  lab.p.engine.look(POLL_QUEUE);
  await until(() => by().length === 2, { what: 'the poll' });
  const own = lab.services.preview({ account: 'alice' }, { tags: ['defi'] });
  const other = lab.services.preview({ account: 'bob' }, { tags: ['defi'] });
  await until(() => by().includes(TOKENS.bob), { what: 'the preview of the other account' });
  expect(by().slice(1)).toEqual([TOKENS.alice, TOKENS.bob]);
  release();
  await Promise.all([own, other]);
  expect(by().slice(1)).toEqual([TOKENS.alice, TOKENS.bob, TOKENS.alice]);
});

test('the wait that the API asked of a token ends when the token is replaced', async () => {
  lab.front.answer({ status: 429, headers: { 'retry-after': '3000' } }, TOKENS.alice);
  await lab.poll('a');
  const asked = by().length;
  await lab.advance(20 * MINUTE);
  expect(by()).toHaveLength(asked);
  await lab.board.setTokens([...Object.values(TOKENS), NEW].map((token) => ({ token })));
  await lab.services.setToken('alice', secret(NEW));
  await lab.post(job(2));
  await lab.advance(10 * MINUTE);
  expect(lab.sink.got('a')).toEqual(['2']);
});
