// Keeps the token out of what an answer of the API leads to: out of what is kept, and out of the postings read from it.
import type { ReadPosting } from '../domain/posting.js';
import { fingerprint, type Secret } from '../domain/secret.js';
import { echoOf, readWithoutEcho } from '../domain/token-echo.js';
import type { Log } from '../ports/system.js';
import type { Text } from './decode.js';

export interface Asker {
  readonly token: Secret;
  readonly account: string;
}

/** True when `text` holds the token. */
export function repeats(text: string, token: Secret): boolean {
  return echoOf(token)?.isIn(text) ?? false;
}

export interface EchoFilter {
  /**
   * The answer without the token where it can be cut out of the raw text: its postings must have the same names whichever way
   * they came. `isClean`: nothing of it is left, so it may be kept; only looked for with `keep`.
   */
  text(read: Text, of: Asker, keep: boolean): Text & { readonly isClean: boolean };
  /** Postings without the token, however the answer had encoded it. */
  postings(read: readonly ReadPosting[], of: Asker): readonly ReadPosting[];
}

/** Says once for each token that it is repeated. */
export function createEchoFilter(log: Log): EchoFilter {
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
      const echo = echoOf(of.token);
      if (!echo) return { ...read, isClean: true };
      // Only plain forms are cut out here: undoing others would change what the parser reads.
      const text = echo.cut(read.text);
      const isClean = keep && !echo.isIn(text);
      if (text !== read.text || (keep && !isClean)) tell(of);
      return { ...read, text, isClean };
    },
    postings(read, of) {
      const echo = echoOf(of.token);
      if (!echo) return read;
      return read.map((one) => {
        if (!echo.isIn(JSON.stringify(one))) return one;
        tell(of);
        return readWithoutEcho(one, echo);
      });
    },
  };
}
