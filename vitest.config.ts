import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/helpers/build.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Most of the time is spent waiting for real processes and clocks, so more files than processors run at once.
    maxWorkers: 4,
    // A machine that builds for others too may starve a process past a far side's deadline; a broken test fails every time.
    retry: process.env.CI ? 2 : 0,
    reporters: ['default'],
  },
});
