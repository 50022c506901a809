// The search part of a request, read. Clients ask the same again and again, so what was read is kept under a keyed hash: the
// text holds a token.
import { type JobQuery, parseQuery } from './query.js';
import { idOf } from './tokens.js';

const KEPT = 10_000;
/** Longer ones are not kept, so that ten thousand take a few megabytes at most. */
const KEPT_LENGTH = 256;

interface Question {
  /** See {@link idOf}. */
  readonly token: string;
  readonly query: JobQuery;
  /** Keeps it for the next one who asks; for those only who may ask at all. */
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
