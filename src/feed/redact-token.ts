// Keeps the token out of what an answer of the API leads to: out of what is kept, and out of the postings read from it.
import type { ReadPosting } from '../domain/posting.js';
import { readWithoutToken, redactorOf } from '../domain/redact-token.js';
import { fingerprint, type Secret } from '../domain/secret.js';
import type { Log } from '../ports/system.js';
import type { Text } from './decode.js';

export interface Asker {
  readonly token: Secret;
  readonly account: string;
}

/** True when `text` holds the token. */
export function repeats(text: string, token: Secret): boolean {
  return redactorOf(token)?.isIn(text) ?? false;
}

export interface TokenRedaction {
  /**
   * The answer without the token where it can be cut out of the raw text: its postings must have the same names whichever way
   * they came. `isClean`: nothing of it is left, so it may be kept; only looked for with `keep`.
   */
  text(read: Text, of: Asker, keep: boolean): Text & { readonly isClean: boolean };
  /** Postings without the token, however the answer had encoded it. */
  postings(read: readonly ReadPosting[], of: Asker): readonly ReadPosting[];
}

/** Says once for each token that it is repeated. */
export function createTokenRedaction(log: Log): TokenRedaction {
  const told = new Set<string>();

  function tell({ token, account }: Asker): void {
    const id = fingerprint(token);
    if (!told.has(id))
      log.warn(
        { account },
        'the jobs API repeats the token in its answers; it is taken out, and links that hold it are not shown',
      );
    told.add(id);
  }

  return {
    text(read, of, keep) {
      const redactor = redactorOf(of.token);
      if (!redactor) return { ...read, isClean: true };
      // Only plain forms are cut out here: undoing others would change what the parser reads.
      const text = redactor.cut(read.text);
      const isClean = keep && !redactor.isIn(text);
      if (text !== read.text || (keep && !isClean)) tell(of);
      return { ...read, text, isClean };
    },
    postings(read, of) {
      const redactor = redactorOf(of.token);
      if (!redactor) return read;
      return read.map((one) => {
        if (!redactor.isIn(JSON.stringify(one))) return one;
        tell(of);
        return readWithoutToken(one, redactor);
      });
    },
  };
}
