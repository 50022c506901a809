// Reads values that people write in a file or a form. Reading is strict: a value that is not understood is reported,
// never guessed, because a silently ignored setting looks like one that works.
/** Shorter texts are not treated as secrets. Characters. */
const SHORTEST_SECRET = 8;
/** Numbers, times, network addresses, cron expressions. */
const FIGURES = /^[\d\s*/,:.+?-]{1,24}$/u;
/** Up to six words of letters, none as long as a token. */
const PLAIN_WORDS = /^\p{L}{1,15}(?:[ '’/.-]{1,2}\p{L}{1,15}){0,5}$/u;
/**
 * Returns a value as shown in a fault: enough to recognise it, but never a possible secret in the wrong place.
 * Numbers, plain words and texts of under 8 characters are shown; of any other text, only the length.
 */
export function shown(value) {
    if (typeof value === 'string' && PLAIN_WORDS.test(value))
        return JSON.stringify(value);
    return brief(value);
}
/**
 * Like {@link shown}, for places where only numbers and names are expected. Longer plain words are hidden too,
 * because a passphrase is made of them.
 */
export function brief(value) {
    if (Array.isArray(value))
        return `a list of ${value.length}`;
    if (typeof value === 'object' && value !== null)
        return 'a group of fields';
    if (typeof value !== 'string')
        return String(value);
    if (value.length < SHORTEST_SECRET || FIGURES.test(value))
        return JSON.stringify(value);
    return `a text of ${value.length} characters`;
}
export function isAbsent(value) {
    return value === undefined || value === null || value === '';
}
/** Returns a fault for each unknown field name. Otherwise a misspelt setting would silently be ignored. */
export function unknownFields(raw, known, what) {
    return Object.keys(raw)
        .filter((name) => !known.includes(name))
        .map((name) => `${what}: ${shown(name)} is not a field; wanted one of ${known.join(', ')}.`);
}
/** Reads a whole number within bounds, also from text. Undefined if it is left out or faulty. */
export function whole(value, field, min, max, faults) {
    if (isAbsent(value))
        return undefined;
    const number = typeof value === 'string' ? Number(value) : value;
    if (typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max)
        return number;
    faults.push(`${field}: wanted a whole number from ${min} to ${max}, got ${shown(value)}.`);
    return undefined;
}
/** Reads true or false. Returns false if it is left out. */
export function flag(value, field, faults) {
    if (isAbsent(value) || value === false)
        return false;
    if (value !== true)
        faults.push(`${field}: wanted true or false, got ${shown(value)}.`);
    return value === true;
}
/**
 * Reads text. Undefined if it is left out. A number is a fault, because a long id would already have lost its last
 * digits.
 */
export function words(value, field, faults) {
    if (isAbsent(value))
        return undefined;
    if (typeof value === 'string')
        return value.trim();
    faults.push(`${field}: wanted text, in quotes when it is digits alone, got ${shown(value)}.`);
    return undefined;
}
//# sourceMappingURL=form-value.js.map