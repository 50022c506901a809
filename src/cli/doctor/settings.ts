// Checks the settings; each fault is one finding.
import { sharingFaults } from '../../config.js';
import { type Check, type Finding, fail, ok, warn } from './check.js';

/** Splits "NAME: given …; wanted …" at its last "; " into the finding and its fix. */
export function asFinding(sentence: string, make: (says: string, fix: string) => Finding): Finding {
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
    return findings.length > 0 ? findings : [ok(`${given.length} given, all sound`)];
  },
};
