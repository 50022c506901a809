// Checks whether config/subscriptions.yaml can be applied at the next start.
import { reasonOf, UserError } from '../../domain/errors.js';
import { counted } from '../io.js';
import { fileProblem, readFileEntries } from '../session.js';
import { type Check, fail, off, ok, warn } from './check.js';
import { asFinding } from './settings.js';

export const subscriptionsFileCheck: Check = {
  name: 'subscriptions file',
  async run({ config, context, stores }) {
    try {
      const found = await readFileEntries(config, context);
      const opened = await stores();
      const problem = opened && (await fileProblem(found, opened));
      if (problem) return [asFinding(problem, warn)];
      if (!found.entries) return [off('there is none; subscriptions come from commands')];
      return [ok(counted(found.entries.length, 'entry', 'entries'))];
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return reasonOf(error)
        .split('\n')
        .map((line) => fail(line, `fix it in ${config.dirs.config}, then send SIGHUP or start again`));
    }
  },
};
