// Reads what people give: settings, files, forms and options. What is read is described by a valibot schema that is made
// of the pieces below. Reading is strict: a value that is not understood is reported, never guessed, because a silently
// ignored setting looks like one that works. A schema's message says what is wrong in one of three ways:
// - words for what is wanted, such as "a whole number from 1 to 100"; the fault adds the field and what was given
// - a sentence, which ends with a full stop; the fault adds only the field
// - a sentence that begins with a field, such as "sink: …"; it stays as it is
import * as v from 'valibot';
import { UserError } from './errors.js';
import { typos } from './typos.js';

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
export function shown(value: unknown): string {
  if (typeof value === 'string' && PLAIN_WORDS.test(value)) return JSON.stringify(value);
  return brief(value);
}

/**
 * Like {@link shown}, for places where only numbers and names are expected. Longer plain words are hidden too,
 * because a passphrase is made of them.
 */
export function brief(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'a group of fields';
  if (typeof value !== 'string') return String(value);
  if (value.length < SHORTEST_SECRET || FIGURES.test(value)) return JSON.stringify(value);
  return `a text of ${value.length} characters`;
}

type Message = v.ErrorMessage<v.BaseIssue<unknown>>;

/** A whole number within bounds, also as text. */
export function whole(min: number, max: number) {
  const wanted = `a whole number from ${min} to ${max}`;
  return v.pipe(
    v.union([v.number(), v.pipe(v.string(), v.regex(/^\s*\d{1,12}\s*$/u), v.transform(Number))], wanted),
    v.check((value) => Number.isInteger(value) && value >= min && value <= max, wanted),
  );
}

/** One of the words, in any case. */
export function oneOf<const T extends string>(values: readonly T[]) {
  return v.pipe(v.string(), v.toLowerCase(), v.picklist(values, `one of ${values.join(', ')}`));
}

/** Text. A number is a fault, because a long id would already have lost its last digits. */
export const TEXT = v.pipe(v.string('text, in quotes when it is digits alone'), v.trim(), v.nonEmpty('text'));

/** Text, read by `find`, which returns undefined for a text that it does not know. */
export function text<T>(find: (given: string) => T | undefined, message: Message) {
  return v.pipe(
    v.string(message),
    v.rawTransform<string, T>(({ dataset, addIssue, NEVER }) => {
      const found = find(dataset.value);
      if (found === undefined) addIssue({ message });
      return found ?? NEVER;
    }),
  );
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The fields of what is `called` so, by name. null and an empty text count as left out. An unknown name is a fault, because
 * otherwise a misspelt field would silently be ignored. `message`: for a value that has no fields.
 */
export function fields<const E extends v.ObjectEntries>(called: string, entries: E, message: Message) {
  const names = Object.keys(entries);
  const isKnown = (name: string) => names.includes(name);
  const isGiven = ([name, value]: [string, unknown]) =>
    !isKnown(name) || (value !== undefined && value !== null && value !== '');
  const unknownNames = v.rawCheck<object>(({ dataset, addIssue }) => {
    const input: Record<string, unknown> = Object(dataset.value);
    for (const [key, value] of Object.entries(input))
      if (!isKnown(key))
        addIssue({
          message: `${called}: ${shown(key)} is not a field; ${hint(key, names)}`,
          path: [{ type: 'object', origin: 'key', input, key, value }],
        });
  });
  return v.pipe(
    v.custom<object>(isMap, message),
    v.transform((given): unknown => Object.fromEntries(Object.entries(given).filter(isGiven))),
    v.intersect([
      v.object(entries, ({ path }) => `${called}: ${path?.[0].key} is missing.`),
      v.pipe(
        v.custom<object>(isMap),
        unknownNames,
        v.transform(() => ({})),
      ),
    ]),
  );
}

/** The known name that was meant, or all of them. */
function hint(name: string, known: readonly string[]): string {
  const near = known.find((one) => typos(name, one) <= Math.min(2, one.length / 3));
  return near ? `did you mean ${near}?` : `wanted one of ${known.join(', ')}.`;
}

/** A fault and its place in what was read, such as `['destinations', 1]`. */
export interface Fault {
  readonly path: readonly (string | number)[];
  readonly says: string;
}

/** Fields that are called by more than their own name, because it says too little. */
const CALLED: Readonly<Record<string, string>> = {
  cron: 'schedule',
  from: 'quiet from',
  to: 'quiet to',
};

/** The fault that valibot found, in words. `what`: the name of the value that was read. */
export function faultOf({ path: items, input, message }: v.BaseIssue<unknown>, what: string): Fault {
  const path = items?.map(({ key }) => key as string | number) ?? [];
  if (/^[\w -]+: /u.test(message)) return { path, says: message };
  const name = path.findLast((key) => typeof key === 'string') ?? what;
  const last = items?.at(-1);
  const isSentence = /[.?]$/u.test(message);
  const says = isSentence ? message : `wanted ${message}, got ${shown(last ? last.value : input)}.`;
  return { path, says: [CALLED[name] ?? name, says].filter(Boolean).join(': ') };
}

/** Reads a value. Throws a {@link UserError} (exit 2) with a line for each fault. `what`: how the value is called. */
export function read<S extends v.GenericSchema>(schema: S, value: unknown, what: string): v.InferOutput<S> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  throw new UserError(result.issues.map((issue) => faultOf(issue, what).says).join('\n'), 2);
}
