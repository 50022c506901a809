import { readWithoutToken, redactorOf } from '../../domain/redact-token.js';
import { fingerprint } from '../../domain/secret.js';
/** True when `text` holds the token. */
export function repeats(text, token) {
    return redactorOf(token)?.isIn(text) ?? false;
}
/** Logs once for each token that the API repeats it. */
export function createTokenRedaction(log) {
    const told = new Set();
    function tell({ token, account }) {
        const id = fingerprint(token);
        if (!told.has(id))
            log.warn({ account }, 'the jobs API repeats the token in its answers; it is taken out, and links that hold it are not shown');
        told.add(id);
    }
    return {
        text(read, of, keep) {
            const redactor = redactorOf(of.token);
            if (!redactor)
                return { ...read, isClean: true };
            // Only plain forms are cut out here. Decoding others would change what the parser reads.
            const text = redactor.cut(read.text);
            const isClean = keep && !redactor.isIn(text);
            if (text !== read.text || (keep && !isClean))
                tell(of);
            return { ...read, text, isClean };
        },
        postings(read, of) {
            const redactor = redactorOf(of.token);
            if (!redactor)
                return read;
            return read.map((one) => {
                if (!redactor.isIn(JSON.stringify(one)))
                    return one;
                tell(of);
                return readWithoutToken(one, redactor);
            });
        },
    };
}
//# sourceMappingURL=redact-token.js.map