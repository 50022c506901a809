// Runs for every test file, also where several share a process and their imports are loaded once.
import { afterEach } from 'vitest';
import './end-with-parent.js';
import { undoAll } from './later.js';

afterEach(undoAll);
