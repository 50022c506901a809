// Reads the search part of a request. Clients ask the same again and again, so the result is kept under a keyed hash,
// because the text holds a token.
import { type JobQuery, parseQuery } from './query.js';
import { idOf } from './tokens.js';

const KEPT = 10_000;
/** Longer ones are not kept, so that ten thousand need at most a few megabytes. */
const KEPT_LENGTH = 256;

interface Question {
  /** See {@link idOf}. */
  readonly token: string;
  readonly query: JobQuery;
  /** Keeps it for the next request. Call it only for a client that is allowed to ask. */
  keep(): void;
}

export interface Questions {
  get(search: string): Question;
}

export function createQuestions(): Questions {
  const kept = new Map<string, Question>();

  return {
    get(search) {
      const id = idOf(search);
      const known = kept.get(id);
      if (known) return known;
      const params = new URLSearchParams(search);
      const read = { token: idOf(params.get('token') ?? ''), query: parseQuery(params) };
      return {
        ...read,
        keep() {
          if (search.length > KEPT_LENGTH) return;
          const oldest = kept.size >= KEPT ? kept.keys().next().value : undefined;
          if (oldest !== undefined) kept.delete(oldest);
          kept.set(id, { ...read, keep: () => undefined });
        },
      };
    },
  };
}
