// The tests of one group (groups.mjs). They need no Redis and no browser.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { groups } from './groups.mjs';

const { tests, long = false } = groups[process.env.MUTATE_GROUP ?? ''] ?? { tests: [] };

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    include: tests.map((test) => `test/${test}`),
    // Values that are made when a module is loaded are not changed, so test files can share what they import.
    isolate: false,
    tags: [{ name: 'long' }],
    // A run repeats its tests for each change, so the walks over a whole year are left out.
    ...(long ? {} : { tagsFilter: ['!long'] }),
    env: { TEST_SEED: '1' },
    globalSetup: ['test/helpers/run-folder.ts'],
    setupFiles: ['test/helpers/setup.ts'],
    testTimeout: 60_000,
  },
});
