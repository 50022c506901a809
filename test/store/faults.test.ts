// Which fault the errors of databases are, and that a driver's own words are not shown.
import { describe, expect, test } from 'vitest';
import { StoreError, UserError } from '../../src/domain/errors.js';
import { asStoreErrors, storeError, toStoreError } from '../../src/store/faults.js';

const coded = (code: unknown, message = 'secret words') => Object.assign(new Error(message), { code });

describe('an error of a database', () => {
  test.for([
    ['SQLITE_FULL', 'full'],
    ['ENOSPC', 'full'],
    ['EDQUOT', 'full'],
    ['53100', 'full'],
    ['53200', 'full'],
    ['SQLITE_BUSY', 'locked'],
    ['SQLITE_LOCKED', 'locked'],
    ['SQLITE_PROTOCOL', 'locked'],
    ['55P03', 'locked'],
    ['40P01', 'locked'],
    ['57014', 'locked'],
    ['SQLITE_CORRUPT', 'corrupt'],
    ['SQLITE_NOTADB', 'corrupt'],
    ['XX001', 'corrupt'],
    ['XX002', 'corrupt'],
  ] as const)('%s is the fault %s, with its fix and code', ([code, fault]) => {
    const error = toStoreError(coded(code));
    expect(error).toBeInstanceOf(StoreError);
    expect(error.fault).toBe(fault);
    expect(error.message).toBe(storeError(fault, code).message);
    expect(error.message.endsWith(` (${code})`)).toBe(true);
    expect(error.cause).toBeUndefined();
  });

  test('of the file of SQLite names the settings of its file', () => {
    expect(toStoreError(coded('SQLITE_CANTOPEN'))).toMatchObject({
      fault: 'unavailable',
      message:
        "The file of the store can't be opened or written. Check that its folder exists and that this user can write to it (STORE_URL, DATA_DIR). (SQLITE_CANTOPEN)",
    });
  });

  test('that is not known is one that says the store is away, with its code if it has one', () => {
    const away =
      "The store can't be reached. Check that its server runs, and that STORE_URL and its permissions are right.";
    expect(toStoreError(coded('08006')).message).toBe(`${away} (08006)`);
    for (const unknown of [coded(undefined), coded(7), 'text', { code: 'SQLITE_FULL' }])
      expect(toStoreError(unknown)).toMatchObject({ fault: 'unavailable', message: away });
  });

  test('of a file that this user may not write says so', () => {
    const error = toStoreError(Object.assign(coded('EACCES'), { syscall: 'open', path: '/x' }));
    expect(error).toMatchObject({ fault: 'unavailable', message: "Can't write /x: permission denied." });
  });

  test('about text that is no JSON is a damaged store', () => {
    expect(toStoreError(new SyntaxError('Unexpected token')).fault).toBe('corrupt');
  });

  test('that is a fault already stays as it is', () => {
    const error = storeError('taken');
    expect(toStoreError(error)).toBe(error);
    expect(error.message).toBe('Another process took over this work, so nothing of it is written here.');
  });
});

describe('work with a database', () => {
  const failing = (error: unknown) => asStoreErrors(() => Promise.reject(error)).catch((one: unknown) => one);

  test('returns its result', async () => {
    expect(await asStoreErrors(async () => 7)).toBe(7);
  });

  test('throws errors of the database as faults', async () => {
    expect(await failing(coded('SQLITE_FULL'))).toMatchObject({ name: 'StoreError', fault: 'full' });
    // A driver's errors may be of any class.
    expect(await failing(Object.assign(new TypeError('x'), { code: 'ENOSPC' }))).toMatchObject({
      fault: 'full',
    });
  });

  test('throws errors of the user and of the program as they are', async () => {
    for (const error of [new UserError('wrong', 2), new TypeError('x'), new ReferenceError('y')])
      expect(await failing(error)).toBe(error);
  });
});
