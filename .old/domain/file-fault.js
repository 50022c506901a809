// Errors of the file system, as a sentence that names the file and the problem.
import { UserError } from './errors.js';
const WORDS = {
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EROFS: 'the file system is read-only',
    ENOENT: 'there is no such file or folder',
    ENOTDIR: 'a part of its path is a file',
    EISDIR: 'it is a folder',
    EEXIST: 'a file is in the way',
    ENAMETOOLONG: 'a name in its path is too long',
    ELOOP: 'its symbolic links lead in a circle',
    ENOSPC: 'no space is left on the disk',
    EDQUOT: 'the disk quota is used up',
};
/**
 * Returns a sentence for an error of the file system, "Can't write ./copy.sqlite: permission denied."; undefined for
 * other errors.
 */
export function fileFault(error, doing, file) {
    const { code, path, syscall } = Object(error);
    const name = file ?? path;
    if (typeof code !== 'string' || typeof syscall !== 'string' || typeof name !== 'string')
        return undefined;
    return `Can't ${doing} ${name}: ${reasonIn(error)}.`;
}
/** Returns the code of a file system error in words, "permission denied". */
export function reasonIn(error) {
    const { code, syscall } = error;
    // Missing parent folders are created, so here the folder can't be created. For a read-only file system, Node
    // reports only this.
    if (code === 'ENOENT' && syscall === 'mkdir')
        return 'no folder can be made there, the file system may be read-only';
    return WORDS[String(code)] ?? String(code);
}
/**
 * Runs `work`. Throws an error of the file system as a {@link UserError} that names `file` as the person wrote it.
 */
export async function withFileFaults(doing, file, work) {
    try {
        return await work();
    }
    catch (error) {
        const says = fileFault(error, doing, file);
        throw says ? new UserError(says) : error;
    }
}
//# sourceMappingURL=file-fault.js.map