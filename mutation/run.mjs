// `npm run mutate`: the groups. `npm run mutate -- ledger seen parking`: the files of a group whose paths contain one of
// these words. Stryker needs Node.js 22 or later, so it is not a package of this project, but of this folder.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { groups } from './groups.mjs';

const [name = '', ...words] = process.argv.slice(2);
const group = groups[name];
const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));

function stop(text) {
  console.error(text);
  process.exit(2);
}

function run(command, args) {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, MUTATE_GROUP: name },
  });
  if (status !== 0) process.exit(status ?? 1);
}

if (!group) stop(`Name a group: npm run mutate -- ${Object.keys(groups).join(' | ')}`);
if (Number(process.versions.node.split('.')[0]) < 22) stop('Mutation tests need Node.js 22 or later.');
if (!existsSync(`${here}node_modules`)) run('npm', ['ci', '--prefix', here]);
const files = group.files
  .flatMap((file) => globSync(`src/${file}`, { cwd: root }))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
if (files.length === 0) stop(`No file of the group ${name} is called like that.`);
const stryker = `${here}node_modules/@stryker-mutator/core/bin/stryker.js`;
run(process.execPath, [stryker, 'run', `${here}stryker.config.mjs`, '--mutate', files.join(',')]);

const report = JSON.parse(readFileSync(`${root}test/output/mutation/${name}.json`, 'utf8'));
for (const [file, { mutants, source }] of Object.entries(report.files)) {
  const lines = source.split('\n');
  const of = (...kinds) => mutants.filter(({ status }) => kinds.includes(status));
  const [killed, left] = [of('Killed', 'Timeout'), of('Survived', 'NoCoverage')];
  const all = killed.length + left.length;
  console.log(
    `\n${file}: ${killed.length} of ${all} killed (${((100 * killed.length) / (all || 1)).toFixed(1)} %)`,
  );
  for (const { location, replacement, status } of left)
    console.log(
      `  ${location.start.line} ${status === 'NoCoverage' ? 'not run' : 'survived'}: ${lines[location.start.line - 1].trim()} -> ${replacement}`,
    );
}
