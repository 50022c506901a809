// npm runs this after an install in the folder of the project and before it packs it. It builds dist/ if the sources
// and the compiler are there; a packed package already contains dist/. Then it removes what compiling the SQLite
// binding left and, from an install without development dependencies, the files that are not read at run time.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const hasSources = existsSync('src/main.ts') && existsSync('tsconfig.build.json');
if (hasSources && existsSync('node_modules/typescript-compiler')) {
  const { status } = spawnSync('npm', ['run', 'build'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  process.exitCode = status ?? 1;
} else if (hasSources && !existsSync('dist/main.js')) {
  console.error(
    'jobcrier: not built, because TypeScript is a development dependency and was left out. Run "npm ci" and then\n' +
      '"npm prune --omit=dev", or bring a dist/ that was built elsewhere.',
  );
}

// If no prebuilt binding fits, sqlite3 is compiled at the install, which leaves 20 MB of objects and unpacked sources
// beside the binding. They are not read later, because a rebuild starts from the beginning.
const made = 'node_modules/sqlite3/build';
if (existsSync(join(made, 'Release/node_sqlite3.node')))
  for (const left of ['deps', 'Release/.deps', 'Release/obj', 'Release/obj.target', 'Release/sqlite3.a'])
    rmSync(join(made, left), { recursive: true, force: true });

if (existsSync('node_modules') && !existsSync('node_modules/typescript-compiler')) await import('./trim.mjs');
