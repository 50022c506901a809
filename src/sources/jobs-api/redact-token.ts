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
   * An answer, or a part of it, without the token where it can be cut out of the raw text. The postings must have the same
   * keys whether they come from the API or the cache.
   */
  cut(text: string, of: Asker): string;
  /** The same for an answer that is to be stored. `isClean`: the token is not left in any encoding, so it may be. */
  text(read: Text, of: Asker): Text & { readonly isClean: boolean };
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
    cut(text, of) {
      const cut = redactorOf(of.token)?.cut(text) ?? text;
      if (cut !== text) tell(of);
      return cut;
    },
    text(read, of) {
      const redactor = redactorOf(of.token);
      if (!redactor) return { ...read, isClean: true };
      // Only plain forms are cut out here. Decoding others would change what the parser reads.
      const text = redactor.cut(read.text);
      const isClean = !redactor.isLeftIn(text);
      if (text !== read.text || !isClean) tell(of);
      return { ...read, text, isClean };
    },
    async postings(read, of) {
      const redactor = redactorOf(of.token);
      if (!redactor) return read;
      const clean: ReadPosting[] = [];
      for (const one of read) {
        const wait = pace();
        if (wait) await wait;
        const isRepeated = redactor.isIn(one);
        if (isRepeated) tell(of);
        clean.push(isRepeated ? readWithoutToken(one, redactor) : one);
      }
      return clean;
    },
  };
}
