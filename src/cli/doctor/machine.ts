// Checks the clock of this machine, and whether it knows the time zones of the schedules.

import { access, mkdtemp, rmdir, stat, statfs } from 'node:fs/promises';
import { arch, platform, release } from 'node:os';
import { dirname, join } from 'node:path';
import { request } from 'undici';
import type { Config } from '../../config.js';
import { codeOf, type Finding, fail, off, ok, warn } from '../../domain/finding.js';
import { isTimezone } from '../../domain/schedule.js';
import { backupsDir } from '../../store/backups-dir.js';
import { newestBackupAt } from '../../upkeep.js';
import type { Check, CheckEnv } from './check.js';
import { sqliteFile } from './store.js';

/** Largest difference without a warning: digests go out at a given minute; webhook signatures allow five minutes. */
const SKEW_SECONDS = 60;

/** Whether Node has time zone data. Berlin has summer time; a build without zone data gives one offset all year. */
function knowsZones(): boolean {
  const hourIn = (month: number) =>
    new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin', hour: 'numeric', hourCycle: 'h23' }).format(
      Date.UTC(2024, month, 15, 12),
    );
  return isTimezone('Asia/Kolkata') && hourIn(0) !== hourIn(6);
}

/** Seconds that this clock is ahead of the jobs API's; undefined when the API gives no time. No token is sent. */
async function skew({ config, context }: CheckEnv, signal: AbortSignal): Promise<number | undefined> {
  try {
    const { headers, body } = await request(config.jobsApi.url as string, { method: 'HEAD', signal });
    await body.dump();
    const theirs = Date.parse(String(headers.date ?? ''));
    return Number.isNaN(theirs) ? undefined : Math.round((context.clock.now() - theirs) / 1000);
  } catch {
    return undefined;
  }
}

async function unknownZones(env: CheckEnv): Promise<Finding[]> {
  const stores = await env.stores();
  if (!stores) return [];
  const zones = new Map<string, string>();
  for await (const { id, schedule } of stores.subscriptions.list()) zones.set(schedule.timezone, id);
  return [...zones]
    .filter(([zone]) => !isTimezone(zone))
    .map(([zone, id]) => fail(env.words.clock.zone({ id, zone }), env.words.clock.zoneFix));
}

export const clockCheck: Check = {
  name: 'clock',
  async run(env, signal) {
    const words = env.words.clock;
    const findings = await unknownZones(env);
    if (!knowsZones()) findings.push(fail(words.noZones, words.noZonesFix));
    const ahead = env.config.jobsApi.url ? await skew(env, signal) : undefined;
    if (ahead === undefined) return [...findings, off(words.noTime)];
    if (Math.abs(ahead) > SKEW_SECONDS)
      findings.push(warn((ahead > 0 ? words.ahead : words.behind)({ seconds: Math.abs(ahead) }), words.sync));
    return findings.length > 0 ? findings : [ok(words.agrees)];
  },
};

// Checks whether DATA_DIR and the store's folder can be written, have free space, and suit a database.

const MB = 1024 * 1024;

/** Network file systems by their magic number (Linux, statfs(2)). */
const NETWORK: Readonly<Record<number, string>> = {
  26985: 'NFS',
  20859: 'SMB',
  4283649346: 'CIFS',
  4266872130: 'SMB2',
  1702057286: 'FUSE',
  16914839: '9P',
  12805120: 'Ceph',
};
/** File systems that lose their files with the machine or the container. */
const PASSING: Readonly<Record<number, 'tmpfs' | 'overlay'>> = { 16914836: 'tmpfs', 2035054128: 'overlay' };

/** The folder, or the nearest existing one above it: a missing folder is made at the first start. */
async function existing(dir: string): Promise<string> {
  try {
    await access(dir);
    return dir;
  } catch {
    const parent = dirname(dir);
    return parent === dir ? dir : existing(parent);
  }
}

/** The folders that the program writes to: DATA_DIR, and the folder of a SQLite store that is elsewhere. */
async function folders(config: Config): Promise<readonly string[]> {
  const file = sqliteFile(config);
  const all = [config.dirs.data, ...(file ? [dirname(file)] : [])];
  return [...new Set(await Promise.all(all.map(existing)))];
}

