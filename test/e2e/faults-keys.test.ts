// A change of SECRET_KEY that is killed: every secret can be read with one of both keys at any time, and in the end
// with only the new one.
import { expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import { faultHouse } from '../helpers/fault-house.js';
import { HOUSE_KEY, inStore } from '../helpers/house-store.js';
import { later } from '../helpers/later.js';
import { startProgram } from '../helpers/process.js';
import { put } from '../helpers/put.js';
import { until } from '../helpers/until.js';

const TIMEOUT = { timeout: 180_000 };

test('a change of keys that is killed and started again loses no secret', TIMEOUT, async () => {
  const house = await faultHouse({ env: { SECRET_KEY: HOUSE_KEY } });
  const NEXT = Buffer.alloc(32, 9).toString('base64');
  const accounts = Array.from({ length: 2000 }, (_, n) => `account-${n}`);
  await inStore(house.dir, async (stores) => {
    for (const id of accounts)
      await put(stores.accounts, { id, token: secret(`token-of-${id}`), createdAt: 1 });
  });
  const env = { SECRET_KEY: `${NEXT},${HOUSE_KEY}`, JOBS_API_URL: house.board.url };
  const rows = () =>
    inStore(house.dir, async ({ backend }) => new Map(await backend.kvTables.accounts.page({}, 10_000)));
  const before = await rows();
  const moved = async () => [...(await rows())].filter(([id, text]) => before.get(id) !== text).length;
  let done = 0;
  for (let kills = 0; kills < 2; kills++) {
    const doomed = startProgram(['keys', 'rotate'], { cwd: house.dir, env });
    later(() => doomed.kill('SIGKILL'));
    await until(async () => (await moved()) > done, {
      what: 'a secret under the new key',
      timeoutMs: 20_000,
    });
    doomed.kill('SIGKILL');
    await doomed.ended;
    done = await moved();
    expect(done).toBeLessThan(accounts.length);
  }
  const whole = startProgram(['keys', 'rotate', '--json'], { cwd: house.dir, env });
  expect(await whole.ended, whole.stderr.join('\n')).toBe(0);
  const { rotated, current, unreadable } = whole.json()[0] as Record<string, number>;
  expect(unreadable).toBe(0);
  // Only what the killed runs had left was still to do.
  expect([rotated, current]).toEqual([accounts.length - done, done]);
  // With the new key only.
  await inStore(
    house.dir,
    async (stores) => {
      for (const id of accounts)
        expect((await stores.accounts.get(id))?.token?.reveal()).toBe(`token-of-${id}`);
    },
    NEXT,
  );
});
