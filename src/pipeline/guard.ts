// What every message passes before it is sent: the account's token is taken out of its postings, and the finished output
// is checked for the token and against the link rules.
import { DeliveryError } from '../domain/errors.js';
import type { Posting } from '../domain/posting.js';
import { redactorOf, type TokenRedactor, withoutToken } from '../domain/redact-token.js';
import type { DeliveryContext } from '../ports/sink.js';
import type { Pipeline } from './context.js';

/** A redactor for the account's current token; undefined when the account has none. */
export async function redactorFor(p: Pipeline, account: string): Promise<TokenRedactor | undefined> {
  const token = await p.tokens.of(account);
  return token.state === 'missing' ? undefined : redactorOf(token.token);
}

/** The posting without the token, under the same key; the same object when the token is not in it. */
export function cleanPosting<T extends Posting>(posting: T, redactor: TokenRedactor | undefined): T {
  if (!redactor?.isIn(posting)) return posting;
  return { ...withoutToken(posting, redactor), key: posting.key };
}

/** Throws a DeliveryError (`program`) for output that contains the token or breaks a link rule of `postings`. */
export function guardOf(
  p: Pipeline,
  postings: readonly Posting[],
  redactor: TokenRedactor | undefined,
): DeliveryContext['guard'] {
  return (output, keys) => {
    const shown = keys ? postings.filter(({ key }) => keys.includes(key)) : postings;
    const faults = [...p.guardFaults(output, shown)];
    if (redactor?.isIn(output.body)) faults.push('it contains the API token');
    if (faults.length > 0) throw new DeliveryError('program', `held back: ${faults.join('; ')}`);
  };
}
