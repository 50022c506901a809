// Checks whether the store works, which processes use it, and whether the files with secrets and settings are private.
import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.js';
import { reasonOf } from '../../domain/errors.js';
import { type Finding, fail, off, ok, warn } from '../../domain/finding.js';
import { plannedLoads } from '../../domain/load.js';
import { ROLES, type Role } from '../../domain/role.js';
import { inspectRedis } from '../../engine/redis.js';
import type { Stores } from '../../ports/stores.js';
import type { OpenStores } from '../../store/index.js';
import { inspectPostgres } from '../../store/postgres/backend.js';
import { loadSqlite } from '../../store/sqlite/connection.js';
import { hasContent, parseStoreUrl } from '../../store/store-url.js';
import type { Check, CheckEnv } from './check.js';

/** The path of the SQLite file in STORE_URL; undefined for other kinds of store. */
export function sqliteFile(config: Config): string | undefined {
  return /^sqlite:\/\/(.+)$/u.exec(config.store.url)?.[1];
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Why a check must not open the store, because opening would make what is missing; undefined when it may. */
export async function storeAbsent(
  config: Config,
  { store }: CheckEnv['words'],
): Promise<Finding | undefined> {
  const file = sqliteFile(config);
  if (file)
    try {
      if (!(await hasContent(file))) return off(store.noneYet);
    } catch (error) {
      return fail(reasonOf(error), store.pathFix);
    }
  const keyFile = join(config.dirs.data, 'secret.key');
  if (!config.secretKey && !(await exists(keyFile))) return fail(store.noKey, store.noKeyFix);
  return undefined;
}

async function loosePermissions(
  config: Config,
  cwd: string,
  { store }: CheckEnv['words'],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const path of [join(config.dirs.data, 'secret.key'), sqliteFile(config), join(cwd, '.env')]) {
    const info = path ? await stat(path).catch(() => undefined) : undefined;
    if (path && info && (info.mode & 0o004) !== 0)
      findings.push(warn(store.readable({ path }), `chmod 600 ${path}`));
  }
  return findings;
}

async function usersOf({ processes, lease }: OpenStores, { store }: CheckEnv['words']): Promise<string> {
  const all = await processes.list();
  if (all.length > 0) {
    const count = (role: Role) => all.filter((one) => one.role === role).length;
    const named = ROLES.filter((role) => count(role) > 0).map((role) => `${count(role)} ${role}`);
    return store.shared({ list: named.join(', ') });
  }
  const holder = await lease.holder();
  return holder ? store.inUse({ holder }) : store.unused;
}

/** A warning when accounts have more requests than one token can make in time. */
async function overloaded(
  { subscriptions }: Stores,
  config: Config,
  { store }: CheckEnv['words'],
): Promise<Finding[]> {
  const { spacingMs } = config.jobsApi;
  const loads = await plannedLoads(subscriptions.list(), { spacingMs, now: Date.now() });
  const over = [...loads.values()].filter(({ share }) => share > 1);
  const [worst] = over.toSorted((a, b) => b.share - a.share);
  if (!worst) return [];
  const { requests, fittingMinutes } = worst;
  const interval =
    fittingMinutes % 60 === 0
      ? store.hours({ count: fittingMinutes / 60 })
      : store.minutes({ count: fittingMinutes });
  return [warn(store.overloaded({ count: over.length, requests }), store.overloadedFix({ interval }))];
}

export const storeCheck: Check = {
  name: 'store',
  async run(env) {
    const { config, context, words } = env;
    const { store } = words;
    const loose = await loosePermissions(config, context.cwd, words);
    let binding: string | undefined;
    try {
      if (sqliteFile(config)) binding = (await loadSqlite()).name;
    } catch (error) {
      return [fail(store.closed, reasonOf(error)), ...loose];
    }
    const absent = await storeAbsent(config, words);
    if (absent) return [absent, ...loose];
    const stores = await env.stores();
    if (!stores) return [fail(store.closed, (await env.storeTrouble()) ?? store.closedFix), ...loose];
    await stores.probe();
    const missing = await stores.missingKeys();
    if (missing.length > 0)
      return [
        fail(store.lostKey({ keys: missing.join(', ') }), store.lostKeyFix({ key: missing[0]! })),
        ...loose,
      ];
    const users = await usersOf(stores, words);
    const works = binding ? store.worksWith({ users, binding }) : store.works({ users });
    return [ok(works), ...(await overloaded(stores, config, words)), ...loose];
  },
};

// Checks PostgreSQL: its version, its free connections, and settings that can lose confirmed data.

/** The oldest major version that the PostgreSQL project still supports. */
const LEAST = 14;

export const postgresCheck: Check = {
  name: 'postgres',
  async run({ config, words: { postgres: words } }) {
    const where = parseStoreUrl(config.store.url);
    if (where.kind !== 'postgres') return [off(words.sqlite)];
    const { version, fsync, synchronousCommit, encoding, connections } = await inspectPostgres(where.address);
    const findings: Finding[] = [];
    if (Number.parseInt(version, 10) < LEAST)
      findings.push(warn(words.old({ version }), words.oldFix({ version: LEAST })));
    if (encoding !== 'UTF8') findings.push(fail(words.encoding({ encoding }), words.encodingFix));
    if (fsync !== 'on') findings.push(fail(words.fsync, words.fsyncFix));
    if (synchronousCommit === 'off') findings.push(fail(words.commit, words.commitFix));
    const free = connections.most - connections.used;
    if (free < connections.pool) findings.push(warn(words.crowded(connections), words.crowdedFix));
    return findings.length > 0 ? findings : [ok(words.good({ version, free }))];
  },
};

// Checks whether Redis answers and is set up to lose no job.

export const queueCheck: Check = {
  name: 'queue',
  async run({ config: { queueUrl }, words: { queue: words } }) {
    if (!queueUrl) return [off(words.off)];
    let report: Awaited<ReturnType<typeof inspectRedis>>;
    try {
      report = await inspectRedis(queueUrl);
    } catch (error) {
      return [fail(reasonOf(error), words.silentFix)];
    }
    const { server, faults } = report;
    return faults.length > 0 ? faults.map(({ says, fix }) => fail(says, fix)) : [ok(server)];
  },
};
