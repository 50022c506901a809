// The RSS form of the listing. Its elements are not documented, so every simple child of an item is read: under the
// names of the specification, under names seen in real answers, and unknown ones unchanged.
import Parser from 'rss-parser';
import { FeedError } from '../../domain/errors.js';
import type { ReadPosting } from '../../domain/posting.js';
import { pace } from '../../domain/serial.js';
import type { Listing } from '../../ports/feed.js';
import type { Parts, Text } from './decode.js';
import { recordMark } from './hashes.js';
import { MAX_RECORDS, type Raw, readRecords, readSome } from './records.js';
import { type ItemPlace, type Scan, scanXml } from './xml-scan.js';

/** Elements the parser must know by name; every other one is renamed, see {@link itemsOf}. */
const FRAME = new Set(['rss', 'rdf:RDF', 'channel', 'item']);
const MARK = 'x:';

/** Vocabularies whose local names mean something else than a job's: `media:title` is not a job title. */
const FOREIGN =
  /^(?:atom|atom10|media|itunes|dc|content|slash|sy|wfw|georss|geo|thr|feedburner|googleplay):/u;
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['dc:date', 'date'],
  ['content:encoded', 'content'],
]);
const TAG_FIELDS = new Set(['tag', 'tags', 'category', 'categories']);
/** Identifiers and links. They are read whole or not at all, never assembled from markup inside. */
const EXACT = new Set(['id', 'guid', 'link', 'apply_url', 'url']);

/**
 * Opens an RSS answer (jobs API, List jobs RSS). Throws only a malformed {@link FeedError}. XML that is not
 * well-formed throws when it is read.
 */
export function openRss({ text, lossy }: Text, parts?: Parts): Listing {
  const scan = scanXml(text, MAX_RECORDS);
  const { places, end, closing, items: count } = scan;
  const marks = places && marksOf(text, places);
  const { again, clean } = parts ?? { again: constant(text), clean: unchanged };
  const scanned = async (part: string) => scanXml(clean(part), MAX_RECORDS);
  const whole = parts ? () => scanned(again().slice(0)) : constant(scan);

  async function readAll(): Promise<readonly ReadPosting[]> {
    const items = await itemsOf(await whole());
    if (items.length === 0 && count > 0)
      throw new FeedError('malformed', 'The feed has its items in an unexpected place.');
    return readRecords(items.map(toRecord), lossy, items.length === marks?.length ? marks : undefined);
  }

  return {
    marks: marks ?? [],
    count,
    async read(wanted) {
      if (!wanted || !places || !marks) return readAll();
      const chosen = places.filter((_, index) => wanted.has(marks[index] as string));
      const [first, last] = [places[0], places.at(-1)];
      if (chosen.length === 0 || !first || !last) return [];
      const xml = again();
      let some = xml.slice(0, first.from);
      for (const { from, to } of chosen) some += xml.slice(from, to);
      some += xml.slice(last.to, end) + closing;
      // Items under several parents can't be joined like this.
      const items = await scanned(some)
        .then(itemsOf)
        .catch(() => []);
      if (items.length !== chosen.length) return readAll();
      return readSome(
        items.map(toRecord),
        lossy,
        marks.filter((mark) => wanted.has(mark)),
      );
    },
  };
}

// Not part of openRss, because a function keeps everything in memory that any function inside it uses.
function constant<T>(value: T): () => T {
  return () => value;
}

const unchanged = (text: string) => text;

function marksOf(text: string, places: readonly ItemPlace[]): readonly string[] {
  const marks: string[] = [];
  for (const place of places) marks.push(recordMark(withoutDates(text, place)));
  return marks;
}

/** Postings of an RSS answer, all of them. */
export async function parseRss(text: Text): Promise<readonly ReadPosting[]> {
  return openRss(text).read();
}

/** The text of an item without its dates, in pieces, because some feeds date every item again in each answer. */
function withoutDates(text: string, { from, to, dates }: ItemPlace): readonly string[] {
  const pieces: string[] = [];
  let at = from;
  for (const date of dates) {
    pieces.push(text.slice(at, date.from));
    at = Math.max(at, date.to);
  }
  pieces.push(text.slice(at, to));
  return pieces;
}

/**
 * Parses the items. The parser drops undeclared elements, and makes a plain-text snippet of every description it
 * recognises, with patterns that take minutes on hostile text. So each element of an item is renamed and declared,
 * and the parser returns all of them unchanged.
 */
async function itemsOf({ xml, fields }: Scan): Promise<readonly Raw[]> {
  const item = [...fields].map((name) => [MARK + name, MARK + name, { keepArray: true }]);
  const parser = new Parser<object, Raw>({
    // Attributes are ignored, so the parser can't see the version. The versions do not differ in what is read here.
    defaultRSS: 2,
    customFields: { item: item as never },
    xml2js: {
      ignoreAttrs: true,
      tagNameProcessors: [renamed],
    },
  });
  const wait = pace();
  if (wait) await wait;
  return parser.parseString(xml).then(
    (feed) => feed.items,
    () => {
      // The parser's own message quotes the text, and does not help a person to fix it.
      throw new FeedError('malformed', 'The feed is not well-formed XML.');
    },
  );
}

const renamed = (name: string) => (FRAME.has(name) ? name : MARK + name);

function toRecord(item: Raw): Raw {
  const record = new Map<string, unknown>();
  const tags: string[] = [];
  // Plain names first: a namespaced element only fills a field that they leave empty.
  const entries = Object.entries(item).filter(([name]) => name.startsWith(MARK));
  const named = entries.map(([name, value]) => [name.slice(MARK.length), value] as const);
  const sorted = [
    ...named.filter(([name]) => !name.includes(':')),
    ...named.filter(([n]) => n.includes(':')),
  ];
  for (const [name, value] of sorted) {
    const field = fieldOf(name);
    const texts = (value as readonly unknown[])
      .map((one) => textOf(one, EXACT.has(field)))
      .filter((one) => one !== undefined);
    if (TAG_FIELDS.has(field)) tags.push(...texts.flatMap((one) => one.split(',', 100)));
    else if (texts.length > 0 && !record.has(field)) record.set(field, texts[0]);
  }
  if (tags.length > 0) record.set('tags', tags);
  return Object.fromEntries(record);
}

function fieldOf(name: string): string {
  return ALIASES.get(name) ?? (FOREIGN.test(name) ? name : name.slice(name.indexOf(':') + 1));
}

/** The text of an element. If it has elements inside: all text in them, or undefined if it must be exact. */
function textOf(value: unknown, exact: boolean): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (exact || typeof value !== 'object' || value === null) return undefined;
  const inner = Object.values(value).flat() as unknown[];
  const texts = inner.map((one) => textOf(one, false)).filter((one) => one !== undefined);
  return texts.length > 0 ? texts.join(' ') : undefined;
}
