// The directory of the daily backups. Their names sort by time, and only the wanted number is kept.
import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
const NAME = /^jobcrier-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.sqlite$/u;
const DRAFT = /^jobcrier-.*\.sqlite\.\d+\.part$/u;
export function backupsDir(dataDir) {
    return join(dataDir, 'backups');
}
/** Returns the file name for a backup made at `now`. */
export function backupFile(dir, now) {
    return join(dir, `jobcrier-${new Date(now).toISOString().slice(0, 19).replaceAll(':', '-')}Z.sqlite`);
}
/** Returns backups with names of {@link backupFile}, newest first. Other files are ignored. */
export async function listBackups(dir) {
    const names = await readdir(dir).catch(() => []);
    return names
        .filter((name) => NAME.test(name))
        .sort()
        .reverse()
        .map((name) => join(dir, name));
}
/**
 * Deletes all but the newest `keep` backups, and drafts that a crash left behind. Returns the deleted files. Backups
 * dated after `now` come from a clock that was later set back. They count as the oldest, or they would displace every new
 * one.
 */
export async function rotateBackups(dir, keep, now) {
    const all = await listBackups(dir);
    const isAhead = (file) => file > backupFile(dir, now);
    const sorted = [...all.filter((file) => !isAhead(file)), ...all.filter(isAhead)];
    const old = [...sorted.slice(Math.max(0, keep)), ...(await listDrafts(dir))];
    for (const file of old)
        await unlink(file);
    return old;
}
/** Returns unfinished copies that were not written to for a day. */
async function listDrafts(dir) {
    const names = await readdir(dir).catch(() => []);
    const drafts = names.filter((name) => DRAFT.test(name)).map((name) => join(dir, name));
    const written = await Promise.all(drafts.map(async (file) => (await stat(file)).mtimeMs));
    return drafts.filter((_, index) => (written[index] ?? 0) < Date.now() - 86_400_000);
}
//# sourceMappingURL=backups-dir.js.map