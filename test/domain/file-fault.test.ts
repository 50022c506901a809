// System errors about a file, as sentences.
import { expect, test } from 'vitest';
import { fileFault } from '../../src/domain/file-fault.js';

test("a folder that can't be created on a read-only file system, for which Node reports ENOENT, is not reported as missing", () => {
  const error = (syscall: string) =>
    Object.assign(new Error('ENOENT'), { code: 'ENOENT', syscall, path: '/out' });
  expect(fileFault(error('mkdir'), 'write')).toBe(
    "Can't write /out: no folder can be made there, the file system may be read-only.",
  );
  expect(fileFault(error('open'), 'write')).toBe("Can't write /out: there is no such file or folder.");
});
