// The stores that version 0.1 wrote, put where a test can open them.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { loadRedis, type RedisDump } from './redis.js';
import { kept } from './story.js';

/** Writes the SQLite store of version 0.1 into a folder; its address. */
export async function putSqlite(dir: string): Promise<string> {
  const file = join(dir, 'store.sqlite');
  await writeFile(file, kept('sqlite.gz'), { mode: 0o600 });
  return `sqlite://${file}`;
}

/** Fills an empty PostgreSQL database with the store of version 0.1. */
export async function putPostgres(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(kept('postgres.sql.gz').toString());
  } finally {
    await client.end();
  }
}

/** Fills an empty Redis with the store of version 0.1. */
export function putRedis(url: string): Promise<void> {
  return loadRedis(url, JSON.parse(kept('redis.json.gz').toString()) as RedisDump);
}
