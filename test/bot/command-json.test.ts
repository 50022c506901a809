// The registered commands follow Discord's rules in every language: names, lengths, permissions, and unique names
// within a list.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { actionOf, PATHS } from '../../src/bot/features/index.js';

import { commandsJson, isSameCommands } from '../../src/bot/runtime/registration.js';

import { messageOf } from '../../src/bot/runtime/reply-json.js';
import { withCommands } from '../../src/render/commands.js';
import { escaped } from '../../src/render/discord/escape.js';
import { LANGUAGES, textsFor } from '../../src/render/texts.js';
import { validateCommands } from '../helpers/discord/validate-commands.js';

type Json = { name: string; options?: Json[]; [key: string]: unknown };
const commands = commandsJson() as Json[];

function levels(list: Json[]): Json[][] {
  return [list, ...list.flatMap((one) => (one.options ? levels(one.options) : []))];
}

test('is accepted by Discord', () => {
  expect(() => validateCommands(commands)).not.toThrow();
});

test('has the commands that people use', () => {
  expect([...PATHS].sort()).toEqual(
    [
      'help',
      'token set',
      'token status',
      'token remove',
      'email set',
      'email status',
      'email remove',
      'agent key',
      'agent status',
      'agent remove',
      'jobs subscribe',
      'jobs list',
      'jobs show',
      'jobs edit',
      'jobs manage',
      'jobs pause',
      'jobs resume',
      'jobs remove',
      'jobs preview',
      'jobs why',
      'jobs history',
      'jobs saved',
      'privacy export',
      'privacy erase',
    ].sort(),
  );
  expect(commands.filter(({ type }) => type === 3).map(({ name }) => name)).toEqual([
    'Save job',
    'Why did I get this?',
  ]);
  const jobs = commands.find((one) => one.name === 'jobs');
  const options = (name: string) =>
    jobs?.options?.find((one) => one.name === name)?.options?.map((one) => one.name);
  const filter = ['want', 'tags', 'country', 'remote', 'include', 'exclude', 'min_salary'];
  expect(options('subscribe')).toEqual([
    ...filter,
    'deliver',
    'channel',
    'every',
    'at',
    'timezone',
    'mention',
    'language',
  ]);
  expect(options('edit')).toEqual(['subscription', 'language']);
  expect(options('preview')).toEqual(filter);
  expect(options('why')).toEqual(['subscription', 'job']);
});

test('states every permission', () => {
  for (const command of commands) {
    expect(command).toHaveProperty('default_member_permissions', null);
    expect(command.contexts).toEqual([0, 1, 2]);
    expect(command.integration_types).toEqual([0, 1]);
  }
});

describe('the comparison with the commands that Discord has', () => {
  /** As Discord returns them: with defaults, without empty fields, in another order. */
  const returned = (): Json[] =>
    commands.toReversed().map((command, index) => ({
      id: `12345678901234567${index}`,
      application_id: '123456789012345678',
      version: '223456789012345678',
      dm_permission: true,
      nsfw: false,
      handler: null,
      ...withDefaults(command),
      contexts: (command.contexts as number[]).toReversed(),
    }));
  const withDefaults = (item: Json): Json => {
    const { name_localizations, options, ...rest } = item;
    const sorted = Object.fromEntries(Object.entries(name_localizations as object).reverse());
    return {
      ...rest,
      required: rest.required ?? false,
      autocomplete: rest.autocomplete ?? false,
      name_localized: null,
      name_localizations: sorted,
      ...(options ? { options: options.map(withDefaults) } : {}),
    };
  };
  const jobs = (list: Json[]) => list.find((one) => one.name === 'jobs')?.options as Json[];

  test('ignores ids, versions, defaults and order', () => {
    expect(isSameCommands(commands, returned())).toBe(true);
  });

  test.each<[string, (list: Json[]) => unknown]>([
    ['a command less', (list) => list.pop()],
    ['another description', (list) => Object.assign(jobs(list)[0] as Json, { description: 'else' })],
    [
      'a name in one language',
      (list) => Object.assign(jobs(list)[0] as Json, { name_localizations: { de: 'x' } }),
    ],
    [
      'no names in any language',
      (list) => Object.assign(jobs(list)[0] as Json, { name_localizations: null }),
    ],
    ['an option less', (list) => jobs(list)[0]?.options?.pop()],
    ['options in another order', (list) => jobs(list)[0]?.options?.reverse()],
    ['a gate', (list) => Object.assign(list[0] as Json, { default_member_permissions: '16' })],
    ['a context less', (list) => Object.assign(list[0] as Json, { contexts: [0, 1] })],
    [
      'a least value',
      (list) =>
        Object.assign(jobs(list)[0]?.options?.find(({ type }) => type === 4) as Json, { min_value: 1 }),
    ],
  ])('detects %s', (_name, change) => {
    const list = structuredClone(returned());
    change(list);
    expect(isSameCommands(commands, list)).toBe(false);
  });
});

