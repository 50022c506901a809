import { defineConfig } from 'vitest/config';

/** Real processes are killed, browsers walk through pages, days go by, other programs judge mails. `npm run check` runs them, `npm test` does not. */
const WALKS = [
  'test/upgrade/*.test.ts',
  'test/pictures/*.test.ts',
  'test/engine/bullmq-faults.test.ts',
  'test/sinks/email-spam.test.ts',
  'test/store/{failover,lease-process}.test.ts',
  'test/e2e/{crash,discord,discord-people,faults-*,invite,mail,mail-journey,mail.browser,admin.browser,pages.browser,roles,web}.test.ts',
];
/** Each file in a process of its own: what they test are processes. */
const PROCESSES = ['test/e2e/*.test.ts'];

const settings = { setupFiles: ['test/helpers/setup.ts'], testTimeout: 120_000, hookTimeout: 180_000 };

export default defineConfig({
  test: {
    globalSetup: ['test/helpers/build.ts', 'test/helpers/run-folder.ts'],
    // Most of the time is spent waiting for real processes and clocks, so more files than processors run at once.
    maxWorkers: 6,
    reporters: ['default'],
    projects: [
      {
        test: {
          ...settings,
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...WALKS, ...PROCESSES],
          isolate: false,
        },
      },
      { test: { ...settings, name: 'processes', include: PROCESSES, exclude: WALKS } },
      { test: { ...settings, name: 'walks', include: WALKS } },
    ],
  },
});
