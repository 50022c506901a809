// The cost of a digest of 50 postings after the templates are loaded: subject, HTML and text as sent, with the guard
// that checks every link. It is compared in turns with the simplest mail: rows joined by hand. Then the time to load
// the templates, as each start does. Prints a table and judges nothing: machines are noisy, so compare the ratios.
// Build first: `npm run build && node test/bench/digests.mjs`.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { attributionFaults } from '../../dist/domain/attribution.js';
import { fitOf, NO_WISHES } from '../../dist/domain/fit.js';
import { samplePages } from '../../dist/render/sample-pages.js';
import { sampleDelivery, sampleMails, sampleWeeks } from '../../dist/render/samples.js';
import { createTemplates } from '../../dist/render/templates.js';
import { composeEdition } from '../../dist/sinks/email/compose.js';

const AIM_MS = 1;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const WARM = 200;
/** As much of a description as the ledger keeps. */
const DESCRIPTION = 'You will work in a small team on code that many people trust with their money. '
  .repeat(6)
  .slice(0, 400);
const FROM = 'Jobs <jobs@example.org>';

function load() {
  return createTemplates({
    dirs: [join(ROOT, 'templates')],
    log: SILENT,
    // As the program does: made only if the templates are tried on them.
    samples: {
      get mails() {
        return sampleMails();
      },
      get pages() {
        return samplePages();
      },
    },
  });
}

const sample = sampleDelivery('weekly', 'en');
const postings = Array.from({ length: 50 }, (_, index) => {
  const one = sample.postings[index % sample.postings.length];
  const link = one.applyUrl && {
    applyUrl: `${one.applyUrl}&n=${index}`,
    url: `https://jobs.example.org/jobs/${index}`,
  };
  const description = one.description && { description: DESCRIPTION };
  return {
    ...one,
    ...description,
    ...link,
    key: `id:${index}`,
    company: `${one.company ?? 'Firm'} ${index}`,
  };
});
/** With the fit that they get when an edition is cut. */
const fitted = postings.map((one) => ({ ...one, fit: fitOf(one, NO_WISHES, sample.slot) }));
const delivery = { ...sample, postings: fitted, more: 0 };

function guard(output) {
  const faults = attributionFaults(output, postings);
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

const SIGNS = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' };
const escaped = (text) => String(text ?? '').replace(/[&<>"']/gu, (sign) => SIGNS[sign]);
const row = (one) =>
  `<h2><a href="${escaped(one.applyUrl)}">${escaped(one.title)}</a></h2><p>${escaped(one.company)}</p>`;

/** CPU milliseconds of one round. */
async function measure(work, rounds) {
  const before = process.cpuUsage();
  for (let i = 0; i < rounds; i++) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / rounds;
}

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
const ms = (value) => `${value.toFixed(value < 0.1 ? 3 : 2)} ms CPU`;

/** Rows of the table; medians of `turns` turns of `rounds` digests each. */
export async function rows({ turns = 15, rounds = 50 } = {}) {
  const loads = [];
  for (let turn = 0; turn < 3; turn++) loads.push(await measure(async () => load(), 1));
  const templates = load();
  const weeks = async () => sampleWeeks();
  const byHand = async () => postings.map(row).join('\n');
  const works = {
    'digest: 50 postings, without the guard': () => composeEdition(delivery, { templates, from: FROM }),
    'digest: 50 postings, each link checked': () =>
      composeEdition(delivery, { templates, from: FROM, guard }),
    'digest: the same, with its chart': () =>
      composeEdition(delivery, { templates, from: FROM, guard, weeks }),
  };
  const figures = Object.fromEntries(Object.keys(works).map((what) => [what, []]));
  for (const work of [...Object.values(works), byHand]) await measure(work, WARM);
  for (let turn = 0; turn < turns; turn++)
    for (const [what, work] of Object.entries(works))
      figures[what].push({ mine: await measure(work, rounds), least: await measure(byHand, rounds * 20) });
  const table = Object.entries(figures).map(([what, list]) => {
    const ratios = list.map(({ mine, least }) => mine / least);
    return {
      what,
      ours: ms(median(list.map(({ mine }) => mine))),
      yardstick: `${ms(median(list.map(({ least }) => least)))}, rows by hand`,
      ratio: `${median(ratios).toFixed(1)}×`,
      spread: `${Math.min(...ratios).toFixed(1)}–${Math.max(...ratios).toFixed(1)}`,
      goal: `≤ ${AIM_MS} ms`,
    };
  });
  const first = {
    what: 'digest: templates loaded, first time',
    ours: ms(loads[0]),
    yardstick: '',
    ratio: '',
  };
  return [...table, { ...first, spread: '', goal: 'once a process' }];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(await rows());
