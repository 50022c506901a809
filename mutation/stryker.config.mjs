// How Stryker changes the code. The files and tests are those of a group (groups.mjs).
import { groups } from './groups.mjs';

const name = process.env.MUTATE_GROUP ?? '';
const output = `test/output/mutation/${name}`;

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
const config = {
  mutate: groups[name]?.files.map((file) => `src/${file}`) ?? [],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'mutation/vitest.config.mjs', related: false },
  coverageAnalysis: 'perTest',
  // A value that is made when a module is loaded would need every test of the group for each change.
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 20_000,
  incremental: true,
  incrementalFile: `${output}.incremental.json`,
  reporters: ['progress-append-only', 'json', 'html'],
  jsonReporter: { fileName: `${output}.json` },
  htmlReporter: { fileName: `${output}.html` },
  // Not below test/, where a run of the tests would find its copies.
  tempDirName: `data/mutation/${name}`,
  // Long tests start processes of the built program.
  ignorePatterns: [
    ...(groups[name]?.long ? [] : ['dist']),
    'data',
    'docs',
    'test/output',
    'mutation/node_modules',
  ],
  // Stryker would load the package `typescript` to rewrite it, which this project does not have.
  tsconfigFile: 'none',
  allowConsoleColors: false,
};

export default config;
