// Checks the settings; each fault is one finding.
import { sharingFaults } from '../../config.js';
import { reasonOf, UserError } from '../../domain/errors.js';
import { type Finding, fail, off, ok, warn } from '../../domain/finding.js';
import { openTemplates } from '../../wiring/templates.js';
import { fileProblem, readFileEntries } from '../session.js';
import type { Check, CheckEnv } from './check.js';

/** Splits "NAME: given …; wanted …" at its last "; " into the finding and its fix. */
function asFinding(
  sentence: string,
  make: (says: string, fix: string) => Finding,
  { settings }: CheckEnv['words'],
): Finding {
  const cut = sentence.search(/; (?!.*; )/u);
  return cut < 0 ? make(sentence, settings.seeDump) : make(sentence.slice(0, cut), sentence.slice(cut + 2));
}

export const settingsCheck: Check = {
  name: 'settings',
  async run({ config, words }) {
    const given = config.shown.filter((one) => one.from !== 'default');
    const findings = [
      ...config.faults.map((fault) => asFinding(fault, fail, words)),
      ...config.warnings.map((text) => asFinding(text, warn, words)),
    ];
    if (!config.jobsApi.url && !config.faults.some((fault) => fault.startsWith('JOBS_API_URL')))
      findings.unshift(fail(words.any.notSet({ setting: 'JOBS_API_URL' }), words.settings.noApiFix));
    findings.push(...sharingFaults(config).map((fault) => asFinding(fault, fail, words)));
    return findings.length > 0 ? findings : [ok(words.settings.valid({ count: given.length }))];
  },
};

// Checks whether config/subscriptions.yaml can be applied at the next start.

export const subscriptionsFileCheck: Check = {
  name: 'subscriptionsFile',
  async run({ config, context, stores, words }) {
    const { noFile, entries, fileFix } = words.settings;
    try {
      const found = await readFileEntries(config, context);
      const opened = await stores();
      const problem = opened && (await fileProblem(found, opened));
      if (problem) return [asFinding(problem, warn, words)];
      if (!found.entries) return [off(noFile)];
      return [ok(entries({ count: found.entries.length }))];
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return reasonOf(error)
        .split('\n')
        .map((line) => fail(line, fileFix({ dir: config.dirs.config })));
    }
  },
};

// Checks the templates of mails and pages, with the operator's changes.

export const templatesCheck: Check = {
  name: 'templates',
  async run({ config, log, words: { settings: words } }) {
    const faults = (await openTemplates(config, log)).lint();
    if (faults.length === 0) return [ok(words.templates)];
    return faults.map(({ file, line, reason }) =>
      fail(
        line === undefined ? words.template({ file, reason }) : words.templateLine({ file, line, reason }),
        words.templateFix({ dir: config.dirs.templates }),
      ),
    );
  },
};
