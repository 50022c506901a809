// The long runs, apart from the tests: they take minutes, print figures, and run on an otherwise idle machine if possible.
// `npm run load`. Those that measure run one after the other. Those that cause faults mostly wait, so two run at once.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const FAULTS = ['discord', 'failover', 'network', 'roles'].map((name) => `test/load/${name}.load.ts`);

const settings = {
  setupFiles: ['test/helpers/setup.ts'],
  testTimeout: 900_000,
  hookTimeout: 60_000,
  // Output for people to read, printed as it comes.
  disableConsoleIntercept: true,
};

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    globalSetup: ['test/helpers/build.ts', 'test/helpers/run-folder.ts'],
    reporters: ['verbose'],
    projects: [
      {
        test: {
          ...settings,
          name: 'figures',
          include: ['test/load/*.load.ts'],
          exclude: FAULTS,
          maxWorkers: 1,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: { ...settings, name: 'faults', include: FAULTS, maxWorkers: 2, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
