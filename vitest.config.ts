import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/helpers/build.ts'],
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // Most of the time is spent waiting for real processes and clocks, so more files than processors run at once.
    maxWorkers: 4,
    reporters: ['default'],
  },
});
