// Writes src/render/texts-types.ts: the type of the texts, made from the messages of every language. Run it with
// `npm run texts` after you change the keys or the values of a message. A test fails while the file is out of date.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { IntlMessageFormat } from 'intl-messageformat';

const DIR = new URL('../templates/locales/', import.meta.url);
const FILE = new URL('../src/render/texts-types.ts', import.meta.url);
/** Types of elements of a message, see `TYPE` in @formatjs/icu-messageformat-parser. */
const TYPES = { argument: 1, number: 2, select: 5, plural: 6 };

/** Returns the values of a message as a map from name to TypeScript type. */
export function valuesOf(message) {
  const values = new Map();
  const add = (elements) => {
    for (const { type, value, options } of elements) {
      if (type === TYPES.argument && !values.has(value)) values.set(value, 'string | number');
      if (type === TYPES.number || type === TYPES.plural) values.set(value, 'number');
      if (type === TYPES.select) values.set(value, 'string');
      for (const option of Object.values(options ?? {})) add(option.value);
    }
  };
  add(new IntlMessageFormat(message, 'en', undefined, { ignoreTag: true }).getAst());
  return values;
}

/** Returns the source of the type for catalogues that all have the keys of the first one. */
export function typesOf([first, ...others], indent = '') {
  const lines = Object.entries(first).map(([key, message]) => {
    const name = /^[a-z_]\w*$/iu.test(key) ? key : `'${key}'`;
    if (typeof message === 'object') {
      const nested = [message, ...others.map((other) => other[key] ?? {})];
      return `${indent}  readonly ${name}: {\n${typesOf(nested, `${indent}  `)}${indent}  };\n`;
    }
    const values = new Map(
      [message, ...others.map((other) => other[key] ?? '')].flatMap((one) => [...valuesOf(one)]),
    );
    const list = [...values].map(([value, type]) => `readonly ${value}: ${type}`);
    const type = list.length === 0 ? 'string' : `(values: { ${list.join('; ')} }) => string`;
    return `${indent}  readonly ${name}: ${type};\n`;
  });
  return lines.join('');
}

/** Returns the source of the file. */
export function typesFile() {
  const codes = readdirSync(DIR).map((file) => file.replace(/\.json$/u, ''));
  const catalogues = ['en', ...codes.filter((code) => code !== 'en')].map((code) =>
    JSON.parse(readFileSync(new URL(`${code}.json`, DIR), 'utf8')),
  );
  return `// Generated from templates/locales by \`npm run texts\`. Do not edit.
// biome-ignore-all format: generated

/** Every text that people read, by where it is shown. A text with values is a function of them. */
export interface Texts {
${typesOf(catalogues)}}
`;
}

if (import.meta.filename === process.argv[1]) writeFileSync(FILE, typesFile());
