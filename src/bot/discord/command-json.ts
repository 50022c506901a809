// The commands as Discord wants them: every name and description in every language, every gate written out.
import type { Texts } from '../../render/language/en.js';
import { LANGUAGES } from '../../render/language/index.js';
import { GROUPS } from '../commands/index.js';
import { CHANNEL_TYPES } from '../components.js';
import type { Command, OptionSpec } from '../request.js';

/** Discord's locales for our languages; English is the default and needs none. */
const LOCALES: Readonly<Record<string, readonly string[]>> = { de: ['de'], es: ['es-ES', 'es-419'] };

const TYPES = { text: 3, whole: 4, yesno: 5, channel: 7, role: 8 } as const satisfies Record<
  OptionSpec['type'],
  number
>;

type Json = Record<string, unknown>;
type Words = Texts['bot']['commands'];
type Pick = (words: Words) => string | undefined;

function localized(pick: Pick): Record<string, string> {
  return Object.fromEntries(
    Object.entries(LOCALES).flatMap(([code, locales]) => {
      const text = pick((LANGUAGES[code] as Texts).bot.commands);
      return locales.map((locale) => [locale, text as string] as const);
    }),
  );
}

function named(name: Pick, about: Pick): Json {
  const english = (LANGUAGES.en as Texts).bot.commands;
  return {
    name: name(english),
    name_localizations: localized(name),
    description: about(english),
    description_localizations: localized(about),
  };
}

function at(words: Record<string, string>, key: string): string {
  const text = words[key];
  if (text === undefined) throw new Error(`no text for "${key}"`);
  return text;
}

function optionJson(option: OptionSpec): Json {
  const { type, name, required, complete, choices, min, max } = option;
  return {
    type: TYPES[type],
    ...named(
      (words) => at(words.optionNames, name),
      (words) => at(words.optionAbout, name),
    ),
    ...(required ? { required } : {}),
    ...(complete ? { autocomplete: true } : {}),
    ...(type === 'text' && max ? { max_length: max } : {}),
    ...(type === 'whole' && max ? { min_value: min ?? 0, max_value: max } : {}),
    ...(type === 'channel' ? { channel_types: CHANNEL_TYPES } : {}),
    ...(choices
      ? {
          choices: choices.map((value) => ({
            value,
            name: at((LANGUAGES.en as Texts).bot.commands.choices, value),
            name_localizations: localized((words) => at(words.choices, value)),
          })),
        }
      : {}),
  };
}

function namedCommand(path: string): Json {
  return named(
    (words) => at(words.names, path),
    (words) => at(words.about, path),
  );
}

function optionsJson({ options = [] }: Command): Json[] {
  const required = options.filter((option) => option.required);
  return [...required, ...options.filter((option) => !option.required)].map(optionJson);
}

/**
 * Everything registered. Nobody is kept out by default: who may subscribe a channel is asked for that very channel,
 * and the rest is each person's own. Usable in servers, with the bot and in other private chats.
 */
export function commandsJson(): Json[] {
  return GROUPS.map(({ name, commands }) => {
    const [only] = commands;
    const single = commands.length === 1 && only?.path === name ? only : undefined;
    return {
      type: 1,
      ...namedCommand(name),
      default_member_permissions: null,
      contexts: [0, 1, 2],
      integration_types: [0, 1],
      options: single
        ? optionsJson(single)
        : commands.map((command) => ({
            type: 1,
            ...namedCommand(command.path),
            options: optionsJson(command),
          })),
    };
  });
}
