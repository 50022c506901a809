// Maintenance as an operator sees it: the age of the newest backup, and a subscription removed by command that leaves
// nothing in the store, whether the service ran at that time or not.
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { KV_TABLES } from '../../src/store/backend.js';
import { faultHouse, faultJob, pagesOf } from '../helpers/fault-house.js';
import { HOUSE_KEY, inStore } from '../helpers/house-store.js';
import { until } from '../helpers/until.js';

const TIMEOUT = { timeout: 180_000 };
const HOUR = 3_600_000;

/** Rows of the store that name something, as `table key`. The notes to other processes expire. */
function naming(dir: string, what: string): Promise<string[]> {
  return inStore(dir, async ({ backend }) => {
    const names = KV_TABLES;
    const pages = names.map(async (name) =>
      (await backend.kvTables[name].page({}, 10_000))
        .filter((row) => row.join(' ').includes(what))
        .map(([key]) => `${name} ${key}`),
    );
    return (await Promise.all(pages)).flat();
  });
}

test('the age of the newest backup is a metric', TIMEOUT, async () => {
  const house = await faultHouse({ env: { SECRET_KEY: HOUSE_KEY } });
  const dir = join(house.dir, 'data', 'backups');
  await mkdir(dir, { recursive: true });
  const file = join(dir, 'jobcrier-2026-11-01T00-00-00Z.sqlite');
  await writeFile(file, '');
  const made = Date.now() - 20 * HOUR;
  await utimes(file, made / 1000, made / 1000);
  const pages = await pagesOf(house.run());
  const text = await (await fetch(`${pages}/metrics`)).text();
  const age = Number(/^jobcrier_backup_age_seconds ([\d.]+)$/mu.exec(text)?.[1]);
  expect(age).toBeGreaterThanOrEqual(20 * 3600);
  expect(age).toBeLessThan(21 * 3600);
  expect(text).toMatch(/^jobcrier_backup_ok 1$/mu);
});

test(
  "a backup that can't be made is reported by metrics, readiness and doctor, and stops nothing",
  TIMEOUT,
  async () => {
    const house = await faultHouse({ env: { SECRET_KEY: HOUSE_KEY } });
    await mkdir(join(house.dir, 'data'));
    await writeFile(join(house.dir, 'data', 'backups'), 'no folder');
    const program = house.run();
    const pages = await pagesOf(program);
    const figures = async () => (await fetch(`${pages}/metrics`)).text();
    expect(await figures()).toMatch(/^jobcrier_backup_ok 0$/mu);
    expect(await figures()).toMatch(/^jobcrier_backup_age_seconds [\d.e-]+$/mu);
    await program.until('the failure', () => program.stdout.some((line) => line.includes('"duty":"backup"')));
    expect(await figures()).toMatch(/^jobcrier_backup_ok 0$/mu);
    const ready = await fetch(`${pages}/readyz`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({ ok: true, parts: { backup: { ok: false } } });
    expect((await house.command(['doctor'])).text).toMatch(
      /FAIL.* backups: .*data\/backups can't be written/u,
    );
  },
);

test(
  'a subscriptions file that is refused on SIGHUP is a metric until one is accepted',
  TIMEOUT,
  async () => {
    const house = await faultHouse({ env: { SECRET_KEY: HOUSE_KEY, BACKUP_KEEP: '0' } });
    const program = house.run();
    const pages = await pagesOf(program);
    const figure = async (name: string) =>
      Number(
        new RegExp(`^jobcrier_config_reload_${name} (\\S+)$`, 'mu').exec(
          await (await fetch(`${pages}/metrics`)).text(),
        )?.[1],
      );
    await program.until('the start', () => program.stdout.some((line) => line.includes('"running"')));
    expect(await figure('success')).toBe(1);
    const at = await figure('success_timestamp_seconds');
    expect(at).toBeGreaterThan(1_700_000_000);
    await house.subscriptions('- id: [broken');
    program.kill('SIGHUP');
    await until(async () => (await figure('success')) === 0, { what: 'the refusal' });
    expect(await figure('success_timestamp_seconds')).toBe(at);
    await house.subscriptions(
      `- { id: all, schedule: hourly, destinations: [{ sink: webhook, target: "${house.receiver.url}" }] }\n`,
    );
    program.kill('SIGHUP');
    await until(async () => (await figure('success')) === 1, { what: 'the file to be taken up' });
    expect(await figure('success_timestamp_seconds')).toBeGreaterThan(at);
  },
);

test(
  'a subscription removed by command leaves nothing, whether the service is up or down',
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
    await until(async () => (await naming(house.dir, 'removed-down')).length === 0, {
      what: 'the end of what was removed while it was down',
    });
    expect(await naming(house.dir, 'removed-up')).toEqual([]);
    await house.board.addJob(faultJob(3));
    await second.until('the one that is left', () => house.titles().includes('Position 3'));
    second.kill();
    expect(await second.ended).toBe(0);
  },
);
