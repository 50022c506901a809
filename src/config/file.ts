// The settings that are not environment variables: config/default.json. CONFIG_DIR's copy wins key by key, so that a
// copy made for an older version still works.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { closest } from 'fastest-levenshtein';
import { brief, shown } from '../domain/form-value.js';

type Reader<T> = (value: unknown) => T | undefined;

function whole(min: number, max: number): Reader<number> {
  return (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max ? value : undefined;
}

function row<T>(meaning: string, read: Reader<T>, wanted: string, example: T) {
  return { meaning, read, wanted, example };
}

function count(meaning: string, min: number, max: number, example: number) {
  return row(meaning, whole(min, max), `a whole number from ${min} to ${max}`, example);
}

/** Every setting of the file by its path in the file. The defaults are in the program's own config/default.json. */
export const FILE_SETTINGS = {
  'jobsApi.format': row(
    'Format to request from the jobs API.',
    (value) => (value === 'rss' || value === 'json' ? value : undefined),
    '"rss" or "json"',
    'rss' as 'rss' | 'json',
  ),
  'jobsApi.attemptTimeoutMs': count(
    'Time limit of one request, including the whole answer.',
    100,
    120_000,
    15_000,
  ),
  'jobsApi.interactiveTimeoutMs': count(
    'How long a person in Discord waits for the jobs API, in total.',
    100,
    60_000,
    10_000,
  ),
  'jobsApi.maxBytes': count('Largest answer read, decoded, in bytes.', 10_000, 100_000_000, 8_388_608),
  'mail.bounceMaildir': row(
    'Maildir that bounces arrive in; empty for none.',
    (value) => (typeof value === 'string' ? value : undefined),
    'a path or ""',
    '',
  ),
  'limits.immediateCap': count('Postings per immediate edition.', 1, 500, 100),
  'limits.digestCap': count('Postings per digest.', 1, 500, 50),
  'limits.subscriptionsPerAccount': count('Subscriptions one person may have.', 1, 10_000, 25),
  'limits.subscriptionsPerServer': count('Subscriptions into one Discord server.', 1, 10_000, 50),
  'limits.keepAfterLeavingDays': count(
    'Days that the subscriptions of a server are kept after the bot was removed.',
    0,
    3650,
    30,
  ),
  'limits.pollConcurrency': count('Polls at the same time.', 1, 1000, 64),
  'limits.deliveryConcurrency': count('Deliveries at the same time, for each sink.', 1, 1000, 64),
  'limits.deliveryTimeoutSeconds': count('Longest time one delivery may take.', 1, 600, 60),
  'limits.silenceDays': count(
    'Days without a match after which the owner gets a notice about the filter.',
    1,
    365,
    30,
  ),
  'limits.drainSeconds': count('Seconds that a stop waits for running work.', 1, 600, 20),
} as const;

export type FileValues = {
  readonly [P in keyof typeof FILE_SETTINGS]: Exclude<
    ReturnType<(typeof FILE_SETTINGS)[P]['read']>,
    undefined
  >;
};

function readJson(path: string, faults: string[]): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const place = /line \d+ column \d+|position \d+/u.exec((error as Error).message)?.[0];
    const what = code ? `can't be read (${code})` : `is not JSON${place ? ` (${place})` : ''}`;
    faults.push(`${path}: ${what}; fix it, or remove it to get the program's own.`);
    return undefined;
  }
}

/** The leaves of a nested object with their paths, such as `limits.digestCap`. */
function flatten(value: unknown, prefix = ''): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[prefix, value]];
  return Object.entries(value).flatMap(([name, inner]) =>
    flatten(inner, prefix === '' ? name : `${prefix}.${name}`),
  );
}

/** Reads both copies and adds to `faults`. `values` is complete only when no fault was added. */
export function readSettingsFile(
  dirs: { readonly own: string; readonly given: string },
  faults: string[],
): { values: FileValues; from: Record<string, string>; warnings: string[] } {
  const values: Record<string, unknown> = {};
  const from: Record<string, string> = {};
  const warnings: string[] = [];
  const paths = Object.keys(FILE_SETTINGS) as (keyof FileValues)[];
  const layers = [
    { path: join(dirs.own, 'default.json'), called: 'default' },
    { path: join(dirs.given, 'default.json'), called: 'CONFIG_DIR/default.json' },
  ].filter((_, index) => index === 0 || dirs.given !== dirs.own);
  for (const { path, called } of layers) {
    const json = readJson(path, faults);
    if (json === undefined) continue;
    for (const [name, value] of flatten(json)) {
      const setting = FILE_SETTINGS[name as keyof FileValues] as
        | { read: Reader<unknown>; wanted: string; example: unknown }
        | undefined;
      if (!setting) {
        warnings.push(
          `${shown(name)} in ${path} is not a setting and is ignored; did you mean ${closest(name, paths)}?`,
        );
        continue;
      }
      const read = setting.read(value);
      if (read === undefined)
        faults.push(
          `${name}: given ${brief(value)} in ${path}; wanted ${setting.wanted}, for example ${JSON.stringify(setting.example)}.`,
        );
      else {
        values[name] = read;
        from[name] = called;
      }
    }
  }
  const missing = paths.filter((name) => !(name in values));
  if (faults.length === 0 && missing.length > 0)
    faults.push(`${join(dirs.own, 'default.json')} lacks ${missing.join(', ')}; install the program again.`);
  return { values: values as unknown as FileValues, from, warnings };
}
