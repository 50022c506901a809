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
import { repaired, type Scan, scanXml } from './xml-scan.js';

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
  const marks = places && marksOf(text, scan.dates, places);
  const { again, clean } = parts ?? { again: constant(text), clean: unchanged };
  const itemsIn = async (part: string) => {
    const xml = clean(part);
    return itemsOf(xml, scanXml(xml, MAX_RECORDS));
  };
  const allItems = parts ? () => itemsIn(again().slice(0)) : itemsLater(text, scan);

  async function readAll(): Promise<readonly ReadPosting[]> {
    const items = await allItems();
    if (items.length === 0 && count > 0)
      throw new FeedError('malformed', 'The feed has its items in an unexpected place.');
    return readRecords(items.map(toRecord), lossy, items.length === marks?.length ? marks : undefined);
  }

  return {
    marks: marks ?? [],
    count,
    async read(wanted) {
      if (!wanted || !places || !marks) return readAll();
      const chosen: string[] = [];
      const xml = again();
      let some = xml.slice(0, places[0]);
      for (const [index, mark] of marks.entries()) {
        if (!wanted.has(mark)) continue;
        some += xml.slice(places[2 * index], places[2 * index + 1]);
        chosen.push(mark);
      }
      if (chosen.length === 0) return [];
      some += xml.slice(places.at(-1), end) + closing;
      // Items under several parents can't be joined like this.
      const items = await itemsIn(some).catch(() => []);
      if (items.length !== chosen.length) return readAll();
      return readSome(items.map(toRecord), lossy, chosen);
    },
  };
}

// Not part of openRss, because a function keeps everything in memory that any function inside it uses.
function constant<T>(value: T): () => T {
  return () => value;
}
function itemsLater(text: string, scan: Scan): () => Promise<readonly Raw[]> {
  return () => itemsOf(text, scan);
}

const unchanged = (text: string) => text;

/** The marks of the items at these places. */
function marksOf(text: string, dates: readonly number[], places: readonly number[]): readonly string[] {
  const marks: string[] = [];
  let date = 0;
  for (let at = 0; at < places.length; at += 2) {
    const [from = 0, to = 0] = [places[at], places[at + 1]];
    // Some feeds date every item again in each answer, so the dates do not count.
    const pieces: string[] = [];
    let copied = from;
    for (; (dates[date] ?? to) < to; date += 2) {
      const [dateFrom = 0, dateTo = 0] = [dates[date], dates[date + 1]];
      pieces.push(text.slice(copied, dateFrom));
      copied = dateTo;
    }
    pieces.push(text.slice(copied, to));
    marks.push(recordMark(pieces));
  }
  return marks;
}

/** Postings of an RSS answer, all of them. */
export async function parseRss(text: Text): Promise<readonly ReadPosting[]> {
  return openRss(text).read();
}

/**
 * Parses the items. The parser drops undeclared elements, and makes a plain-text snippet of every description it
 * recognises, with patterns that take minutes on hostile text. So each element of an item is renamed and declared,
 * and the parser returns all of them unchanged.
 */
async function itemsOf(text: string, scan: Scan): Promise<readonly Raw[]> {
  const item = [...scan.fields].map((name) => [MARK + name, MARK + name, { keepArray: true }]);
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
  return parser.parseString(repaired(text, scan)).then(
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
  function add(name: string, values: readonly unknown[]): void {
    const field = fieldOf(name);
    const isTag = TAG_FIELDS.has(field);
    for (const value of values) {
      const text = textOf(value, EXACT.has(field));
      if (text === undefined) continue;
      if (isTag) tags.push(...text.split(',', 100));
      else if (!record.has(field)) record.set(field, text);
    }
  }
  const foreign: [name: string, values: readonly unknown[]][] = [];
  for (const [marked, value] of Object.entries(item)) {
    if (!marked.startsWith(MARK)) continue;
    const name = marked.slice(MARK.length);
    const values = value as readonly unknown[];
    if (name.includes(':')) foreign.push([name, values]);
    else add(name, values);
  }
  // After the plain names: a namespaced element only fills a field that they leave empty.
  for (const [name, values] of foreign) add(name, values);
  if (tags.length > 0) record.set('tags', tags);
  return Object.fromEntries(record);
}

function fieldOf(name: string): string {
  if (!name.includes(':')) return name;
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
