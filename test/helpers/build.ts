// Tests of the command line and of the whole program run dist/main.js, the shipped program. It is built once per run,
// and only when a source file is newer than the build.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = join(ROOT, 'dist/main.js');
const NEEDS_BUILD = /(?:^|\/)(?:cli|e2e|engine|examples|load|main|pictures|store|upgrade)(?:$|[/.])/u;

function newest(dir: string): number {
  const times = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs);
  return Math.max(...times);
}

/** vitest names the files to run on its command line; without any it runs all. */
function wanted(args: readonly string[]): boolean {
  const paths = args.filter((arg) => arg.startsWith('test/'));
  return paths.length === 0 || paths.some((path) => NEEDS_BUILD.test(path));
}

function fresh(): boolean {
  return existsSync(MAIN) && statSync(MAIN).mtimeMs > newest(join(ROOT, 'src'));
}

/**
 * Compiles in place, like `npm run build` but without emptying dist first, because another run may be using it. A type error
 * fails the build only when there is no output, because checking types is not the task of the tests.
 */
export function setup(): void {
  if (!wanted(process.argv) || fresh()) return;
  const started = Date.now();
  const tsc = join(ROOT, 'node_modules/typescript-compiler/bin/tsc');
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (!existsSync(MAIN) || statSync(MAIN).mtimeMs < started)
    throw new Error(`The build failed:\n${stdout}\n${stderr}`);
}
