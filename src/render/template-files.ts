// Reads the templates folder as a map from name to text. A second folder (the operator's) replaces single files. A
// stamp of the files shows at low cost whether any of them changed.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** One template: its text, and the path of the file to change. */
export interface TemplateFile {
  /** Path below the folder with slashes, e.g. `mail/digest.html.liquid`. */
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

const KINDS = /\.(?:liquid|css|js)$/u;
/** Bytes. A larger file is ignored, because it can't be a template. */
const LARGEST = 256_000;

function walk(dir: string): string[] {
  try {
    return readdirSync(dir, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && KINDS.test(entry.name) && !entry.name.startsWith('.'))
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}

/** Reads all folders. A file replaces one of the same name in an earlier folder. Missing folders count as empty. */
export function readTemplates(dirs: readonly string[]): ReadonlyMap<string, TemplateFile> {
  const files = new Map<string, TemplateFile>();
  for (const dir of dirs)
    for (const path of walk(dir)) {
      if (statSync(path).size > LARGEST) continue;
      const name = relative(dir, path).split(sep).join('/');
      files.set(name, { name, path, text: readFileSync(path, 'utf8') });
    }
  return files;
}

/** True when both hold the same texts under the same names. */
export function sameFiles(
  some: ReadonlyMap<string, TemplateFile>,
  others: ReadonlyMap<string, TemplateFile>,
): boolean {
  return some.size === others.size && [...some].every(([name, { text }]) => others.get(name)?.text === text);
}

/** Changes whenever a file in one of the folders is written, added or removed. */
export function stampOf(dirs: readonly string[]): string {
  return dirs
    .flatMap(walk)
    .map((path) => {
      try {
        const { mtimeMs, size, ino } = statSync(path);
        return `${path}:${mtimeMs}:${size}:${ino}`;
      } catch {
        return path;
      }
    })
    .join('\n');
}