describe.each(['de', 'es-ES', 'es-419'])('in %s', (locale) => {
  test('every name and description is translated, and names within a list differ', () => {
    for (const level of levels(commands)) {
      const names = level.map((one) => (one.name_localizations as Record<string, string>)[locale]);
      expect(new Set(names).size, names.join(', ')).toBe(names.length);
      // A command in the menu of a message has no description.
      for (const one of level.filter(({ type }) => type !== 3)) {
        const about = (one.description_localizations as Record<string, string>)[locale] ?? '';
        expect(about.length, one.name).toBeGreaterThan(0);
        expect(about.length, about).toBeLessThanOrEqual(100);
      }
    }
  });
});

test.each(Object.keys(LANGUAGES))('the texts in %s name only commands that exist', (code) => {
  const file = new URL(`../../templates/locales/${code}.json`, import.meta.url);
  const named = [...readFileSync(file, 'utf8').matchAll(/\{\/([^}]*)\}/gu)].map(([, path]) => path);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !PATHS.includes(path as string))).toEqual([]);
});

test('shows commands as mentions when their ids are known, and by their translated names before', () => {
  expect(withCommands('Use {/token set}.', { token: '42' }, textsFor('de'))).toBe('Use </token set:42>.');
  expect(withCommands('Use {/token set}.', {}, textsFor('de'))).toBe('Use `/token setzen`.');
  expect(withCommands('Use {/help}.', {}, textsFor('en'))).toBe('Use `/help`.');
});

test('does not turn text of a posting into a command mention', () => {
  const words = escaped('{/privacy erase} and {/help}', 100);
  expect(withCommands(words, { privacy: '1', help: '2' }, textsFor('en'))).toBe(
    '\\{/privacy erase} and \\{/help}',
  );
  expect(escaped('{curly} stays', 100)).toBe('{curly} stays');
});

test('reads nothing as a command inside links of postings', () => {
  const description = '[x](<https://jobs.example/{/help}>) {/help}';
  const answer = {
    embeds: [{ description }],
    postings: [{ key: 'a', applyUrl: 'https://jobs.example/{/help}' }],
  };
  expect(messageOf(answer, { help: '1' }, textsFor('en')).embeds?.[0]?.description).toBe(description);
});

test('registers every feature, and finds its buttons', () => {
  const folder = new URL('../../src/bot/features/', import.meta.url);
  const index = readFileSync(new URL('index.ts', folder), 'utf8');
  for (const file of readdirSync(folder))
    if (file !== 'index.ts') expect(index).toContain(`from './${file.replace(/\.ts$/u, '.js')}'`);
  expect(actionOf('sub:pause:abc@123456789012345678')).toMatchObject({
    action: { name: 'sub' },
    args: ['pause', 'abc'],
    owner: '123456789012345678',
  });
});
