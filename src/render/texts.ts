// The texts that people read, in their language. Each language is one file of messages in ICU MessageFormat
// (https://unicode-org.github.io/icu/userguide/format_parse/messages/). A new language is a new file.
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import type { Texts } from './texts-types.js';

export type { Texts };

const DIR = new URL('../../templates/locales/', import.meta.url);

type Values = Readonly<Record<string, string | number>>;

export const en = readTexts('en.json');

/** Every language by its two-letter code, English first. */
export const LANGUAGES: Readonly<Record<string, Texts>> = {
  en,
  ...Object.fromEntries(
    readdirSync(DIR)
      .filter((file) => file.endsWith('.json') && file !== 'en.json')
      .map((file) => [basename(file, '.json'), readTexts(file)]),
  ),
};

/** The texts for a locale such as "de", "de-AT" or "es-419"; English when there is no file for its language. */
export function textsFor(locale: string | undefined): Texts {
  if (locale !== undefined && Object.hasOwn(LANGUAGES, locale)) return LANGUAGES[locale] as Texts;
  const code = (locale ?? '').split(/[-_]/u, 1)[0]?.toLowerCase() ?? '';
  return Object.hasOwn(LANGUAGES, code) ? (LANGUAGES[code] as Texts) : en;
}

function readTexts(file: string): Texts {
  const messages = JSON.parse(readFileSync(new URL(file, DIR), 'utf8'));
  return compiled(messages, messages.intl);
}

/**
 * Replaces each message by its text, or by a function of its values. A message is compiled when it is first used,
 * because most processes use few of them.
 */
function compiled<T>(messages: Readonly<Record<string, unknown>>, locale: string): T {
  const texts = {};
  for (const [key, message] of Object.entries(messages)) {
    const set = (value: unknown) => Object.defineProperty(texts, key, { value, enumerable: true });
    if (typeof message !== 'string') set(compiled(message as Record<string, unknown>, locale));
    else
      Object.defineProperty(texts, key, {
        enumerable: true,
        configurable: true,
        get: () => {
          const text = compile(message, locale);
          set(text);
          return text;
        },
      });
  }
  return texts as T;
}

function compile(message: string, locale: string): string | ((values: Values) => string) {
  const format = new IntlMessageFormat(message, locale, undefined, { ignoreTag: true });
  const parts = format.getAst();
  if (parts.every(({ type }) => type === TYPE_LITERAL)) return String(format.format());
  const slow = (values: Values) => String(format.format(values));
  const isPlain = parts.every(({ type }) => type === TYPE_LITERAL || type === TYPE_ARGUMENT);
  return isPlain ? (values) => joined(parts, values) ?? slow(values) : slow;
}

/** A message of words and names of values, which are put in as they are. Undefined if a value is missing. */
function joined(parts: ReturnType<IntlMessageFormat['getAst']>, values: Values): string | undefined {
  let text = '';
  for (const part of parts) {
    const { value } = part as { value: string };
    const word = part.type === TYPE_LITERAL ? value : values[value];
    if (typeof word !== 'string' && typeof word !== 'number') return undefined;
    text += word;
  }
  return text;
}

/** `TYPE.literal` and `TYPE.argument` of the parser, whose enum is not exported as a value. */
const TYPE_LITERAL = 0;
const TYPE_ARGUMENT = 1;
