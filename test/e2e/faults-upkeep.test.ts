// Upkeep as an operator sees it: how old the newest backup is, and that a subscription removed by command leaves nothing
// in the store, whether the service ran at that time or not.
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SHELVES } from '../../src/store/backend.js';
import { faultHouse, faultJob, pagesOf } from '../helpers/fault-house.js';
import { HOUSE_KEY, inStore } from '../helpers/house-store.js';
import { until } from '../helpers/until.js';

const TIMEOUT = { timeout: 60_000 };
const HOUR = 3_600_000;

/** Rows of the store that name something, as `table key`. The notes to other processes end by themselves. */
function naming(dir: string, what: string): Promise<string[]> {
  return inStore(dir, async ({ backend }) => {
    const names = SHELVES.filter((name) => name !== 'changes');
    const pages = names.map(async (name) =>
      (await backend.shelves[name].page({}, 10_000))
        .filter((row) => row.join(' ').includes(what))
        .map(([key]) => `${name} ${key}`),
    );
    return (await Promise.all(pages)).flat();
  });
}

test('the age of the newest backup is a figure', TIMEOUT, async () => {
  const house = await faultHouse({ env: { SECRET_KEY: HOUSE_KEY } });
  const dir = join(house.dir, 'data', 'backups');
  await mkdir(dir, { recursive: true });
  const file = join(dir, 'jobcrier-2026-11-01T00-00-00Z.sqlite');
  await writeFile(file, '');
  const made = Date.now() - 30 * HOUR;
  await utimes(file, made / 1000, made / 1000);
  const pages = await pagesOf(house.run());
  const text = await (await fetch(`${pages}/metrics`)).text();
  const age = Number(/^jobcrier_backup_age_seconds ([\d.]+)$/mu.exec(text)?.[1]);
  expect(age).toBeGreaterThanOrEqual(30 * 3600);
  expect(age).toBeLessThan(31 * 3600);
});

test(
  'a subscription removed by command leaves nothing behind, with the service up or down',
  TIMEOUT,
  async () => {
    const house = await faultHouse({ env: { SECRET_KEY: HOUSE_KEY } });
    const command = async (...args: string[]) => {
      const { code, text } = await house.command(args);
      expect(code, text).toBe(0);
    };
    const add = (id: string) =>
      command(
        'subscriptions',
        'add',
        '--id',
        id,
        '--to',
        `webhook:${house.receiver.url}/${id}`,
        '--schedule',
        '* * * * * *',
      );
    await add('removed-up');
    await add('removed-down');
    const first = house.run();
    const baselines = () => first.json().filter((line) => line.baseline === true).length;
    await first.until('the baselines', () => baselines() === 3);
    await house.board.addJob(faultJob(2));
    await first.until('all three', () => house.receiver.received.length === 3);
    await command('subscriptions', 'remove', 'removed-up');
    await until(async () => (await naming(house.dir, 'removed-up')).length === 0, {
      what: 'the end of its rows',
      timeoutMs: 20_000,
    });
    first.kill();
    expect(await first.ended).toBe(0);
    expect(await naming(house.dir, 'removed-down')).not.toEqual([]);
    await command('subscriptions', 'remove', 'removed-down');
    expect(await naming(house.dir, 'removed-down')).toContain('ledgers removed-down');
    const second = house.run();
    await second.until('the start', () => second.stdout.some((line) => line.includes('"running"')));
    expect(await naming(house.dir, 'removed-down')).toEqual([]);
    expect(await naming(house.dir, 'removed-up')).toEqual([]);
    await house.board.addJob(faultJob(3));
    await second.until('the one that is left', () => house.titles().includes('Position 3'));
    second.kill();
    expect(await second.ended).toBe(0);
  },
);
