// Runs for every test file, also where several share a process and what they import is loaded once.
import { afterEach } from 'vitest';
import { undoAll } from './later.js';

afterEach(undoAll);
