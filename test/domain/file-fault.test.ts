// System errors about a file, as sentences.
import { expect, test } from 'vitest';
import { UserError } from '../../src/domain/errors.js';
import { fileFault, withFileFaults } from '../../src/domain/file-fault.js';

test("a folder that can't be created on a read-only file system, for which Node reports ENOENT, is not reported as missing", () => {
  const error = (syscall: string) =>
    Object.assign(new Error('ENOENT'), { code: 'ENOENT', syscall, path: '/out' });
  expect(fileFault(error('mkdir'), 'write')).toBe(
    "Can't write /out: no folder can be made there, the file system may be read-only.",
  );
  expect(fileFault(error('open'), 'write')).toBe("Can't write /out: there is no such file or folder.");
});

test.each([
  ['EACCES', 'permission denied'],
  ['ENOSPC', 'no space is left on the disk'],
  ['EWHAT', 'EWHAT'],
])('%s is said in words, with the file as the person wrote it', (code, words) => {
  const error = Object.assign(new Error(code), { code, syscall: 'open', path: '/full/path' });
  expect(fileFault(error, 'read', './path')).toBe(`Can't read ./path: ${words}.`);
});

test.each([
  [{ code: 'EACCES', syscall: 'open' }],
  [{ code: 'EACCES', path: '/a' }],
  [{ code: 7, syscall: 'open', path: '/a' }],
  [{ syscall: 'open', path: '/a' }],
  ['EACCES'],
  [null],
  [undefined],
])('%j is not an error of the file system', (error) => {
  expect(fileFault(error, 'read')).toBeUndefined();
});

test('mkdir that is refused for another reason says that reason', () => {
  const error = Object.assign(new Error('EACCES'), { code: 'EACCES', syscall: 'mkdir', path: '/a' });
  expect(fileFault(error, 'write')).toBe("Can't write /a: permission denied.");
});

test('work with a file passes its result on, and its errors as sentences', async () => {
  expect(await withFileFaults('read', './a', async () => 'text')).toBe('text');
  const denied = Object.assign(new Error('EACCES'), { code: 'EACCES', syscall: 'open', path: '/a' });
  const failing = (error: unknown) => withFileFaults('write', './a', () => Promise.reject(error));
  await expect(failing(denied)).rejects.toEqual(new UserError("Can't write ./a: permission denied."));
  const other = new TypeError('a bug');
  await expect(failing(other)).rejects.toBe(other);
});
