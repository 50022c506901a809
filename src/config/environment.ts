// Collects the texts of the settings: from the process environment, from .env, and from the files that NAME_FILE names.
// This file checks only whether they can be read, and finds misspelt names by their similarity to settings.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { closest, distance } from 'fastest-levenshtein';
import { brief } from '../domain/input.js';
import { SETTINGS, type SettingName } from './settings.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The text of a setting. `from` says in words where it was found, for `config dump`. */
interface Given {
  readonly text: string;
  readonly from: string;
}

export interface Gathered {
  readonly given: Partial<Record<SettingName, Given>>;
  readonly faults: string[];
  readonly warnings: string[];
}

const NAMES: readonly string[] = SETTINGS.flatMap(({ name }) => [name, `${name}_FILE`]);
// JOBCRIER_CRASH_AT is not a setting; only the crash tests use it.
const KNOWN = new Set([...NAMES, 'JOBCRIER_CRASH_AT']);

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}

function dotEnv(cwd: string, faults: string[]): Environment {
  try {
    return parseEnv(readFileSync(resolve(cwd, '.env'), 'utf8')) as Environment;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT')
      faults.push(`.env: can't be read (${codeOf(error)}); make it readable for this user or remove it.`);
    return {};
  }
}

/** A pair of quotes around a value: docker's --env-file keeps them, other readers of such files remove them. */
const QUOTED = /^(["'])(.*)\1$/su;

/** The value without quotes. An empty value counts as not set: compose and unit files pass it for what is left out. */
function lookUp(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim().replace(QUOTED, '$2').trim();
  return value === '' ? undefined : value;
}

/** A warning about quoted values. `environment`: of the process only, because in .env quotes are part of the syntax. */
function quotes(environment: Environment): string[] {
  const names = NAMES.filter((name) => QUOTED.test(environment[name]?.trim() ?? ''));
  if (names.length === 0) return [];
  return [
    `${names.join(', ')}: the quotes around the value are ignored; docker's --env-file keeps them, so write the value without quotes.`,
  ];
}

function fromFile(
  { name, secret }: (typeof SETTINGS)[number],
  path: string,
  cwd: string,
  faults: string[],
): Given | undefined {
  // Not shown, because people sometimes give the secret itself as the path.
  const given = secret ? 'a path that is not shown' : brief(path);
  const fault = (what: string) =>
    `${name}_FILE: given ${given}, ${what}; wanted the path of a file that holds the value, for example ${name}_FILE=/run/secrets/${name.toLowerCase()}.`;
  try {
    const text = readFileSync(resolve(cwd, path), 'utf8').trim();
    if (text !== '') return { text, from: `file ${path}` };
    faults.push(fault('which is empty'));
  } catch (error) {
    faults.push(fault(`which can't be read (${codeOf(error)})`));
  }
  return undefined;
}

/** Reads the text of every setting. The environment wins over .env, for a name and its _FILE form together. */
export function gather(env: Environment, cwd: string): Gathered {
  const faults: string[] = [];
  const given: Partial<Record<SettingName, Given>> = {};
  const file = dotEnv(cwd, faults);
  const sources = [
    { values: env, called: 'environment' },
    { values: file, called: '.env' },
  ];
  for (const setting of SETTINGS) {
    const { name } = setting;
    for (const { values, called } of sources) {
      const plain = lookUp(values, name);
      const path = lookUp(values, `${name}_FILE`);
      if (plain !== undefined && path !== undefined)
        faults.push(`${name}: given twice, as ${name} and as ${name}_FILE; remove one of them.`);
      else if (plain !== undefined) given[name] = { text: plain, from: called };
      else if (path !== undefined) {
        const found = fromFile(setting, path, cwd, faults);
        if (found) given[name] = found;
      } else continue;
      break;
    }
  }
  const warnings = [...quotes(env), ...misspelt([...Object.keys(env), ...Object.keys(file)])];
  return { given, faults, warnings };
}

/**
 * One sentence for each name that looks like a setting but is none. The environment is full of other programs' names,
 * so only close matches are reported, and names that begin with JOBCRIER_.
 */
export function misspelt(names: readonly string[]): string[] {
  return [...new Set(names)]
    .filter((name) => !KNOWN.has(name))
    .map((name) => {
      const bare = name.toUpperCase().replace(/^JOBCRIER_/u, '');
      const near = NAMES.find((known) => known.startsWith(`${bare}_`)) ?? closest(bare, NAMES);
      if (distance(bare, near) <= (near.length < 8 ? 1 : 2))
        return `${name} is not a setting and is ignored; did you mean ${near}?`;
      if (bare === name.toUpperCase()) return '';
      return `${name} is not a setting and is ignored; names have no JOBCRIER_ in front, and the nearest is ${near}.`;
    })
    .filter(Boolean);
}
