// Brings a removed subscription back: made anew, with a baseline of its own, so nothing old is announced.
import { UserError } from '../../domain/errors.js';
import { textsFor } from '../../render/language/index.js';
import type { Action } from '../ask.js';
import { keepWaiting, takeWaiting } from '../drafts.js';
import { showing } from '../managing.js';

export const undo = {
  name: 'undo',
  slow: true,
  updates: true,
  async run([id = ''], ask, bench) {
    const { fault, jobs } = textsFor(ask.locale).bot;
    const waiting = await takeWaiting(bench, 'undo', ask.user, id);
    if (!waiting) throw new UserError(fault.stale);
    try {
      const { report } = await bench.desk.subscribe(ask.caller, waiting.draft);
      return { ...showing(report, ask, jobs.restored), update: true };
    } catch (error) {
      await keepWaiting(bench, 'undo', ask.user, id, waiting);
      throw error;
    }
  },
} satisfies Action;
