// Values as people write them, in a file or a form. They are read strictly: what is not understood is named, never
// guessed at, because a wish that is silently dropped looks like one that was granted.

/** Shorter texts are no secret that is worth the name. */
const SHORTEST_SECRET = 8;
/** Numbers, times, addresses of machines, cron expressions. */
const FIGURES = /^[\d\s*/,:.+?-]{1,24}$/u;
/** Up to six words of letters, none so long as tokens are. */
const PLAIN_WORDS = /^\p{L}{1,15}(?:[ '’/.-]{1,2}\p{L}{1,15}){0,5}$/u;

/**
 * A value in a fault: enough to recognise it by, but never what may be a secret that stands in the wrong place. Figures
 * and plain words are shown; of any other text its length.
 */
export function shown(value: unknown): string {
  if (typeof value === 'string' && PLAIN_WORDS.test(value)) return JSON.stringify(value);
  return brief(value);
}

/** The same where no words are expected, only figures and names: a passphrase is made of plain words. */
export function brief(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'a group of fields';
  if (typeof value !== 'string') return String(value);
  if (value.length < SHORTEST_SECRET || FIGURES.test(value)) return JSON.stringify(value);
  return `a text of ${value.length} characters`;
}

export function isAbsent(value: unknown): value is undefined | null | '' {
  return value === undefined || value === null || value === '';
}

/** Faults for names that mean nothing here: a misspelt wish would otherwise be none. */
export function unknownFields(
  raw: Readonly<Record<string, unknown>>,
  known: readonly string[],
  what: string,
): string[] {
  return Object.keys(raw)
    .filter((name) => !known.includes(name))
    .map((name) => `${what}: ${shown(name)} is not a field; wanted one of ${known.join(', ')}.`);
}

/** A whole number within bounds, also when written as text. */
export function whole(
  value: unknown,
  field: string,
  min: number,
  max: number,
  faults: string[],
): number | undefined {
  if (isAbsent(value)) return undefined;
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max) return number;
  faults.push(`${field}: wanted a whole number from ${min} to ${max}, got ${shown(value)}.`);
  return undefined;
}

/** True or false; false when left out. */
export function flag(value: unknown, field: string, faults: string[]): boolean {
  if (isAbsent(value) || value === false) return false;
  if (value !== true) faults.push(`${field}: wanted true or false, got ${shown(value)}.`);
  return value === true;
}

/** Text; undefined when left out. A number is none: the last digits of a long id would already be lost. */
export function words(value: unknown, field: string, faults: string[]): string | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value === 'string') return value.trim();
  faults.push(`${field}: wanted text, in quotes when it is digits alone, got ${shown(value)}.`);
  return undefined;
}
