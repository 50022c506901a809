// Checks whether the store works, which processes use it, and whether the files with secrets and settings are private.
import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.js';
import { reasonOf } from '../../domain/errors.js';
import { intervalWords, plannedLoads } from '../../domain/load.js';
import { ROLES, type Role } from '../../domain/role.js';
import type { Stores } from '../../ports/stores.js';
import type { OpenStores } from '../../store/index.js';
import { sqliteBinding } from '../../store/sqlite-connection.js';
import { hasContent } from '../../store/store-path.js';
import { type Check, type Finding, fail, off, ok, warn } from './check.js';

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
      'SECRET_KEY is not set and DATA_DIR/secret.key is missing, so stored tokens can not be read',
      'put the key file back from your copy; without one set every token anew after the next start',
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
          `it holds secrets sealed with ${missing.join(', ')}, which SECRET_KEY does not have`,
          `add the key after the others; if it is lost for good: jobcrier keys rotate --lost ${missing[0]}`,
        ),
        ...loose,
      ];
    const how = binding ? `; opened with ${binding}` : '';
    return [ok(`works; ${await usersOf(stores)}${how}`), ...(await overloaded(stores, config)), ...loose];
  },
};
