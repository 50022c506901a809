// Whether config/subscriptions.yaml can be taken up at the next start.
import { reasonOf, UserError } from '../../domain/errors.js';
import { counted } from '../io.js';
import { readFileEntries } from '../session.js';
import { type Check, fail, off, ok } from './check.js';

export const subscriptionsFileCheck: Check = {
  name: 'subscriptions file',
  async run({ config, context }) {
    try {
      const entries = await readFileEntries(config, context);
      if (!entries) return [off('there is none; subscriptions come from commands')];
      return [ok(counted(entries.length, 'entry', 'entries'))];
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return reasonOf(error)
        .split('\n')
        .map((line) => fail(line, `mend it in ${config.dirs.config}, then send SIGHUP or start again`));
    }
  },
};
