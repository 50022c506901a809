// Reads STORE_URL. The address may hold a password, so no message repeats it.
import { stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { throwFaults, UserError } from '../domain/errors.js';
import { reasonIn } from '../domain/file-fault.js';
import { readPostgresUrl, tlsOf } from './postgres/url.js';
/**
 * Parses `sqlite://relative/to/cwd`, `sqlite:///absolute` or `postgres://…`, see {@link readPostgresUrl}. `name`: the
 * setting or option that contained it. Throws a {@link UserError} (exit 2) with all faults for anything else.
 */
export function parseStoreUrl(url, name = 'STORE_URL') {
    const scheme = /^([a-z]+):\/\//iu.exec(url)?.[1]?.toLowerCase();
    if (scheme === 'sqlite') {
        const path = url.slice('sqlite://'.length);
        if (path === '' || path === ':memory:')
            throw new UserError(`${name}: wanted a file, for example sqlite://data/jobcrier.sqlite.`, 2);
        return { kind: 'sqlite', file: resolve(path) };
    }
    if (scheme !== 'postgres' && scheme !== 'postgresql')
        throw new UserError(`${name}: wanted an address that starts with sqlite:// or postgres://.`, 2);
    const read = readPostgresUrl(url);
    if ('faults' in read)
        throwFaults(read.faults.map((fault) => `${name}: ${fault}`));
    return { kind: 'postgres', address: read.address };
}
/** Returns the faults of files that a PostgreSQL address names, as sentences without the name of the setting. */
export function storeFileFaults(url) {
    if (!/^postgres/iu.test(url))
        return [];
    const read = readPostgresUrl(url);
    return 'address' in read ? tlsOf(read.address.ssl).faults : [];
}
/** Returns true for a Redis address, which was a store in version 0.1. */
export function isRedisUrl(url) {
    return /^rediss?:\/\//iu.test(url);
}
/**
 * Returns the same text for two addresses of one store, as far as the addresses show it: without user name (unless it
 * names the database), password and connection settings.
 */
export function placeOfStore(url) {
    if (isRedisUrl(url)) {
        const { host, pathname } = new URL(url);
        return `redis ${host} ${pathname.slice(1) || '0'}`;
    }
    const where = parseStoreUrl(url);
    if (where.kind === 'sqlite')
        return `sqlite ${where.file}`;
    const { hosts, database, user } = where.address;
    const servers = hosts.map(({ host, port }) => `${host}:${port}`).sort();
    return `postgres ${servers.join()} ${database ?? user ?? ''}`;
}
// Checks where a SQLite store may be, without opening one.
/**
 * Returns whether the file has content. An empty file was created and never written to. Throws a {@link UserError} (exit
 * 2) where there can't be a store: at a folder, below a file, in a folder of the kernel, or where this user has no
 * access.
 */
export async function hasContent(file) {
    try {
        const info = await stat(file);
        if (info.isFile())
            return info.size > 0;
        throw noStoreAt(file, info.isDirectory() ? 'it is a folder' : 'it is not a file');
    }
    catch (error) {
        if (error instanceof UserError)
            throw error;
        if (codeOf(error) !== 'ENOENT')
            throw noStoreAt(file, reasonIn(error));
    }
    const kernels = await kernelFolder(dirname(file));
    if (kernels)
        throw noStoreAt(file, `${kernels} belongs to the kernel, and no file can be made in it`);
    return false;
}
function noStoreAt(file, why) {
    return new UserError(`There can't be a store at ${file}: ${why}. Wanted in STORE_URL or DATA_DIR: a path that this user can read and write.`, 2);
}
/**
 * File systems by magic number (Linux, statfs(2)): proc, sysfs, devpts. Their permission bits allow more than the kernel
 * does.
 */
const KERNELS = new Set([0x9fa0, 0x62656572, 0x1cd1]);
/** Returns the folder, or its nearest existing parent, if that belongs to the kernel. */
export async function kernelFolder(dir) {
    try {
        return KERNELS.has((await statfs(dir)).type) ? dir : undefined;
    }
    catch (error) {
        const isAbsent = codeOf(error) === 'ENOENT' && dirname(dir) !== dir;
        return isAbsent ? kernelFolder(dirname(dir)) : undefined;
    }
}
function codeOf(error) {
    return error.code;
}
//# sourceMappingURL=store-url.js.map