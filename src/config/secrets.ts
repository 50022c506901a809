// The secrets of the settings as texts, for the code that removes them from log lines and reports. What is secret is said
// by the table of settings.
import type { Config } from '../config.js';
import { SETTINGS } from './settings.js';

/** Least length of a secret: shorter ones would also match ordinary words. */
const SHORTEST = 8;

/** The password in an address, as it is written there and decoded as the server gets it. */
function passwordsIn(address: string): string[] {
  const [, password] = /^[a-z+]+:\/\/[^/?#]*?:([^/?#]*)@/iu.exec(address) ?? [];
  if (!password) return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

/** A secret may be a list of keys, a key in PEM, or have a prefix. Each of its parts is secret too. */
function partsOf(text: string): string[] {
  const parts = text.split(/[,\n]/u).filter((part) => !part.startsWith('-----'));
  return [text, ...parts, text.replace(/^whsec_/u, ''), ...passwordsIn(text)];
}

/** Returns the secrets, longest first, so that no part of one remains when it contains another. */
export function secretsOf({ values }: Pick<Config, 'values'>): readonly string[] {
  const all = SETTINGS.flatMap(({ name, secret, address }) => {
    const value = values[name];
    if (secret && typeof value === 'object' && 'reveal' in value) return partsOf(value.reveal());
    return address && typeof value === 'string' ? passwordsIn(value) : [];
  });
  return [...new Set(all)].filter((one) => one.length >= SHORTEST).sort((a, b) => b.length - a.length);
}
