// The duties of the service: one backup a day, no more of them than configured, and the deletion of data of servers
// that the bot left.
import { readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Config, loadConfig } from '../src/config.js';
import { createRounds } from '../src/service.js';
import { inspectBackup } from '../src/store/backup.js';
import { backupsDir, listBackups } from '../src/store/backups-dir.js';
import { dailyBackups, newestBackupAt, upkeepDuties } from '../src/upkeep.js';
import { DAY, HOUR, job, type Lab, MINUTE, openLab } from './helpers/lab.js';
import { until } from './helpers/until.js';

let lab: Lab;
let dataDir: string;
beforeEach(async () => {
  lab = await openLab();
  dataDir = dirname(lab.storeUrl.replace('sqlite://', ''));
  await lab.add({});
  await lab.poll();
});
afterEach(() => lab.close());

function configOf(env: Record<string, string> = {}): Config {
  return loadConfig({
    env: { DATA_DIR: dataDir, STORE_URL: lab.storeUrl, ...env },
    cwd: dataDir,
    programDir: process.cwd(),
  });
}

const dutyNames = (config: Config) => upkeepDuties(config, lab.p).map(({ name }) => name);

/** Runs a duty once; a backup that it makes gets the time of the lab's clock, as if the whole machine had it. */
async function run(name: string, env: Record<string, string> = {}): Promise<void> {
  const before = await listBackups(backupsDir(dataDir));
  const duty = upkeepDuties(configOf(env), lab.p).find((one) => one.name === name);
  if (!duty) throw new Error(`no duty ${name}`);
  await duty.run();
  const made = (await listBackups(backupsDir(dataDir))).filter((file) => !before.includes(file));
  for (const file of made) await utimes(file, lab.clock.now() / 1000, lab.clock.now() / 1000);
}

const backups = async () => (await listBackups(backupsDir(dataDir))).map((file) => file.split('/').at(-1));

describe('the daily backup', () => {
  test('is a complete store, made once a day, and its age is known', async () => {
    expect(await newestBackupAt(dataDir, lab.clock.now())).toBeUndefined();
    await run('backup');
    const [first] = await listBackups(backupsDir(dataDir));
    expect(await inspectBackup(first ?? '')).toMatchObject({ rows: { subscriptions: 1, ledgers: 1 } });
    expect(await newestBackupAt(dataDir, lab.clock.now())).toBe(lab.clock.now());
    for (let n = 0; n < 3; n++) {
      lab.clock.advance(7 * HOUR);
      await run('backup');
    }
    expect(await backups()).toHaveLength(1);
    lab.clock.advance(4 * HOUR);
    await run('backup');
    expect(await backups()).toHaveLength(2);
    expect(lab.logs.filter(({ message }) => message === 'backup made')).toHaveLength(2);
  });

  test('is kept for the days in BACKUP_KEEP, the newest ones', async () => {
    const made: (string | undefined)[] = [];
    for (let day = 0; day < 5; day++) {
      await run('backup', { BACKUP_KEEP: '3' });
      made.push((await backups())[0]);
      lab.clock.advance(DAY + MINUTE);
    }
    expect(new Set(made).size).toBe(5);
    expect(await backups()).toEqual(made.slice(2).reverse());
    await run('backup', { BACKUP_KEEP: '1' });
    expect(await backups()).toHaveLength(1);
  });

  test('is also made after the clock was set back, and is not deleted in favour of those from before', async () => {
    for (let day = 0; day < 4; day++) {
      await run('backup', { BACKUP_KEEP: '3' });
      lab.clock.advance(DAY + MINUTE);
    }
    lab.clock.advance(-400 * DAY);
    expect(await newestBackupAt(dataDir, lab.clock.now())).toBeUndefined();
    await run('backup', { BACKUP_KEEP: '3' });
    expect(await newestBackupAt(dataDir, lab.clock.now())).toBe(lab.clock.now());
    expect(await backups()).toHaveLength(3);
    const now = await backups();
    lab.clock.advance(MINUTE);
    await run('backup', { BACKUP_KEEP: '3' });
    expect(await backups()).toEqual(now);
  });

  test('is off with BACKUP_KEEP=0, and for stores with tools of their own', () => {
    expect(dutyNames(configOf())).toContain('backup');
    expect(dutyNames(configOf({ BACKUP_KEEP: '0' }))).not.toContain('backup');
    expect(dutyNames(configOf({ STORE_URL: 'postgres://user@host/jobs' }))).not.toContain('backup');
  });

  test('that fails keeps the others, and leaves no partial file', async () => {
    await run('backup');
    lab.clock.advance(2 * DAY);
    const broken = configOf({ STORE_URL: `sqlite://${join(dataDir, 'none.sqlite')}` });
    const [duty] = upkeepDuties(broken, lab.p);
    await expect(duty?.run()).rejects.toThrow(/no store/u);
    expect(await readdir(backupsDir(dataDir))).toEqual(await backups());
    expect(await backups()).toHaveLength(1);
  });
});

