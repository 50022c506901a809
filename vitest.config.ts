import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/**
 * Real processes are killed, browsers walk through pages, days go by, other programs judge mails; discord.js without
 * this program, whose HTTP client changes how discord.js sends files. `npm run check` runs them, `npm test` does not.
 */
const WALKS = [
  'test/e2e/!(run).test.ts',
  'test/upgrade/*.test.ts',
  'test/pictures/*.test.ts',
  'test/engine/bullmq-faults.test.ts',
  'test/sinks/email-spam.test.ts',
  'test/helpers/discord/discord.test.ts',
  'test/store/{failover,lease-process,restore-process}.test.ts',
];

const TEST_FILES = readdirSync(new URL('test', import.meta.url), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .toSorted();

function seedOf(names: readonly string[]): number {
  return createHash('sha256').update(names.join('\n')).digest().readUInt32BE(0);
}

const SEED = seedOf(TEST_FILES);

/** `npm test`: without long tests, and with fewer examples of each property. `npm run check` has all. */
const IS_DAILY = process.argv.includes('--tags-filter=!long');

const settings = { setupFiles: ['test/helpers/setup.ts'], testTimeout: 120_000, hookTimeout: 180_000 };

export default defineConfig({
  test: {
    tags: [
      {
        name: 'long',
        description:
          'Waits for real seconds, starts several processes, repeats something often or computes for more than a tenth of a second. `npm run check` runs it, `npm test` does not.',
      },
    ],
    env: { TEST_SEED: String(SEED), TEST_RUNS: IS_DAILY ? '0.1' : '1' },
    globalSetup: ['test/helpers/build.ts', 'test/helpers/run-folder.ts'],
    // Walks wait for most of their time, so more files than processors run at once. The others wait for part of theirs, and each worker
    // imports the whole program.
    maxWorkers: IS_DAILY ? availableParallelism() + 2 : 6,
    // What was compiled for the last run and did not change is read from node_modules/.experimental-vitest-cache.
    experimental: { fsModuleCache: true },
    // Another order for each set of test files, so that a checkout which passed once is not refused for its order later.
    // The first lines of the output name the seed; --sequence.seed takes another one.
    sequence: { shuffle: { tests: true }, seed: SEED },
    reporters: ['default'],
    projects: [
      {
        test: {
          ...settings,
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: WALKS,
          isolate: false,
          // One project after the other: a worker that meets a file of another project ends, with all it has imported.
          sequence: { groupOrder: 0 },
        },
      },
      { test: { ...settings, name: 'walks', include: WALKS, sequence: { groupOrder: 1 } } },
    ],
  },
});
