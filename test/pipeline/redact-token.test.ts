// The last check before a sink: whatever the records contain, no edition contains the account's token.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import type { Sink } from '../../src/ports/sink.js';
import { outage } from '../helpers/capture-sink.js';
import { HOUR, job, type Lab, openLab } from '../helpers/lab.js';
import { TOKENS } from '../helpers/lab-life.js';
import { put } from '../helpers/put.js';

const NEXT = 'alice+token/0002==';
const leaky: Sink = {
  name: 'leaky',
  parseTarget: String,
  deliver: async (_delivery, _target, { guard }) =>
    guard({
      format: 'text',
      body: `asked with ${encodeURIComponent(TOKENS.operator).replaceAll('-', '%2d')}`,
    }),
};

let lab: Lab;
beforeEach(async () => {
  lab = await openLab({ sinks: [leaky] });
});
afterEach(() => lab.close());

test('removes the token from recorded text and leaves out links that contain it, also if they were recorded before it was the token', async () => {
  await lab.add({ account: 'alice' });
  await lab.poll();
  lab.sink.script('one', outage(HOUR));
  await lab.post(
    job(2, {
      title: `Rust ${NEXT.replace('/', '&#x2F;')}`,
      apply_url: `https://board.example/r/x?t=${encodeURIComponent(encodeURIComponent(NEXT))}`,
    }),
    job(3),
  );
  await lab.poll();
  const account = await lab.stores.accounts.get('alice');
  await put(lab.stores.accounts, { id: 'alice', createdAt: 0, ...account, token: secret(NEXT) });
  await lab.advance(2 * HOUR);
  const [sent] = lab.sink.messages;
  expect(sent?.postings).toMatchObject([
    { key: 'id:2', title: 'Rust [token taken out]', badLink: true },
    { key: 'id:3', applyUrl: 'https://board.example/r/j3__p' },
  ]);
  expect(sent?.postings[0]).not.toHaveProperty('applyUrl');
  const { outbox, done } = (await lab.stores.ledgers.read('s')) ?? {};
  expect(outbox).toEqual([]);
  expect(Object.values(done?.['id:2'] ?? {})).toMatchObject([{ how: 'sent' }]);
});

test('withholds an output that contains the token', async () => {
  await lab.add({ destinations: [{ sink: 'leaky', target: 'x' }] });
  await lab.poll();
  await lab.post(job(2));
  await lab.poll();
  expect(await lab.p.history.events('s')).toContainEqual(
    expect.objectContaining({ kind: 'failed', why: expect.stringContaining('it contains the API token') }),
  );
  expect(JSON.stringify(await lab.p.history.events('s'))).not.toContain(TOKENS.operator);
});
