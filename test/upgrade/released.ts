// The stores that version 0.1 wrote, placed where a test can open them. Its webhooks listened on ports that are no
// longer free, so their encrypted targets are written again, in the form of that version.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { createSealer } from '../../src/store/sealing.js';
import { parseSecretKeys } from '../../src/store/secret-keys.js';
import { withFile } from '../../src/store/sqlite/files.js';
import { loadRedis, type RedisDump } from './redis.js';
import { KEY, kept, type Story } from './story.js';

/** The present addresses of the webhooks of a story. */
export type Moved = Story['urls'];

/** The webhook of a story that each subscription uses. */
const HOOKS: Readonly<Record<string, keyof Moved>> = {
  hook: 'hook',
  underway: 'hook',
  away: 'away',
  gone: 'gone',
};

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const sealer = createSealer(parseSecretKeys(KEY, 'SECRET_KEY'), silent);

/** The stored text of a subscription with another webhook. */
function moved(id: string, text: string, urls: Moved): string {
  const entry = JSON.parse(text) as {
    value: { destinations: { id: string; sink: string; target: unknown }[] };
  };
  for (const one of entry.value.destinations)
    if (one.sink === 'webhook' && HOOKS[id])
      one.target = sealer.seal(urls[HOOKS[id]], {
        table: 'subscriptions',
        record: id,
        field: `destinations.${one.id}.target`,
      });
  return JSON.stringify(entry);
}

/** Writes the SQLite store of version 0.1 into a folder; returns its address. */
export async function putSqlite(dir: string, urls?: Moved): Promise<string> {
  const file = join(dir, 'store.sqlite');
  await writeFile(file, kept('sqlite.gz'), { mode: 0o600 });
  // Its process was killed. The tests do not depend on its machine, or on whether its lease has expired.
  await withFile(file, (run) => run('UPDATE lease SET expires = 0'));
  if (urls)
    await withFile(file, async (run) => {
      for (const { key, value } of await run('SELECT key, value FROM subscriptions'))
        await run('UPDATE subscriptions SET value = $1 WHERE key = $2', [
          moved(String(key), String(value), urls),
          key,
        ]);
    });
  return `sqlite://${file}`;
}

/**
 * Fills an empty PostgreSQL database with the store of version 0.1, with every time moved `later` by so many
 * milliseconds.
 */
export async function putPostgres(url: string, urls?: Moved, later = 0): Promise<void> {
  const dump = kept('postgres.sql.gz').toString();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(dump.replaceAll(/\b1(?:79|80)\d{10}\b/gu, (time) => String(Number(time) + later)));
    if (!urls) return;
    for (const { key, value } of (await client.query('SELECT key, value FROM jobcrier_subscriptions')).rows)
      await client.query('UPDATE jobcrier_subscriptions SET value = $1 WHERE key = $2', [
        moved(key, value, urls),
        key,
      ]);
  } finally {
    await client.end();
  }
}

/** Fills an empty Redis with the store of version 0.1. */
export function putRedis(url: string, urls?: Moved): Promise<void> {
  const { texts, sets } = JSON.parse(kept('redis.json.gz').toString()) as RedisDump;
  const prefix = 'jobcrier:subscriptions::';
  const all = Object.entries(texts).map(([key, text]) =>
    urls && key.startsWith(prefix) ? [key, moved(key.slice(prefix.length), text, urls)] : [key, text],
  );
  return loadRedis(url, { texts: Object.fromEntries(all), sets });
}