describe('the report on the backups', () => {
  const open = (env: Record<string, string> = {}) => {
    const backups = dailyBackups(configOf(env), lab.p);
    if (!backups) throw new Error('no backups are made');
    return backups;
  };

  test('is bad from the start when none can be made, and good after the first one', async () => {
    await writeFile(backupsDir(dataDir), 'a file where the folder should be');
    const backups = open();
    expect(await backups.state()).toEqual({ ok: false, ageSeconds: 0, why: 'there is no backup yet' });
    await expect(backups.duty.run()).rejects.toThrow();
    lab.clock.advance(3 * HOUR);
    expect(await backups.state()).toEqual({
      ok: false,
      ageSeconds: 3 * 3600,
      why: expect.stringMatching(/^Can't write .*\/backups: a file is in the way/u),
    });
    await rm(backupsDir(dataDir));
    await backups.duty.run();
    for (const file of await listBackups(backupsDir(dataDir)))
      await utimes(file, lab.clock.now() / 1000, lab.clock.now() / 1000);
    expect(await backups.state()).toEqual({ ok: true, ageSeconds: 0 });
  });

  test('is bad when the last one failed although an earlier one is recent, and when the newest is too old', async () => {
    await run('backup');
    const missing = open({ STORE_URL: `sqlite://${join(dataDir, 'none.sqlite')}` });
    expect(await missing.state()).toEqual({ ok: true, ageSeconds: 0 });
    lab.clock.advance(DAY + MINUTE);
    expect(await missing.state()).toMatchObject({ ok: true });
    await expect(missing.duty.run()).rejects.toThrow();
    expect(await missing.state()).toMatchObject({ ok: false, why: expect.stringContaining('no store') });
    const fresh = open();
    lab.clock.advance(2 * HOUR);
    expect(await fresh.state()).toEqual({
      ok: false,
      ageSeconds: 26 * 3600 + 60,
      why: 'the newest backup is more than a day old',
    });
  });
});

test('a slow duty starts immediately, delays no other one, and is waited for; an hourly one waits for the hour', async () => {
  let finish = () => {};
  const ran: string[] = [];
  const {
    second: round,
    hour,
    idle,
  } = createRounds(lab.p, [
    {
      name: 'slow',
      every: 600,
      slow: true,
      run: () => {
        ran.push('slow');
        return new Promise<void>((resolve) => {
          finish = resolve;
        });
      },
    },
    { name: 'quick', every: 1, run: async () => void ran.push('quick') },
    { name: 'hourly', every: 'hour', run: async () => void ran.push('hourly') },
  ]);
  for (let second = 0; second < 3; second++) await round();
  expect(ran).toEqual(['slow', 'quick', 'quick', 'quick']);
  await hour();
  expect(ran.slice(4)).toEqual(['hourly']);
  let ended = false;
  void idle().then(() => {
    ended = true;
  });
  await round();
  expect(ended).toBe(false);
  finish();
  await until(() => ended);
});

test('deletes subscriptions of a server that the bot left after the stated days, with every row, and nothing else', async () => {
  const guild = { 'in-it': 'g', 'in-another': 'h' } as const;
  for (const [id, server] of Object.entries(guild)) {
    await lab.add({ id, account: 'alice', destinations: [{ sink: 'capture', target: id }] });
    await lab.change(id, (before) => ({ ...before, guild: server }));
    await lab.poll(id);
  }
  await lab.post(job(2));
  for (const id of Object.keys(guild)) await lab.poll(id);
  expect(configOf().limits.keepAfterLeavingDays).toBe(30);
  await lab.services.leftGuild('g');
  lab.clock.advance(30 * DAY);
  await run('departed');
  const naming = async (id: string) =>
    (await lab.rows()).filter((row) => row.includes(id) && !/^notices /u.test(row));
  expect(await naming('in-it')).not.toEqual([]);
  lab.clock.advance(1);
  await run('departed');
  expect(await naming('in-it')).toEqual([]);
  expect(await naming('in-another')).not.toEqual([]);
  expect(await lab.nextPollAt('in-it')).toBeUndefined();
  expect((await lab.stores.subscriptions.get('s'))?.id).toBe('s');
});
