// The address of a store: what is read from it, and the error for each fault.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readPostgresUrl } from '../../src/store/postgres/url.js';
import {
  hasContent,
  isRedisUrl,
  kernelFolder,
  parseStoreUrl,
  placeOfStore,
  storeFileFaults,
} from '../../src/store/store-url.js';

const dir = mkdtempSync(join(tmpdir(), 'jobcrier-address-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function addressOf(url: string) {
  const read = readPostgresUrl(url);
  return 'address' in read ? read.address : read.faults;
}
function faultsOf(url: string): readonly string[] {
  const read = readPostgresUrl(url);
  return 'faults' in read ? read.faults : [];
}

describe('an address', () => {
  test('names hosts, login, database and the settings of the connection', () => {
    expect(
      addressOf(
        'postgresql://crier:p%40ss%3Aw@db1.example.org:5432,db2,[::1]:5434/jobs?target_session_attrs=read-write&sslmode=require&connect_timeout=3&connection_limit=4&application_name=crier',
      ),
    ).toEqual({
      hosts: [
        { host: 'db1.example.org', port: 5432 },
        { host: 'db2', port: 5432 },
        { host: '::1', port: 5434 },
      ],
      user: 'crier',
      password: 'p@ss:w',
      database: 'jobs',
      applicationName: 'crier',
      connections: 4,
      connectMs: 3000,
      statementMs: 15_000,
      ssl: { mode: 'require' },
    });
  });

  test.each([
    ['postgres://', [{ host: '', port: 5432 }]],
    ['postgres://h/db?port=6000', [{ host: 'h', port: 6000 }]],
    ['postgres:///db?host=/run/postgresql', [{ host: '/run/postgresql', port: 5432 }]],
    ['postgres://%2Frun%2Fpostgresql:5433/db', [{ host: '/run/postgresql', port: 5433 }]],
    [
      'postgres:///db?host=a,b&port=1,2',
      [
        { host: 'a', port: 1 },
        { host: 'b', port: 2 },
      ],
    ],
  ])('%s leads to its hosts', (url, hosts) => {
    expect(addressOf(url)).toMatchObject({ hosts, ssl: { mode: 'prefer' } });
  });

  test('encrypts as configured', () => {
    expect(addressOf('postgres://h/db?ssl=true')).toMatchObject({ ssl: { mode: 'require' } });
    expect(addressOf('postgres://h/db?sslmode=verify-full&sslrootcert=system')).toMatchObject({
      ssl: { mode: 'verify-full', rootcert: 'system' },
    });
  });
});

describe('a fault', () => {
  test('is reported by name together with all others, with the expected value, and never with a password', () => {
    const url =
      'postgres://u:can%ary@h:0,:5432,b:no/db?sslmode=verify&target_session_attrs=any&connect_timeout=0&connection_limit=many&tcp=1&port=1&port=2&channel_binding=require';
    const faults = faultsOf(url);
    expect(faults.join('\n')).not.toContain('canary');
    expect(faults).toEqual([
      expect.stringMatching(/^tcp: not a known parameter; wanted application_name, .*user\.$/u),
      'port: given twice; wanted once.',
      'password: wanted percent-encoded text; a "%" itself is written %25.',
      'host 1: given port 0; wanted a whole number from 1 to 65535.',
      'host 2: wanted a name or an address, for example db1.example.org:5432 or [::1]:5432.',
      'host 3: given port no; wanted a whole number from 1 to 65535.',
      'target_session_attrs: given any; wanted read-write, primary.',
      'channel_binding: given require; wanted prefer, disable.',
      'connection_limit: given many; wanted a whole number from 2 to 1000.',
      'connect_timeout: given 0; wanted a whole number from 1 to 20.',
      'sslmode: given verify; wanted disable, prefer, require, verify-ca, verify-full.',
    ]);
    expect(() => parseStoreUrl(url)).toThrow(/^STORE_URL: tcp: .*\nSTORE_URL: port: /u);
  });

  test.each([
    ['postgres://h/db?sslmode=verify-ca', /^sslmode: verify-ca needs sslrootcert/u],
    ['postgres://h/db?sslmode=require&sslrootcert=system', /^sslrootcert: system needs sslmode=verify-full/u],
    ['postgres://h/db?sslcert=a.pem', /^sslkey: not given; wanted both/u],
    ['postgres://h/db?sslmode=no-verify', /^sslmode: given no-verify; wanted disable/u],
    ['postgres://u:p w@h/db', /^wanted postgres:\/\/user:password@host:port\/database/u],
    [
      'postgres://h:1,h:2/db?port=1,2,3',
      /^port: given 3; wanted one for all hosts or one for each of the 2\./u,
    ],
  ])('%s', (url, fault) => {
    expect(faultsOf(url)).toEqual([expect.stringMatching(fault)]);
  });

  test('in a certificate is reported before anything connects', () => {
    const none = join(dir, 'none.pem');
    writeFileSync(none, 'nothing');
    expect(storeFileFaults(`postgres://h/db?sslmode=verify-ca&sslrootcert=${dir}/absent.pem`)).toEqual([
      "sslrootcert: the file can't be read (ENOENT).",
    ]);
    expect(storeFileFaults(`postgres://h/db?sslmode=verify-ca&sslrootcert=${none}`)).toEqual([
      expect.stringMatching(/^sslrootcert, sslcert, sslkey: wanted PEM files/u),
    ]);
    expect(storeFileFaults('postgres://h/db')).toEqual([]);
    expect(storeFileFaults('sqlite://data/x.sqlite')).toEqual([]);
  });
});

describe('the place of a store', () => {
  test.each([
    ['sqlite://data/x.sqlite', `sqlite ${join(process.cwd(), 'data/x.sqlite')}`],
    ['SQLITE:///data/x.sqlite', 'sqlite /data/x.sqlite'],
    ['redis://u:p@host', 'redis host 0'],
    ['rediss://host:6380/3', 'redis host:6380 3'],
    ['postgres://u:p@b,a:6000/db?connect_timeout=3', 'postgres a:6000,b:5432 db'],
    ['postgresql://u:p@h', 'postgres h:5432 u'],
    ['postgres://h', 'postgres h:5432 '],
  ])('of %s is the same however it is written', (url, place) => {
    expect(placeOfStore(url)).toBe(place);
  });

  test('knows an address of Redis', () => {
    expect(
      ['redis://h', 'REDISS://h', 'redis:h', 'x-redis://h', 'postgres://redis://'].map(isRedisUrl),
    ).toEqual([true, true, false, false, false]);
  });

  test.each(['sqlite://', 'sqlite://:memory:'])('is a file, so %s is refused', (url) => {
    expect(() => parseStoreUrl(url, '--to')).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: '--to: wanted a file, for example sqlite://data/jobcrier.sqlite.',
      }),
    );
  });

  test.each(['', 'x', 'mysql://h/db', ' sqlite://x', 'redis://h'])(
    'is none of this program in "%s"',
    (url) => {
      expect(() => parseStoreUrl(url)).toThrow(
        expect.objectContaining({
          exitCode: 2,
          message: 'STORE_URL: wanted an address that starts with sqlite:// or postgres://.',
        }),
      );
      expect(storeFileFaults(url)).toEqual([]);
    },
  );
});

