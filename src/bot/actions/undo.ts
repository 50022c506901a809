// Brings a removed subscription back as it was.
import { UserError } from '../../domain/errors.js';
import { textsFor } from '../../render/language/index.js';
import { showing } from '../managing.js';
import type { Action } from '../request.js';

export const undo = {
  name: 'undo',
  slow: true,
  updates: true,
  async run([id = ''], request, { services }) {
    const { fault, jobs } = textsFor(request.locale).bot;
    try {
      return { ...showing(await services.restore(request.caller, id), request, jobs.restored), update: true };
    } catch (error) {
      // Pressed a second time, or after the time it is kept for.
      if (error instanceof UserError && error.fault?.name === 'noSuch') throw new UserError(fault.stale);
      throw error;
    }
  },
} satisfies Action;
