// What a digest of 50 postings costs after the templates are loaded, beside a bare JSON round trip of the same
// postings in the same run. Prints a table and judges nothing. `npm run bench:digests` builds first.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { samplePages } from '../../dist/render/sample-pages.js';
import { sampleDelivery, sampleMails } from '../../dist/render/samples.js';
import { createTemplates } from '../../dist/render/templates.js';
import { composeEdition } from '../../dist/sinks/email/compose.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const ROUNDS = 300;
const templates = createTemplates({
  dirs: [join(ROOT, 'templates')],
  log: SILENT,
  samples: { mails: sampleMails(), pages: samplePages() },
});
const sample = sampleDelivery('weekly', 'en');
const postings = Array.from({ length: 50 }, (_, index) => {
  const one = sample.postings[index % sample.postings.length];
  return { ...one, key: `id:${index}`, company: `${one.company ?? 'Firm'} ${index}` };
});
const delivery = { ...sample, postings, more: 0 };
const compose = () => composeEdition(delivery, { templates, from: 'Jobs <jobs@example.org>' });

async function measure(work) {
  for (let i = 0; i < 30; i++) await work();
  const cpu = process.cpuUsage();
  for (let i = 0; i < ROUNDS; i++) await work();
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) / 1000 / ROUNDS;
}

const { html } = await compose();
const digest = await measure(compose);
const json = await measure(async () => JSON.parse(JSON.stringify(postings)));
console.table([
  {
    what: 'digest of 50 postings',
    'CPU ms each': digest.toFixed(2),
    'HTML KB': (html.length / 1024).toFixed(1),
  },
  { what: 'the same postings through JSON', 'CPU ms each': json.toFixed(3), 'HTML KB': '' },
]);
