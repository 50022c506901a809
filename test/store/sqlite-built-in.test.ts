// The SQLite of Node behind the interface of Keyv's store: what it binds, the names of its failures, and that its
// thread starts and ends with the connections. .ci/run runs the whole contract of the store on it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtInConnections, hasBuiltIn } from '../../src/store/sqlite/built-in.js';
import { later } from '../helpers/later.js';
import { tempDir } from './fixtures.js';

async function opened(file?: string) {
  const path = file ?? join(await tempDir(), 'store.sqlite');
  const connect = builtInConnections(path, 50);
  const one = connect('meta');
  later(() => one.close().catch(() => undefined));
  return { path, connect, one };
}

describe.skipIf(!hasBuiltIn())('the SQLite of Node', () => {
  test('returns what was bound, with integers as such, also in a column of texts', async () => {
    const { one } = await opened();
    const sql = 'SELECT ?1 AS whole, ?2 AS part, ?3 AS text, ?4 AS none, typeof(?1) AS type';
    expect(await one.query(sql, [1_700_000_000_000, 0.5, 'é\u0000x', null])).toEqual([
      { whole: 1_700_000_000_000, part: 0.5, text: 'é\u0000x', none: null, type: 'integer' },
    ]);
    await one.query('INSERT INTO meta (key, value) VALUES (?1, ?2)', ['a', 5]);
    expect(await one.query('SELECT value FROM meta')).toEqual([{ value: '5' }]);
  });

  test('reads for Keyv in the requested order', async () => {
    const { one } = await opened();
    await one.set('a', '1');
    await one.set('a', '2');
    await one.set('b', '3');
    expect(await one.getMany(['b', 'none', 'a'])).toEqual(['3', undefined, '2']);
    expect(await one.get('a')).toBe('2');
    expect([await one.delete('a'), await one.delete('a')]).toEqual([true, false]);
    await one.clear();
    expect(await one.get('b')).toBeUndefined();
  });

  test('names failures as the package does', async () => {
    const { path, connect, one } = await opened();
    await expect(one.query('SELECT nothing')).rejects.toMatchObject({ code: 'SQLITE_ERROR' });
    const two = connect('meta');
    later(() => two.close());
    await one.query('BEGIN IMMEDIATE');
    await expect(two.query('BEGIN IMMEDIATE')).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
    await one.query('ROLLBACK');
    const damaged = `${path}.damaged`;
    await writeFile(damaged, 'no database '.repeat(200));
    await expect((await opened(damaged)).one.query('SELECT 1')).rejects.toMatchObject({
      code: 'SQLITE_NOTADB',
    });
    const nowhere = await opened(join(path, 'no/folder.sqlite'));
    await expect(nowhere.one.query('SELECT 1')).rejects.toMatchObject({ code: 'SQLITE_CANTOPEN' });
  });

  test('refuses statements after it was closed, and opens again', async () => {
    const { path, one } = await opened();
    await one.set('a', '1');
    await one.close();
    await one.close();
    await expect(one.query('SELECT 1')).rejects.toMatchObject({ code: 'SQLITE_MISUSE' });
    expect(await (await opened(path)).one.get('a')).toBe('1');
  });

  test('does not block other connections of the file while its statement takes long', async () => {
    const { path, one } = await opened();
    const count =
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000000) SELECT max(i) FROM n';
    const ended: string[] = [];
    const long = (await opened(path)).one.query(count).then(() => ended.push('long'));
    await one.query('SELECT 1').then(() => ended.push('short'));
    await long;
    expect(ended).toEqual(['short', 'long']);
  });
});
