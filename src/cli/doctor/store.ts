// Checks whether the store works, which processes use it, and whether the files with secrets and settings are private.
import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.js';
import { reasonOf } from '../../domain/errors.js';
import { type Finding, fail, off, ok, warn } from '../../domain/finding.js';
import { intervalWords, plannedLoads } from '../../domain/load.js';
import { ROLES, type Role } from '../../domain/role.js';
import { inspectRedis } from '../../engine/redis.js';
import type { Stores } from '../../ports/stores.js';
import type { OpenStores } from '../../store/index.js';
import { inspectPostgres } from '../../store/postgres/backend.js';
import { sqliteBinding } from '../../store/sqlite/connection.js';
import { hasContent, parseStoreUrl } from '../../store/store-url.js';
import type { Check } from './check.js';

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
export async function storeAbsent(config: Config): Promise<Finding | undefined> {
  const file = sqliteFile(config);
  if (file)
    try {
      if (!(await hasContent(file))) return off('there is none yet; the first start makes it');
    } catch (error) {
      return fail(reasonOf(error), 'correct STORE_URL or DATA_DIR, or the permissions of the folder');
    }
  const keyFile = join(config.dirs.data, 'secret.key');
  if (!config.secretKey && !(await exists(keyFile)))
    return fail(
      "SECRET_KEY is not set and DATA_DIR/secret.key is missing, so stored tokens can't be read",
      'restore the key file from your copy; if you have none, set every token again after the next start',
    );
  return undefined;
}

async function loosePermissions(config: Config, cwd: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const path of [join(config.dirs.data, 'secret.key'), sqliteFile(config), join(cwd, '.env')]) {
    const info = path ? await stat(path).catch(() => undefined) : undefined;
    if (path && info && (info.mode & 0o004) !== 0)
      findings.push(warn(`${path} can be read by every user of this machine`, `chmod 600 ${path}`));
  }
  return findings;
}

async function usersOf({ processes, lease }: OpenStores): Promise<string> {
  const all = await processes.list();
  if (all.length > 0) {
    const count = (role: Role) => all.filter((one) => one.role === role).length;
    const named = ROLES.filter((role) => count(role) > 0).map((role) => `${count(role)} ${role}`);
    return `shared by these processes: ${named.join(', ')}`;
  }
  const holder = await lease.holder();
  return holder ? `in use by ${holder}` : 'no service is running on it';
}

/** A warning when accounts have more requests than one token can make in time. */
async function overloaded({ subscriptions }: Stores, config: Config): Promise<Finding[]> {
  const { spacingMs } = config.jobsApi;
  const loads = await plannedLoads(subscriptions.list(), { spacingMs, now: Date.now() });
  const over = [...loads.values()].filter(({ share }) => share > 1);
  const [worst] = over.toSorted((a, b) => b.share - a.share);
  if (!worst) return [];
  const many = over.length === 1 ? 'one account has' : `${over.length} accounts have`;
  return [
    warn(
      `${many} more requests than one API token can make in time (${worst.requests} requests at most), so their postings come late`,
      `fewer tags or subscriptions for an account, or a schedule of at most one poll every ${intervalWords(worst.fittingMinutes)}`,
    ),
  ];
}

export const storeCheck: Check = {
  name: 'store',
  async run(env) {
    const { config, context } = env;
    const loose = await loosePermissions(config, context.cwd);
    let binding: string | undefined;
    try {
      if (sqliteFile(config)) binding = await sqliteBinding();
    } catch (error) {
      return [fail('it does not open', reasonOf(error)), ...loose];
    }
    const absent = await storeAbsent(config);
    if (absent) return [absent, ...loose];
    const stores = await env.stores();
    if (!stores) return [fail('it does not open', (await env.storeTrouble()) ?? 'see STORE_URL'), ...loose];
    await stores.probe();
    const missing = await stores.missingKeys();
    if (missing.length > 0)
      return [
        fail(
          `it holds secrets encrypted with ${missing.join(', ')}, which SECRET_KEY does not have`,
          `add the key after the others; if it is lost for good: jobcrier keys rotate --lost ${missing[0]}`,
        ),
        ...loose,
      ];
    const how = binding ? `; opened with ${binding}` : '';
    return [ok(`works; ${await usersOf(stores)}${how}`), ...(await overloaded(stores, config)), ...loose];
  },
};

// Checks PostgreSQL: its version, its free connections, and settings that can lose confirmed data.

/** The oldest major version that the PostgreSQL project still supports. */
const LEAST = 14;

export const postgresCheck: Check = {
  name: 'PostgreSQL',
  async run({ config }) {
    const where = parseStoreUrl(config.store.url);
    if (where.kind !== 'postgres') return [off('the store is a SQLite file')];
    const { version, fsync, synchronousCommit, encoding, connections } = await inspectPostgres(where.address);
    const findings: Finding[] = [];
    if (Number.parseInt(version, 10) < LEAST)
      findings.push(warn(`version ${version} is no longer supported`, `use PostgreSQL ${LEAST} or newer`));
    if (encoding !== 'UTF8')
      findings.push(
        fail(`the database is in ${encoding}`, 'create a database with ENCODING UTF8 and use it'),
      );
    if (fsync !== 'on')
      findings.push(fail('fsync is off: a power cut can destroy the database', 'set fsync = on'));
    if (synchronousCommit === 'off')
      findings.push(
        fail(
          'synchronous_commit is off: what was confirmed can be lost in a crash, and is announced again then',
          'set synchronous_commit = on, at least for this database',
        ),
      );
    const free = connections.most - connections.used;
    if (free < connections.pool)
      findings.push(
        warn(
          `${connections.used} of ${connections.most} connections are in use, and each process opens up to ${connections.pool}`,
          'raise max_connections',
        ),
      );
    return findings.length > 0 ? findings : [ok(`version ${version}, ${free} connections free`)];
  },
};

// Checks whether Redis answers and is set up to lose no job.

export const queueCheck: Check = {
  name: 'queue',
  async run({ config: { queueUrl } }) {
    if (!queueUrl) return [off('QUEUE_URL is not set: one process does everything')];
    let report: Awaited<ReturnType<typeof inspectRedis>>;
    try {
      report = await inspectRedis(queueUrl);
    } catch (error) {
      return [
        fail(
          reasonOf(error),
          'check QUEUE_URL, that Redis runs and that it accepts connections from this machine',
        ),
      ];
    }
    const { server, faults } = report;
    return faults.length > 0 ? faults.map(({ says, fix }) => fail(says, fix)) : [ok(server)];
  },
};
