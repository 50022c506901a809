// The settings that are not environment variables: config/default.json. CONFIG_DIR's copy wins key by key, so that a
// copy made for an older version still works.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { closest } from 'fastest-levenshtein';
import * as v from 'valibot';
import { brief, shown, whole } from '../domain/input.js';
import { readSettings, setting, settingsOf } from './setting.js';

function count(meaning: string, min: number, max: number, standard: number) {
  return setting(v.optional(whole(min, max), standard), { meaning });
}

/** Every setting of the file, by group. */
export const FILE = v.object({
  jobsApi: v.object({
    format: setting(v.optional(v.picklist(['rss', 'json'], '"rss" or "json"'), 'rss'), {
      meaning: 'Format to request from the jobs API.',
      example: '"rss"',
    }),
    attemptTimeoutMs: count('Time limit of one request, including the whole answer.', 100, 120_000, 15_000),
    interactiveTimeoutMs: count(
      'How long a person in Discord waits for the jobs API, in total.',
      100,
      60_000,
      10_000,
    ),
    maxBytes: count('Largest answer read, decoded, in bytes.', 10_000, 100_000_000, 8_388_608),
  }),
  mail: v.object({
    bounceMaildir: setting(v.optional(v.string('a path or ""'), ''), {
      meaning: 'Maildir that bounces arrive in; empty for none.',
      example: '""',
    }),
  }),
  limits: v.object({
    immediateCap: count('Postings per immediate edition.', 1, 500, 100),
    digestCap: count('Postings per digest.', 1, 500, 50),
    subscriptionsPerAccount: count('Subscriptions one person may have.', 1, 10_000, 25),
    subscriptionsPerServer: count('Subscriptions into one Discord server.', 1, 10_000, 50),
    keepAfterLeavingDays: count(
      'Days that the subscriptions of a server are kept after the bot was removed.',
      0,
      3650,
      30,
    ),
    pollConcurrency: count('Polls at the same time.', 1, 1000, 64),
    deliveryConcurrency: count('Deliveries at the same time, for each sink.', 1, 1000, 64),
    deliveryTimeoutSeconds: count('Longest time one delivery may take.', 1, 600, 60),
    silenceDays: count(
      'Days without a match after which the owner gets a notice about the filter.',
      1,
      365,
      14,
    ),
    drainSeconds: count('Seconds that a stop waits for running work.', 1, 600, 20),
  }),
});

/** The settings as a list, each with its path in the file as its name. */
export const FILE_SETTINGS = Object.entries(FILE.entries).flatMap(([group, { entries }]) =>
  settingsOf(entries).map((one) => ({ ...one, name: `${group}.${one.name}` })),
);
const NAMES = FILE_SETTINGS.map(({ name }) => name);

export type FileValues = v.InferOutput<typeof FILE>;

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
export function flatten(value: unknown, prefix = ''): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[prefix, value]];
  return Object.entries(value).flatMap(([name, inner]) =>
    flatten(inner, prefix === '' ? name : `${prefix}.${name}`),
  );
}

/** Reads both copies and adds to `faults`. `from` says where the value of a setting is from, for `config dump`. */
export function readSettingsFile(
  dirs: { readonly own: string; readonly given: string },
  faults: string[],
): { values: FileValues; from: (name: string) => string; warnings: readonly string[] } {
  const warnings: string[] = [];
  const given: Record<string, Record<string, unknown>> = { jobsApi: {}, mail: {}, limits: {} };
  const own = join(dirs.own, 'default.json');
  const paths = new Map<string, string>();
  for (const path of new Set([own, join(dirs.given, 'default.json')]))
    for (const [name, value] of flatten(readJson(path, faults) ?? {})) {
      const [group = '', key = ''] = name.split('.');
      if (NAMES.includes(name)) {
        given[group] = { ...given[group], [key]: value };
        paths.set(name, path);
      } else
        warnings.push(
          `${shown(name)} in ${path} is not a setting and is ignored; did you mean ${closest(name, NAMES)}?`,
        );
    }
  const values = readSettings(FILE, given, (name, wanted, value) => {
    const example = FILE_SETTINGS.find((one) => one.name === name)?.example;
    const path = paths.get(name);
    faults.push(`${name}: given ${brief(value)} in ${path}; wanted ${wanted}, for example ${example}.`);
    paths.delete(name);
  });
  const from = (name: string) => ((paths.get(name) ?? own) === own ? 'default' : 'CONFIG_DIR/default.json');
  return { values, from, warnings };
}
