// The long runs, apart from the tests: they take minutes, say figures, and run one after the other on a machine of
// their own as far as possible. `npm run load`.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/load/*.load.ts'],
    globalSetup: ['test/helpers/build.ts', 'test/helpers/run-folder.ts'],
    setupFiles: ['test/helpers/setup.ts'],
    testTimeout: 900_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    // What is printed is for people to look at, as it comes.
    disableConsoleIntercept: true,
    reporters: ['verbose'],
  },
});