/**
 * A finding when the folder can't be written. It tries to write, because permission bits do not show a read-only mount
 * and do not apply to root.
 */
async function whyNotWritten(
  dir: string,
  { machine }: CheckEnv['words'],
  fix = machine.notWrittenFix,
): Promise<Finding | undefined> {
  try {
    await rmdir(await mkdtemp(join(dir, '.jobcrier-')));
    return undefined;
  } catch (error) {
    return fail(machine.notWritten({ dir, code: codeOf(error) }), fix);
  }
}

async function roomIn(dir: string, words: CheckEnv['words']): Promise<Finding[]> {
  const refused = await whyNotWritten(dir, words);
  const { machine } = words;
  if (refused) return [refused];
  const findings: Finding[] = [];
  const { bavail, bsize, files, ffree } = await statfs(dir);
  const free = Math.floor((bavail * bsize) / MB);
  if (free < 100) findings.push(fail(machine.free({ mb: free, dir }), machine.fullFix));
  else if (free < 1024) findings.push(warn(machine.free({ mb: free, dir }), machine.soonFix));
  if (files > 0 && ffree < 1000) findings.push(warn(machine.files({ count: ffree, dir }), machine.filesFix));
  return findings.length > 0 ? findings : [ok(machine.written({ dir, mb: free }))];
}

export const diskCheck: Check = {
  name: 'disk',
  run: async ({ config, words }) =>
    (await Promise.all((await folders(config)).map((dir) => roomIn(dir, words)))).flat(),
};

export const fileSystemCheck: Check = {
  name: 'fileSystem',
  async run({ config, words }) {
    const sqlite = sqliteFile(config) !== undefined;
    return Promise.all((await folders(config)).map((dir) => kindOf(dir, sqlite, words)));
  },
};

async function kindOf(dir: string, sqlite: boolean, { machine }: CheckEnv['words']): Promise<Finding> {
  const { type } = await statfs(dir);
  const network = NETWORK[type];
  if (network && sqlite) return warn(machine.network({ dir, kind: network }), machine.networkFix);
  const passing = PASSING[type];
  if (passing) return warn(machine[passing]({ dir, kind: passing }), machine.passingFix);
  return ok(machine.local({ dir }));
}

// Shows the versions of jobcrier, Node and the system, which every bug report needs, and checks the version of Node.

/** The oldest version that package.json's engines allows. */
const LEAST = [20, 19] as const;

export const versionsCheck: Check = {
  name: 'versions',
  async run({ context, words: { machine } }) {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    const here = `jobcrier ${context.version}, Node ${process.versions.node}, ICU ${process.versions.icu}, ${platform()} ${release()} ${arch()}`;
    if (major < LEAST[0] || (major === LEAST[0] && minor < LEAST[1]))
      return [fail(here, machine.oldNode({ version: LEAST.join('.') }))];
    // Odd versions get fixes for about half a year only.
    if (major % 2 === 1) return [warn(here, machine.oddNode)];
    return [ok(here)];
  },
};

// Checks whether the daily backups are made. It looks at their files, because the service may not be running.

const HOUR_MS = 3_600_000;
/** Two hours more than the time between two backups, which the service makes every 24 hours. */
const LATE_MS = 26 * HOUR_MS;

export const backupsCheck: Check = {
  name: 'backups',
  async run({ config, context, words: all }) {
    const words = all.backups;
    const file = sqliteFile(config);
    if (!file) return [off(words.notSqlite)];
    if (config.backupKeep === 0) return [off(words.off)];
    const dir = backupsDir(config.dirs.data);
    const refused = await whyNotWritten(await existing(dir), all, words.folderFix({ dir }));
    if (refused) return [refused];
    const now = context.clock.now();
    const at = await newestBackupAt(config.dirs.data, now);
    if (at === undefined) {
      const since = (await stat(file).catch(() => undefined))?.birthtimeMs ?? now;
      if (now - since < HOUR_MS) return [ok(words.noneYet)];
      return [warn(words.none({ dir }), words.noneFix)];
    }
    const hours = Math.floor((now - at) / HOUR_MS);
    if (now - at > LATE_MS) return [warn(words.old({ hours }), words.oldFix)];
    return [ok(hours === 0 ? words.fresh : words.good({ hours }))];
  },
};
