// Checks the templates of mails and pages, with the operator's changes.
import { openTemplates } from '../../wiring/templates.js';
import { type Check, fail, ok } from './check.js';

export const templatesCheck: Check = {
  name: 'templates',
  async run({ config, log }) {
    const faults = (await openTemplates(config, log)).lint();
    if (faults.length === 0) return [ok('all of them work')];
    return faults.map(({ file, line, reason }) =>
      fail(
        `${file}${line === undefined ? '' : `, line ${line}`}: ${reason}`,
        `fix it in ${config.dirs.templates}, or remove it there to get the program's own`,
      ),
    );
  },
};
