// Thousands of broken feeds: valid ones, mutated. The seed decides everything, so that a failure can be repeated.

/** Valid documents to start from, as bytes. */
export interface Seeds {
  readonly rss: readonly Buffer[];
  readonly json: readonly Buffer[];
}

export interface Mutant {
  readonly number: number;
  readonly format: 'rss' | 'json';
  /** Names of the mutations, in order. */
  readonly recipe: readonly string[];
  readonly bytes: Buffer;
}

type Random = () => number;
type Mutation = (bytes: Buffer, random: Random, others: readonly Buffer[]) => Buffer;

/** mulberry32: small, fast, and the same everywhere. In [0, 1). */
function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const MAX_BYTES = 8 * 1024 * 1024;
const NASTY = [
  '<',
  '>',
  '&',
  ']]>',
  '<![CDATA[',
  '<!--',
  '<!DOCTYPE x [<!ENTITY a "b">]>',
  '&a;',
  '&#0;',
  '&#xD800;',
  '<?x',
  '"',
  "'",
  '\0',
  '\\',
  '\\ud800',
  '{',
  '[',
  ']',
  ',',
  '}',
  'null',
  '1e999',
  '__proto__',
  '\u202e',
  '</item>',
  '<item>',
  '</rss>',
  '<link>',
  '\ufeff',
];

function whole(random: Random, below: number): number {
  return Math.floor(random() * below);
}

/** A piece of `bytes`, at most `max` long. */
function piece(bytes: Buffer, random: Random, max: number): [from: number, to: number] {
  const from = whole(random, bytes.length);
  return [from, Math.min(bytes.length, from + 1 + whole(random, max))];
}

function splice(bytes: Buffer, from: number, to: number, inserted: Uint8Array): Buffer {
  return Buffer.concat([bytes.subarray(0, from), inserted, bytes.subarray(to)]);
}

/** The parts between two marks, so that a whole element or object can be moved. */
function element(bytes: Buffer, random: Random): [from: number, to: number] {
  const mark = bytes.includes('<item>') ? '<item>' : '{"';
  const from = bytes.indexOf(mark, whole(random, bytes.length));
  if (from < 0) return piece(bytes, random, 500);
  const next = bytes.indexOf(mark, from + 1);
  return [from, next < 0 ? bytes.length : next];
}

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  flip: (bytes, random) => {
    const copy = Buffer.from(bytes);
    const times = 1 + whole(random, 40);
    for (let i = 0; i < times && copy.length > 0; i++) {
      const at = whole(random, copy.length);
      copy[at] = (copy[at] as number) ^ (1 << whole(random, 8));
    }
    return copy;
  },
  noise: (bytes, random) => {
    const [from, to] = piece(bytes, random, 200);
    return splice(
      bytes,
      from,
      to,
      Uint8Array.from({ length: to - from }, () => whole(random, 256)),
    );
  },
  truncate: (bytes, random) => bytes.subarray(0, whole(random, bytes.length)),
  behead: (bytes, random) => bytes.subarray(whole(random, bytes.length)),
  remove: (bytes, random) => splice(bytes, ...piece(bytes, random, 2000), Buffer.alloc(0)),
  duplicate: (bytes, random) => {
    const [from, to] = piece(bytes, random, 5000);
    return splice(bytes, to, to, bytes.subarray(from, to));
  },
  repeat: (bytes, random) => {
    const [from, to] = element(bytes, random);
    const times = Math.min(10 ** whole(random, 5), Math.floor(MAX_BYTES / Math.max(to - from, 1)));
    return splice(bytes, to, to, Buffer.alloc((to - from) * times, bytes.subarray(from, to)));
  },
  move: (bytes, random) => {
    const [from, to] = element(bytes, random);
    const moved = Buffer.from(bytes.subarray(from, to));
    const rest = splice(bytes, from, to, Buffer.alloc(0));
    const at = whole(random, rest.length + 1);
    return splice(rest, at, at, moved);
  },
  nest: (bytes, random) => {
    const depth = 10 ** whole(random, 6);
    const [open, close] = bytes.includes('<rss') ? ['<a>', '</a>'] : ['[', ']'];
    const [from, to] = piece(bytes, random, 1000);
    const inner = bytes.subarray(from, to);
    return splice(
      bytes,
      from,
      to,
      Buffer.concat([Buffer.from(open.repeat(depth)), inner, Buffer.from(close.repeat(depth))]),
    );
  },
  nasty: (bytes, random) => {
    let result = bytes;
    const times = 1 + whole(random, 10);
    for (let i = 0; i < times; i++) {
      const at = whole(random, result.length + 1);
      const part = NASTY[whole(random, NASTY.length)] as string;
      result = splice(result, at, at, Buffer.from(part.repeat(10 ** whole(random, 4))));
    }
    return result;
  },
  cross: (bytes, random, others) => {
    const other = others[whole(random, others.length)] as Buffer;
    const [from, to] = piece(other, random, 5000);
    const at = whole(random, bytes.length + 1);
    return splice(bytes, at, at, other.subarray(from, to));
  },
  recode: (bytes, random) => {
    const text = bytes.toString('utf8');
    return [Buffer.from(text, 'utf16le'), Buffer.from(text, 'latin1'), Buffer.from(`\ufeff${text}`)][
      whole(random, 3)
    ] as Buffer;
  },
};

/** `count` mutants of the seeds, one to four mutations each, none larger than 8 MiB. */
export function* mutants(seeds: Seeds, count: number, seed: number): Generator<Mutant> {
  const names = Object.keys(MUTATIONS);
  const all = [...seeds.rss, ...seeds.json];
  for (let number = 0; number < count; number++) {
    // Each from its own number, so that a single one can be made again.
    const random = createRandom(seed * 1_000_003 + number);
    const format = random() < 0.6 ? 'rss' : 'json';
    const from = seeds[format];
    let bytes = from[whole(random, from.length)] as Buffer;
    const recipe: string[] = [];
    // Mostly one, because a document with four faults is refused for the first of them.
    const steps = 1 + Math.floor(random() ** 3 * 4);
    for (let step = 0; step < steps; step++) {
      const name = names[whole(random, names.length)] as string;
      recipe.push(name);
      bytes = (MUTATIONS[name] as Mutation)(bytes, random, all).subarray(0, MAX_BYTES);
      if (bytes.length === 0) break;
    }
    yield { number, format, recipe, bytes };
  }
}
