// Checks the settings; each fault is one finding.
import { sharingFaults } from '../../config.js';
import { reasonOf, UserError } from '../../domain/errors.js';
import { type Finding, fail, off, ok, warn } from '../../domain/finding.js';
import { openTemplates } from '../../wiring/templates.js';
import { counted } from '../io.js';
import { fileProblem, readFileEntries } from '../session.js';
import type { Check } from './check.js';

/** Splits "NAME: given …; wanted …" at its last "; " into the finding and its fix. */
function asFinding(sentence: string, make: (says: string, fix: string) => Finding): Finding {
  const cut = sentence.search(/; (?!.*; )/u);
  return cut < 0
    ? make(sentence, 'see "jobcrier config dump" and .env.example')
    : make(sentence.slice(0, cut), sentence.slice(cut + 2));
}

export const settingsCheck: Check = {
  name: 'settings',
  async run({ config }) {
    const given = config.shown.filter((one) => one.from !== 'default');
    const findings = [
      ...config.faults.map((fault) => asFinding(fault, fail)),
      ...config.warnings.map((text) => asFinding(text, warn)),
    ];
    if (!config.jobsApi.url && !config.faults.some((fault) => fault.startsWith('JOBS_API_URL')))
      findings.unshift(
        fail('JOBS_API_URL is not set', 'give the base address of the jobs API, JOBS_API_URL=https://…'),
      );
    findings.push(...sharingFaults(config).map((fault) => asFinding(fault, fail)));
    return findings.length > 0 ? findings : [ok(`${given.length} given, all valid`)];
  },
};

// Checks whether config/subscriptions.yaml can be applied at the next start.

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

// Checks the templates of mails and pages, with the operator's changes.

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
