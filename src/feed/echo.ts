// An API may repeat the request in its answer: a feed's link to itself, a page of errors, a link built from the wrong
// address. The token is part of the request, so it is taken out before anything is read, kept or passed on.
import { fingerprint, type Secret } from '../domain/secret.js';
import type { Log } from '../ports/system.js';
import type { Text } from './decode.js';

/** Shorter ones are no tokens of a real API, and would be found in ordinary words. */
const SHORTEST = 8;
/** Not without blanks: a link the token stood in is no link any more, and leaves as it came or not at all. */
const HIDDEN = '[token taken out]';

/** As it is, and as addresses write it: the two ways differ in a few signs. */
function patternOf(token: Secret): RegExp | undefined {
  const text = token.reveal();
  if (text.length < SHORTEST) return undefined;
  const inQuery = new URLSearchParams({ '': text }).toString().slice(1);
  const forms = [...new Set([text, encodeURIComponent(text), inQuery])];
  return new RegExp(forms.map((form) => form.replace(/[.*+?^${}()|[\]\\/]/gu, '\\$&')).join('|'), 'giu');
}

/** True when `text` holds the token. */
export function repeats(text: string, token: Secret): boolean {
  return patternOf(token)?.test(text) ?? false;
}

/** Takes the token out of answers, and says so once for each token. */
export function createEchoFilter(log: Log): (text: Text, of: { token: Secret; account: string }) => Text {
  const told = new Set<string>();
  return (read, { token, account }) => {
    const pattern = patternOf(token);
    if (!pattern) return read;
    const text = read.text.replace(pattern, HIDDEN);
    if (text === read.text) return read;
    const id = fingerprint(token);
    if (!told.has(id))
      log.warn(
        { account },
        'the jobs API repeats the token in its answers; it is taken out, and links that hold it are not shown',
      );
    told.add(id);
    return { ...read, text };
  };
}
