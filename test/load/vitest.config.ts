// The long runs, apart from the tests: they take minutes, print figures, and run one after the other, on an otherwise
// idle machine if possible. `npm run load`.
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
    // Output for people to read, printed as it comes.
    disableConsoleIntercept: true,
    reporters: ['verbose'],
  },
});
