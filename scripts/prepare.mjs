// npm runs this after an install in the folder of the project and before it packs it: builds dist/ where the sources and
// the compiler are there. A packed package holds dist/ already.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const hasSources = existsSync('src/main.ts') && existsSync('tsconfig.build.json');
if (hasSources && existsSync('node_modules/typescript')) {
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
