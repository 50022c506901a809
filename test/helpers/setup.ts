// Runs for every test file, also where several share a process and their imports are loaded once.
import { configureGlobal } from 'fast-check';
import { afterEach } from 'vitest';
import './end-with-parent.js';
import { undoAll } from './later.js';
import { runs } from './runs.js';

// The examples of properties are the same in each run of a checkout, like the order of the tests.
configureGlobal({ seed: Number(process.env.TEST_SEED) | 0, numRuns: runs(100) });
afterEach(undoAll);
