// The layers, read from the imports: which folder may import which (see CONTRIBUTING), no cycles, and no file without
// a comment on its purpose. The linter checks the same rules while you type.
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const SRC = fileURLToPath(new URL('../src', import.meta.url));

interface Import {
  readonly from: string;
  /** A file below src, a package, or `node:` and a module. */
  readonly to: string;
  readonly typeOnly: boolean;
}

/** The allowed imports of a layer: files below src by the beginning of their path, packages and modules of Node by name. */
interface Rule {
  readonly floors: readonly string[];
  readonly packages: readonly string[] | 'any';
  readonly node: readonly string[] | 'any';
}

const adapter = (name: string, ...more: string[]): Rule => ({
  floors: [`${name}/`, 'domain/', 'ports/', 'render/', ...more],
  packages: 'any',
  node: 'any',
});
const RULES: Readonly<Record<string, Rule>> = {
  'domain/': {
    floors: ['domain/'],
    packages: ['croner', 'entities', 'fastest-levenshtein', 'valibot'],
    node: ['crypto'],
  },
  'ports/': { floors: ['ports/', 'domain/'], packages: [], node: [] },
  'pipeline/': { floors: ['pipeline/', 'domain/', 'ports/'], packages: [], node: [] },
  'services/': { floors: ['services/', 'pipeline/', 'domain/', 'ports/'], packages: [], node: [] },
  'render/': {
    floors: ['render/', 'domain/', 'ports/'],
    packages: ['intl-messageformat', 'liquidjs', 'picocolors'],
    // Templates are read from files; a name for one is hashed.
    node: ['fs', 'path', 'crypto'],
  },
  'sources/': adapter('sources'),
  'store/': adapter('store'),
  'sinks/': adapter('sinks', 'discord/'),
  'engine/': adapter('engine'),
  'bot/': adapter('bot', 'discord/'),
  'discord/': { floors: ['discord/', 'domain/', 'ports/'], packages: 'any', node: 'any' },
  'web/': adapter('web'),
  'board/': {
    floors: ['board/', 'domain/defined.ts', 'domain/tags.ts', 'domain/countries.ts'],
    packages: [],
    node: 'any',
  },
};

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .toSorted();
const sources = new Map(files.map((file) => [file, readFileSync(join(SRC, file), 'utf8')]));

function importsOf(from: string, source: string): Import[] {
  const statement =
    /^(?:import|export)\s+(type\s)?[^'"`;]*?\bfrom\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gmu;
  return [...source.matchAll(statement)].map(([, type, named, bare, dynamic]) => {
    const to = named ?? bare ?? dynamic ?? '';
    const target = to.startsWith('.') ? normalize(join(dirname(from), to)).replace(/\.js$/u, '.ts') : to;
    return { from, to: target, typeOnly: type !== undefined };
  });
}

const imports = [...sources].flatMap(([file, source]) => importsOf(file, source));
const isModule = (to: string) => to.startsWith('node:') || builtinModules.includes(to);
const packageOf = (to: string) =>
  to
    .split('/')
    .slice(0, to.startsWith('@') ? 2 : 1)
    .join('/');

/** Whether a rule allows an import. */
function allows({ floors, packages, node }: Rule, { to }: Import): boolean {
  if (to.endsWith('.ts')) return floors.some((floor) => to.startsWith(floor));
  if (isModule(to)) return node === 'any' || node.includes(to.replace(/^node:/u, '').split('/')[0] as string);
  return packages === 'any' || packages.includes(packageOf(to));
}

/** The first cycle found, as the files along it. */
function cycle(): readonly string[] | undefined {
  const next = new Map(
    files.map((file) => [file, imports.filter((one) => one.from === file).map(({ to }) => to)]),
  );
  const done = new Set<string>();
  function walk(file: string, path: readonly string[]): readonly string[] | undefined {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const to of next.get(file) ?? []) {
      const found = walk(to, [...path, file]);
      if (found) return found;
    }
    done.add(file);
    return undefined;
  }
  for (const file of files) {
    const found = walk(file, []);
    if (found) return found;
  }
  return undefined;
}

test('reads the files and their imports', () => {
  expect(files.length).toBeGreaterThan(100);
  expect(imports.length).toBeGreaterThan(500);
  expect(imports.filter(({ to }) => to.endsWith('.ts') && !sources.has(to))).toEqual([]);
});

describe('each layer imports only what it may', () => {
  test.each(Object.entries(RULES))('%s', (floor, rule) => {
    const own = imports.filter(({ from }) => from.startsWith(floor));
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter((one) => !allows(rule, one)).map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  test('the ports are types, and are imported as types', () => {
    const values = imports.filter(
      ({ from, to, typeOnly }) => !typeOnly && (from.startsWith('ports/') || to.startsWith('ports/')),
    );
    expect(values).toEqual([]);
    for (const [file, source] of sources)
      if (file.startsWith('ports/')) expect(source, file).not.toMatch(/^export (?!interface|type)/mu);
  });

  test('every folder has a rule, except those that wire the others together', () => {
    const folders = new Set(
      files.filter((file) => file.includes('/')).map((file) => `${file.split('/')[0]}/`),
    );
    expect([...folders].filter((folder) => !(folder in RULES)).toSorted()).toEqual([
      'cli/',
      'config/',
      'wiring/',
    ]);
  });
});

/** The layers of the drawing in docs/architecture.md that have several folders. */
const LAYERS: Readonly<Record<string, string>> = {
  bot: 'adapters',
  web: 'adapters',
  sinks: 'adapters',
  sources: 'adapters',
  store: 'adapters',
  engine: 'adapters',
  cli: 'composition',
  config: 'composition',
  wiring: 'composition',
};

function layerOf(file: string): string {
  const folder = file.includes('/') ? (file.split('/')[0] as string) : 'wiring';
  return LAYERS[folder] ?? folder;
}

test('the drawing of the layers has the arrows that the imports have', () => {
  const page = readFileSync(join(SRC, '../docs/architecture.md'), 'utf8');
  const [, drawing = ''] = /```mermaid\nflowchart TD\n(.*?)```/su.exec(page) ?? [];
  const drawn = [...drawing.matchAll(/^ +(\w+) --> (\w+)$/gmu)].map(([, from, to]) => `${from} -> ${to}`);
  const real = imports
    .filter(({ to }) => to.endsWith('.ts'))
    .map(({ from, to }) => [layerOf(from), layerOf(to)])
    .filter(([from, to]) => from !== to)
    .map(([from, to]) => `${from} -> ${to}`);
  expect(drawn.toSorted()).toEqual([...new Set(real)].toSorted());
});

test('no imports are circular', () => {
  expect(cycle()).toBeUndefined();
});

test('every file begins with a comment on its purpose', () => {
  const silent = [...sources]
    .filter(([, source]) => !/^(?:#!.*\n)?\/\/ \S/u.test(source))
    .map(([file]) => file);
  expect(silent).toEqual([]);
});
