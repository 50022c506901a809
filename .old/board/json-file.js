import { ownerSlots } from './owner-link.js';
/** A jobs or tokens file that can't be used. The message names the fault, never the content. */
export class FileFault extends Error {
    name = 'FileFault';
}
/** Parses JSON. Throws a FileFault with line and column if the text is empty or not valid. */
export function parseJson(text) {
    const body = text.startsWith('\ufeff') ? text.slice(1) : text;
    if (body.trim() === '')
        throw new FileFault('the file is empty');
    try {
        return JSON.parse(body);
    }
    catch {
        throw new FileFault(`not valid JSON at ${positionOf(body, faultAt(body))}`);
    }
}
function positionOf(text, at) {
    const before = text.slice(0, at).split('\n');
    const where = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
    return at >= text.length ? `${where}: the file ends too early` : where;
}
const SPACE = /[ \t\r\n]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON wants them escaped
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// The offset of the first character that is not valid. Open brackets are kept on a stack, so that deep nesting is
// safe.
function faultAt(text) {
    const open = [];
    let wants = 'value';
    let at = 0;
    const eat = (pattern) => {
        pattern.lastIndex = at;
        if (!pattern.test(text))
            return false;
        at = pattern.lastIndex;
        return true;
    };
    for (;;) {
        eat(SPACE);
        const char = text[at];
        if (char === undefined)
            return at;
        if (wants === 'next') {
            const inside = open.at(-1);
            if (char === ',' && inside !== undefined)
                wants = inside === '{' ? 'key' : 'value';
            else if (char === (inside === '{' ? '}' : ']') && inside !== undefined)
                open.pop();
            else
                return at;
            at++;
        }
        else if (wants === ':') {
            if (char !== ':')
                return at;
            at++;
            wants = 'value';
        }
        else if (wants.startsWith('key')) {
            if (char === '}' && wants === 'key or }') {
                at++;
                open.pop();
                wants = 'next';
            }
            else if (eat(STRING))
                wants = ':';
            else
                return at;
        }
        else if (char === ']' && wants === 'value or ]') {
            at++;
            open.pop();
            wants = 'next';
        }
        else if (char === '{' || char === '[') {
            at++;
            open.push(char);
            wants = char === '{' ? 'key or }' : 'value or ]';
        }
        else if (eat(STRING) || eat(SCALAR))
            wants = 'next';
        else
            return at;
    }
}
// The JSON form of the listing. The envelope is the current shape of the jobs API: a root array of
// a status word, a version word and the jobs.
const HEAD = '["ok","v1",[';
const TAIL = ']]';
/** One job as JSON text with all its fields, split where the token owner's name goes into the link. */
export function renderJobJson(job, withDescription) {
    const { description: _omitted, ...bare } = job;
    return ownerSlots(withDescription ? job : bare, JSON.stringify);
}
/** The whole response body. */
export function renderEnvelope(jobs) {
    return HEAD + jobs.join(',') + TAIL;
}
//# sourceMappingURL=json-file.js.map