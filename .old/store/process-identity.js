// Identifies the holder of a lease, so that another process on the same machine can check whether it is still running. A
// process id is not enough: ids are reused, and in two containers both processes can have id 1.
import { randomBytes } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
export async function identifyProcess(now) {
    const text = (path) => readFile(path, 'utf8').then(trim, () => '');
    return {
        host: hostname(),
        boot: await text('/proc/sys/kernel/random/boot_id'),
        pidSpace: await readlink('/proc/self/ns/pid').catch(() => ''),
        pid: process.pid,
        started: (await startOf(process.pid)) ?? '',
        nonce: randomBytes(6).toString('hex'),
        since: now,
    };
}
/**
 * Returns true only when the process has certainly ended. Processes of another host or container can't be checked from
 * here.
 */
export async function isDead(other, self) {
    if (other.host !== self.host || other.boot !== self.boot || other.pidSpace !== self.pidSpace)
        return false;
    if (self.started !== '')
        return (await startOf(other.pid)) !== other.started;
    try {
        process.kill(other.pid, 0);
        return false;
    }
    catch (error) {
        return error.code === 'ESRCH';
    }
}
export function describeHolder(holder) {
    const other = readIdentity(holder);
    if (!other)
        return 'another process';
    return `process ${other.pid} on ${other.host} (since ${new Date(other.since).toISOString()})`;
}
export function readIdentity(holder) {
    try {
        const value = JSON.parse(holder);
        return typeof value.pid === 'number' && typeof value.since === 'number'
            ? value
            : undefined;
    }
    catch {
        return undefined;
    }
}
/** Returns the start of a running process; undefined when there is none or it is a zombie (proc(5), stat). */
async function startOf(pid) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
    // The name in parentheses may contain any character, so fields are counted from its end.
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (!fields || fields[0] === 'Z' || fields[0] === 'X')
        return undefined;
    return fields[19];
}
function trim(text) {
    return text.trim();
}
//# sourceMappingURL=process-identity.js.map