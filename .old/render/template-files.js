// The templates folder as a map from name to text. A second folder (the operator's) wins file by file, and a
// stamp of everything in both tells cheaply whether anything changed.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
const KINDS = /\.(?:liquid|css)$/u;
/** A larger one is no template but a mistake. */
const LARGEST = 256_000;
function walk(dir) {
    try {
        return readdirSync(dir, { withFileTypes: true, recursive: true })
            .filter((entry) => entry.isFile() && KINDS.test(entry.name) && !entry.name.startsWith('.'))
            .map((entry) => join(entry.parentPath, entry.name));
    }
    catch {
        return [];
    }
}
/** Reads all folders; a file of a later folder replaces one of the same name in an earlier one. Missing folders are empty. */
export function readTemplates(dirs) {
    const files = new Map();
    for (const dir of dirs)
        for (const path of walk(dir)) {
            if (statSync(path).size > LARGEST)
                continue;
            const name = relative(dir, path).split(sep).join('/');
            files.set(name, { name, path, text: readFileSync(path, 'utf8') });
        }
    return files;
}
/** True when both hold the same texts under the same names. */
export function sameFiles(some, others) {
    return some.size === others.size && [...some].every(([name, { text }]) => others.get(name)?.text === text);
}
/** Changes whenever a file in one of the folders is written, added or removed. */
export function stampOf(dirs) {
    return dirs
        .flatMap(walk)
        .map((path) => {
        try {
            const { mtimeMs, size, ino } = statSync(path);
            return `${path}:${mtimeMs}:${size}:${ino}`;
        }
        catch {
            return path;
        }
    })
        .join('\n');
}
//# sourceMappingURL=template-files.js.map