// Removes the token from answers of the API: from what is stored, and from the postings that are read.
import type { ReadPosting } from '../../domain/posting.js';
import { readWithoutToken, redactorOf } from '../../domain/redact-token.js';
import { fingerprint, type Secret } from '../../domain/secret.js';
import { pace } from '../../domain/serial.js';
import type { Log } from '../../ports/system.js';
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
   * The answer without the token, where it can be cut out of the raw text: its postings must have the same keys
   * whether it comes from the API or the cache. `isClean`: the token is not left in any encoding, so the text may be
   * stored. It is only checked with `keep`.
   */
  text(read: Text, of: Asker, keep: boolean): Text & { readonly isClean: boolean };
  /** Postings without the token, however the answer had encoded it. */
  postings(read: readonly ReadPosting[], of: Asker): Promise<readonly ReadPosting[]>;
}

/** Logs once for each token that the API repeats it. */
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
      // Only plain forms are cut out here. Decoding others would change what the parser reads.
      const text = redactor.cut(read.text);
      const isClean = keep && !redactor.isIn(text);
      if (text !== read.text || (keep && !isClean)) tell(of);
      return { ...read, text, isClean };
    },
    async postings(read, of) {
      const redactor = redactorOf(of.token);
      if (!redactor) return read;
      const clean: ReadPosting[] = [];
      for (const one of read) {
        const wait = pace();
        if (wait) await wait;
        const isRepeated = redactor.isIn(JSON.stringify(one));
        if (isRepeated) tell(of);
        clean.push(isRepeated ? readWithoutToken(one, redactor) : one);
      }
      return clean;
    },
  };
}
