// A fault a person can do something about, in that person's language.
import type { UserError } from '../domain/errors.js';
import type { Texts } from '../render/language/en.js';

/** What the services refuse by name is said in the reader's language; our own faults are in it already. */
export function faultWords({ fault, message }: UserError, texts: Texts): string {
  if (!fault) return message;
  const words = texts.bot.fault[fault.name];
  return typeof words === 'string' ? words : words(fault.count ?? 0);
}
