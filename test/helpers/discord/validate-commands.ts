// Discord's rules for application commands: names, lengths, order and number of options, choices, localizations,
// 8,000 characters in total.
import {
  absent,
  checkInteger,
  checkList,
  checkOneOf,
  checkText,
  fail,
  isJson,
  type Path,
  type Report,
  validated,
} from './checks.js';
import type { Json } from './types.js';

const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;

const LOCALES = [
  ...['id', 'da', 'de', 'en-GB', 'en-US', 'es-ES', 'es-419', 'fr', 'hr', 'it', 'lt', 'hu', 'nl', 'no', 'pl'],
  ...[
    'pt-BR',
    'ro',
    'fi',
    'sv-SE',
    'vi',
    'tr',
    'cs',
    'el',
    'bg',
    'ru',
    'uk',
    'hi',
    'th',
    'zh-CN',
    'ja',
    'zh-TW',
    'ko',
  ],
];

/** Checks a list of commands as one PUT body; their names must be unique within a type. */
export function validateCommands(commands: unknown[]): void {
  validated((report) => {
    const names = new Set<string>();
    commands.forEach((command, i) => {
      checkCommand(report, [i], command);
      const name = isJson(command) ? `${String(command.type ?? 1)}:${String(command.name)}` : '';
      if (names.has(name))
        fail(report, [i], 'APPLICATION_COMMANDS_DUPLICATE_NAME', 'Application command names must be unique');
      names.add(name);
    });
  });
}

export function validateCommand(command: unknown): void {
  validated((report) => checkCommand(report, [], command));
}

function checkCommand(report: Report, at: Path, command: unknown): void {
  if (!isJson(command)) {
    fail(report, at, 'DICT_TYPE_CONVERT', 'Only dictionaries may be used in a DictType');
    return;
  }
  const type = command.type ?? 1;
  if (!checkOneOf(report, [...at, 'type'], type, [1, 2, 3, 4])) return;
  if (type === 1) {
    checkNamed(report, at, command);
    checkOptions(report, at, command.options, 0);
  } else {
    checkInMenu(report, at, command);
  }
  const gate = command.default_member_permissions;
  if (!absent(gate) && !/^\d+$/.test(String(gate)))
    fail(report, [...at, 'default_member_permissions'], 'BITFIELD_TYPE_COERCE', 'Value is not a bit set.');
  for (const [key, allowed] of [
    ['contexts', [0, 1, 2]],
    ['integration_types', [0, 1]],
  ] as const) {
    checkList(report, [...at, key], command[key], allowed.length).forEach((value, i) => {
      checkOneOf(report, [...at, key, i], value, allowed);
    });
  }
  if (size(command) > 8000)
    fail(report, at, 'APPLICATION_COMMAND_TOO_LARGE', 'Command exceeds maximum size (8000)');
}

/**
 * A user or message command: a name of up to 32 characters, also with spaces and capitals, no description and no
 * options (Discord, "Application Commands", Application Command Naming and Message Commands).
 */
function checkInMenu(report: Report, at: Path, command: Json): void {
  checkText(report, [...at, 'name'], command.name, { min: 1, max: 32 });
  checkLocalised(report, [...at, 'name_localizations'], command.name_localizations, (path, value) => {
    checkText(report, path, value, { min: 1, max: 32 });
  });
  if (!absent(command.description) && command.description !== '')
    fail(
      report,
      [...at, 'description'],
      'APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION',
      'Context menu commands cannot have description',
    );
  if (checkList(report, [...at, 'options'], command.options, 25).length > 0)
    fail(
      report,
      [...at, 'options'],
      'APPLICATION_COMMAND_CONTEXT_MENU_OPTIONS',
      'Context menu commands cannot have options',
    );
}

function checkName(report: Report, path: Path, value: unknown): void {
  if (typeof value !== 'string') {
    fail(report, path, 'BASE_TYPE_REQUIRED', 'This field is required');
    return;
  }
  if (!NAME.test(value) || value !== value.toLowerCase())
    fail(report, path, 'APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid');
}

function checkNamed(report: Report, at: Path, item: Json): void {
  checkName(report, [...at, 'name'], item.name);
  checkText(report, [...at, 'description'], item.description, { min: 1, max: 100 });
  checkLocalised(report, [...at, 'name_localizations'], item.name_localizations, (path, value) => {
    checkName(report, path, value);
  });
  checkLocalised(
    report,
    [...at, 'description_localizations'],
    item.description_localizations,
    (path, value) => {
      checkText(report, path, value, { min: 1, max: 100 });
    },
  );
}

function checkLocalised(
  report: Report,
  at: Path,
  value: unknown,
  check: (path: Path, value: unknown) => void,
): void {
  if (absent(value)) return;
  if (!isJson(value)) {
    fail(report, at, 'DICT_TYPE_CONVERT', 'Only dictionaries may be used in a DictType');
    return;
  }
  for (const [locale, text] of Object.entries(value)) {
    if (!checkOneOf(report, [...at, locale], locale, LOCALES)) continue;
    if (!absent(text)) check([...at, locale], text);
  }
}

