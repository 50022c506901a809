// Secrets that can be recognized wherever they appear, and the search for them: in plain form, and in the encodings
// that libraries use.

export interface Canary {
  /** Its name, for the message of a failure. */
  readonly name: string;
  readonly value: string;
}

/** A place where a secret might be. `text`: characters, or bytes as latin1. */
export interface Place {
  readonly name: string;
  readonly text: string;
}

/** Left out at either end: the last four characters of a token may be shown, and half a secret is still a leak. */
const ENDS = 4;

/** The part that represents `text` inside the base64 of anything that contains it, whatever comes before it. */
function base64Inside(text: string): string[] {
  return [0, 1, 2].map((before) => {
    const coded = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]).toString('base64');
    // Characters that contain bits of a neighbour.
    const partial = (before + text.length) % 3 === 0 ? 0 : 1;
    const whole = coded.replace(/=+$/u, '');
    return whole.slice(before === 0 ? 0 : before + 1, whole.length - partial);
  });
}

/** By their text, because most of them are the same for a secret of letters only. */
function formsOf({ value }: Canary): ReadonlyMap<string, string> {
  const core = value.slice(ENDS, -ENDS);
  const base64 = base64Inside(core);
  const forms: readonly (readonly [form: string, text: string])[] = [
    ['as it is', core],
    ['percent-encoded', encodeURIComponent(core)],
    ['percent-encoded twice', encodeURIComponent(encodeURIComponent(core))],
    ['escaped for JSON', JSON.stringify(core).slice(1, -1).replaceAll('/', '\\/')],
    ['in hex', Buffer.from(core).toString('hex')],
    ...base64.map((text) => ['in base64', text] as const),
    ...base64.map((text) => ['in base64url', text.replaceAll('+', '-').replaceAll('/', '_')] as const),
  ];
  return new Map(forms.toReversed().map(([form, text]) => [text, form]));
}

/** Every canary found in every place, as sentences. Case matters only in base64. */
export function sightings(canaries: readonly Canary[], places: readonly Place[]): string[] {
  const sought = canaries.flatMap((canary) =>
    [...formsOf(canary)].map(([text, form]) => ({ canary, form, text, exact: form.includes('base64') })),
  );
  return places.flatMap(({ name, text }) => {
    const folded = text.toLowerCase();
    const found = sought.filter((one) =>
      one.exact ? text.includes(one.text) : folded.includes(one.text.toLowerCase()),
    );
    return [...new Set(found.map(({ canary, form }) => `${canary.name}, ${form}, in ${name}`))];
  });
}
