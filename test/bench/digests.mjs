// What a digest of 50 postings costs once the templates are loaded: subject, HTML and text as they leave, and the
// same with the guard that looks at every link. Beside them, in the same run and by turns, two yardsticks: the
// postings through JSON, and the least of mails, rows glued together by hand. Prints a table against the aim of 3 ms
// and judges nothing: machines are noisy, so the least and the ratios are what to look at.
// `npm run bench:digests` builds first.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { attributionFaults } from '../../dist/domain/attribution.js';
import { samplePages } from '../../dist/render/sample-pages.js';
import { sampleDelivery, sampleMails } from '../../dist/render/samples.js';
import { createTemplates } from '../../dist/render/templates.js';
import { composeEdition } from '../../dist/sinks/email/compose.js';

const AIM_MS = 3;
const DIGEST = 'digest of 50 postings';
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const WARM = 30;
const TURNS = 20;
const ROUNDS = 20;
/** As much of a description as the ledger keeps. */
const DESCRIPTION = 'You will work in a small team on code that many people trust with their money. '
  .repeat(6)
  .slice(0, 400);

const templates = createTemplates({
  dirs: [join(ROOT, 'templates')],
  log: SILENT,
  samples: { mails: sampleMails(), pages: samplePages() },
});
const sample = sampleDelivery('weekly', 'en');
const postings = Array.from({ length: 50 }, (_, index) => {
  const one = sample.postings[index % sample.postings.length];
  const link = one.applyUrl && { applyUrl: `${one.applyUrl}&n=${index}` };
  const description = one.description && { description: DESCRIPTION };
  return {
    ...one,
    ...description,
    ...link,
    key: `id:${index}`,
    company: `${one.company ?? 'Firm'} ${index}`,
  };
});
const delivery = { ...sample, postings, more: 0 };
const from = 'Jobs <jobs@example.org>';

function guard(output) {
  const faults = attributionFaults(output, postings);
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

const SIGNS = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' };
const escaped = (text) => String(text ?? '').replace(/[&<>"']/gu, (sign) => SIGNS[sign]);
const row = (one) =>
  `<h2><a href="${escaped(one.applyUrl)}">${escaped(one.title)}</a></h2><p>${escaped(one.company)}</p>`;

const works = {
  [DIGEST]: () => composeEdition(delivery, { templates, from }),
  'the same, its links checked': () => composeEdition(delivery, { templates, from, guard }),
  'yardstick: through JSON': async () => JSON.parse(JSON.stringify(postings)),
  'yardstick: rows by hand': async () => postings.map(row).join('\n'),
};

/** CPU milliseconds per round. */
async function measure(work, rounds) {
  const before = process.cpuUsage();
  for (let i = 0; i < rounds; i++) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / rounds;
}

for (const work of Object.values(works)) await measure(work, WARM);
const turns = Object.fromEntries(Object.keys(works).map((what) => [what, []]));
for (let turn = 0; turn < TURNS; turn++)
  for (const [what, work] of Object.entries(works)) turns[what].push(await measure(work, ROUNDS));

const sorted = (what) => turns[what].toSorted((a, b) => a - b);
const middle = (what) => sorted(what)[TURNS >> 1];
const { html, text } = await composeEdition(delivery, { templates, from });
console.log(`Node ${process.versions.node}; aim: ${AIM_MS} ms CPU; ${TURNS} turns of ${ROUNDS} each`);
console.log(`HTML ${(html.length / 1024).toFixed(1)} KB, text ${(text.length / 1024).toFixed(1)} KB`);
console.table(
  Object.keys(works).map((what) => ({
    what,
    'CPU ms, middle': middle(what).toFixed(2),
    least: sorted(what)[0].toFixed(2),
    'of the aim': what === DIGEST ? `${((middle(what) / AIM_MS) * 100).toFixed(0)} %` : '',
    'times JSON': (middle(what) / middle('yardstick: through JSON')).toFixed(1),
  })),
);