/** Depth 0 is the command, 1 a subcommand or group, 2 a subcommand inside a group. */
function checkOptions(report: Report, at: Path, value: unknown, depth: number): void {
  const path = [...at, 'options'];
  const options = checkList(report, path, value, 25);
  const names = new Set<unknown>();
  let optionalSeen = false;
  const nested = options.some((o) => isJson(o) && (o.type === 1 || o.type === 2));
  options.forEach((option, i) => {
    const here = [...path, i];
    if (!isJson(option)) {
      fail(report, here, 'DICT_TYPE_CONVERT', 'Only dictionaries may be used in a DictType');
      return;
    }
    checkNamed(report, here, option);
    if (names.has(option.name))
      fail(report, here, 'APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS', 'Option name already exists');
    names.add(option.name);
    const types = [...(depth < 2 ? [1] : []), ...(depth === 0 ? [2] : []), 3, 4, 5, 6, 7, 8, 9, 10, 11];
    if (!checkOneOf(report, [...here, 'type'], option.type, types)) return;
    const isNest = option.type === 1 || option.type === 2;
    if (nested !== isNest)
      fail(
        report,
        here,
        'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID',
        'Sub-command and sub-command group option types are mutually exclusive to all other types',
      );
    if (isNest) {
      checkOptions(report, here, option.options, option.type === 2 ? 1 : 2);
      return;
    }
    if (option.required === true && optionalSeen)
      fail(
        report,
        here,
        'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
        'Required options must be placed before non-required options',
      );
    if (option.required !== true) optionalSeen = true;
    checkValueOption(report, here, option);
  });
}

function checkValueOption(report: Report, at: Path, option: Json): void {
  const type = Number(option.type);
  const choices = checkList(report, [...at, 'choices'], option.choices, 25);
  if (option.autocomplete === true && (choices.length > 0 || ![3, 4, 10].includes(type)))
    fail(
      report,
      [...at, 'autocomplete'],
      'APPLICATION_COMMAND_OPTIONS_CHOICES_AUTOCOMPLETE',
      'Autocomplete needs a text or number option without choices',
    );
  if (choices.length > 0 && ![3, 4, 10].includes(type))
    fail(
      report,
      [...at, 'choices'],
      'APPLICATION_COMMAND_OPTIONS_CHOICES_TYPE',
      'This option type has no choices',
    );
  choices.forEach((choice, i) => {
    checkChoice(report, [...at, 'choices', i], choice, type);
  });
  if (type === 3) {
    checkInteger(report, [...at, 'min_length'], option.min_length, 0, 6000);
    checkInteger(report, [...at, 'max_length'], option.max_length, 1, 6000);
  }
  if (!absent(option.channel_types)) {
    if (type !== 7) fail(report, [...at, 'channel_types'], 'BASE_TYPE_CHOICES', 'Only for channel options');
    checkList(report, [...at, 'channel_types'], option.channel_types, 20);
  }
}

/** A choice of an option, fixed or answered by autocomplete: name 1–100, value of the option's type. */
export function checkChoice(report: Report, at: Path, choice: unknown, type: number): void {
  if (!isJson(choice)) {
    fail(report, at, 'DICT_TYPE_CONVERT', 'Only dictionaries may be used in a DictType');
    return;
  }
  checkText(report, [...at, 'name'], choice.name, { min: 1, max: 100 });
  checkLocalised(report, [...at, 'name_localizations'], choice.name_localizations, (path, value) => {
    checkText(report, path, value, { min: 1, max: 100 });
  });
  if (type === 3) checkText(report, [...at, 'value'], choice.value, { min: 1, max: 100 });
  else if (typeof choice.value !== 'number' || (type === 4 && !Number.isInteger(choice.value)))
    fail(report, [...at, 'value'], 'NUMBER_TYPE_COERCE', `Value "${String(choice.value)}" is not a number.`);
}

/** Characters of names, descriptions and choice values; of localized texts the longest counts. */
function size(item: Json): number {
  const longest = (key: string) => {
    const others = isJson(item[`${key}_localizations`])
      ? Object.values(item[`${key}_localizations`] as Json)
      : [];
    return Math.max(...[item[key], ...others].map((text) => (typeof text === 'string' ? text.length : 0)));
  };
  const below = (key: string) => (Array.isArray(item[key]) ? (item[key] as unknown[]).filter(isJson) : []);
  const choices = below('choices').reduce(
    (sum, c) => sum + String(c.name).length + String(c.value).length,
    0,
  );
  return (
    longest('name') + longest('description') + choices + below('options').reduce((sum, o) => sum + size(o), 0)
  );
}
