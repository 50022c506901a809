// Reads the search part of a request. Clients ask the same again and again, so the result is kept under a keyed hash,
// because the text holds a token.
import { parseQuery } from './query.js';
import { idOf } from './tokens.js';
const KEPT = 10_000;
/** Longer ones are not kept, so that ten thousand need at most a few megabytes. */
const KEPT_LENGTH = 256;
export function createQuestions() {
    const kept = new Map();
    return {
        get(search) {
            const id = idOf(search);
            const known = kept.get(id);
            if (known)
                return known;
            const params = new URLSearchParams(search);
            const read = { token: idOf(params.get('token') ?? ''), query: parseQuery(params) };
            return {
                ...read,
                keep() {
                    if (search.length > KEPT_LENGTH)
                        return;
                    const oldest = kept.size >= KEPT ? kept.keys().next().value : undefined;
                    if (oldest !== undefined)
                        kept.delete(oldest);
                    kept.set(id, { ...read, keep: () => undefined });
                },
            };
        },
    };
}
//# sourceMappingURL=question.js.map