describe('the file of a store', () => {
  const refused = (path: string, why: string) =>
    expect(hasContent(path)).rejects.toMatchObject({
      exitCode: 2,
      message: `There can't be a store at ${path}: ${why}. Wanted in STORE_URL or DATA_DIR: a path that this user can read and write.`,
    });

  test('has content once something was written to it', async () => {
    const file = join(dir, 'a.sqlite');
    expect(await hasContent(file)).toBe(false);
    expect(await hasContent(join(dir, 'not', 'yet', 'a.sqlite'))).toBe(false);
    writeFileSync(file, '');
    expect(await hasContent(file)).toBe(false);
    writeFileSync(file, 'x');
    expect(await hasContent(file)).toBe(true);
  });

  test('can not be at a folder, at a device or below a file', async () => {
    writeFileSync(join(dir, 'file'), 'x');
    await refused(dir, 'it is a folder');
    await refused('/dev/null', 'it is not a file');
    await refused(join(dir, 'file', 'a.sqlite'), 'a part of its path is a file');
  });

  test.skipIf(process.platform !== 'linux')('can not be in a folder of the kernel', async () => {
    await refused('/proc/a.sqlite', '/proc belongs to the kernel, and no file can be made in it');
    await refused('/sys/none/a.sqlite', '/sys belongs to the kernel, and no file can be made in it');
    expect(await kernelFolder(dir)).toBeUndefined();
    expect(await kernelFolder('/none/at/all')).toBeUndefined();
  });
});
