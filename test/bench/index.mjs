// `npm run bench`: every figure as one table, also written to docs/performance.md when all of them were measured.
// Names as arguments (polls, store, loop, digests, board, start) measure only those. It judges nothing: machines are
// noisy, so use a quiet one and compare the ratios.
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

const PAGE = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
const [BEGIN, END] = ['<!-- figures -->', '<!-- end of figures -->'];
const PARTS = {
  polls: () => import('./polls.mjs'),
  store: () => import('./store.mjs'),
  loop: () => import('./loop.mjs'),
  digests: () => import('./digests.mjs'),
  board: () => import('./board.mjs'),
  start: () => import('./start.mjs'),
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}.`);
  process.exit(2);
}

const rows = [];
for (const [name, load] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.error(`measuring ${name} …`);
  rows.push(...(await (await load()).rows()));
}
console.table(rows);

const COLUMNS = ['what', 'ours', 'yardstick', 'ratio', 'spread', 'goal'];
const line = (cells) => `| ${cells.join(' | ')} |`;
if (wanted.length === 0) {
  const [{ model }] = cpus();
  const machine = `${cpus().length} × ${model.trim()}, ${(totalmem() / 1e9).toFixed(0)} GB, Node ${process.versions.node}`;
  const table = [
    line(COLUMNS),
    line(COLUMNS.map(() => '---')),
    ...rows.map((row) => line(COLUMNS.map((name) => String(row[name] ?? '')))),
  ];
  const figures = [`${new Date().toISOString().slice(0, 10)}, ${machine}:`, '', ...table].join('\n');
  const text = await readFile(PAGE, 'utf8');
  const [before] = text.split(BEGIN);
  const [, after] = text.split(END);
  await writeFile(PAGE, `${before}${BEGIN}\n\n${figures}\n\n${END}${after}`);
}
