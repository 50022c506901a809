// Checks the link rules of the jobs API (Link attribution 1 to 5) on the finished output of every sink. The API
// suspends clients that alter a link, so the check runs on the exact bytes that are sent.
import { decodeHTML, decodeHTMLAttribute } from 'entities';

/**
 * The sentence that accompanies links wherever no HTML is rendered (Link attribution 5). Translations are with the
 * other texts.
 */
export const ATTRIBUTION_NOTE = 'Apply links carry attribution: use them exactly as they are.';

/** Finished output. `note` is the attribution note in the reader's language; required unless the format is HTML. */
export interface Output {
  readonly format: 'html' | 'text' | 'json';
  readonly body: string;
  readonly note?: string;
}

/** The links of a posting in the output, which the guard compares with. */
export interface Linked {
  readonly key: string;
  readonly applyUrl?: string;
  readonly url?: string;
}

/**
 * A string as the reader gets it, unescaped. `address`: the string is only an address, so it is a link as a whole or
 * not at all; other text may contain links between its words. `counts`: the reader can follow a link in it.
 */
interface Piece {
  readonly text: string;
  readonly address: boolean;
  readonly counts: boolean;
}

const BAD_REL = /\b(?:nofollow|ugc|sponsored)\b/iu;
// A bracket inside a tag ends the match, otherwise a text of only `<a <a <a` would take minutes. Each character can
// match in only one way.
const TAG = /(<[a-z][^'"<>]*(?:(?:"[^"]*"|'[^']*')[^'"<>]*)*>)/gi;
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;
/** An address of a page. An output may name a bare site that is not a posting. */
const PAGE = /^https?:\/\/[^/?#]+(?:\/[^/]|\/?[?#])/iu;
/** Shortest text that is accepted as a note, in characters. */
const NOTE_MIN = 20;

/** What a tag contains if it may hold, or describe, a link. `&` may encode any character. */
const ABOUT_LINKS = /rel|ping|robots|\/\/|[%&]/iu;

const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'gu');

function read(output: Output, faults: string[]): readonly Piece[] {
  if (output.format === 'html') return readHtml(output.body, faults);
  const piece = (text: string) => ({ text, address: /^\s*https?:\/\/\S*\s*$/iu.test(text), counts: true });
  if (output.format === 'text') return [piece(output.body.replace(COLOURS, ''))];
  try {
    return strings(JSON.parse(output.body)).map(piece);
  } catch {
    faults.push('the output is not JSON');
    return [];
  }
}

/** Every string in a JSON document. JSON escapes are decoded, so links are compared as the reader sees them. */
function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(strings);
}

/** The start tag of an element: its name in lower case, and its attributes, unescaped and in order. */
export interface StartTag {
  readonly name: string;
  readonly attributes: readonly (readonly [name: string, value: string])[];
}

function readTag(tag: string): StartTag {
  const name = /^<([^\s/>]+)/u.exec(tag)?.[1] ?? '';
  const attributes: [name: string, value: string][] = [];
  ATTRIBUTE.lastIndex = 1 + name.length;
  for (let found = ATTRIBUTE.exec(tag); found; found = ATTRIBUTE.exec(tag)) {
    const [, attribute = '', double, single, bare] = found;
    const value = double ?? single ?? bare ?? '';
    attributes.push([attribute.toLowerCase(), value.includes('&') ? decodeHTMLAttribute(value) : value]);
  }
  return { name: name.toLowerCase(), attributes };
}

/** Returns all start tags of an HTML text, including those in comments. */
export function startTags(html: string): readonly StartTag[] {
  return (html.match(TAG) ?? []).map(readTag);
}

function readHtml(body: string, faults: string[]): readonly Piece[] {
  const pieces: Piece[] = [];
  // Words and tags in turns, because the pattern is in brackets.
  const parts = body.split(TAG);
  const words = parts.filter((_, index) => index % 2 === 0).join('\n');
  // Most tags of a page repeat an earlier one. A comparison with the last one of that length costs less than a set.
  const seen: string[] = [];
  for (let index = 1; index < parts.length; index += 2) {
    const tag = parts[index] as string;
    if (seen[tag.length] === tag) continue;
    seen[tag.length] = tag;
    // Most others do not matter here.
    if (!ABOUT_LINKS.test(tag)) continue;
    const { name, attributes } = readTag(tag);
    const robots = name === 'meta' && attributes.some(([, value]) => /\brobots\b/iu.test(value));
    for (const [attribute, text] of attributes) {
      const href = attribute === 'href';
      if (mayLink(text))
        pieces.push({ text, address: href, counts: href && (name === 'a' || name === 'area') });
      if ((attribute === 'rel' || (robots && attribute === 'content')) && BAD_REL.test(text))
        faults.push(`a link carries ${attribute}="${text.slice(0, 60)}"`);
      if (attribute === 'ping') faults.push('a link is tracked by a ping attribute');
    }
  }
  pieces.push({ text: decodeHTML(words), address: false, counts: false });
  return pieces;
}

const CLOSERS: Readonly<Record<string, string>> = {
  '(': ')',
  '<': '>',
  '[': ']',
  '{': '}',
  '"': '"',
  "'": "'",
  '`': '`',
  '|': '|',
  '*': '*',
};
/** Characters that join an address to the text before it. */
const JOINED = /[\p{L}\p{N}_%~./?#&=+@;,!$:-]/u;
/** What ends an address in running text: white space, or punctuation and brackets that white space follows. */
const END = /^[.,;:!?)\]}'*|]*(?:$|[\s\p{Cc}"<>\\`])/u;

/** True when exactly `link` is at `at`: no part of an address before it, and no more of one after it. */
function stands(text: string, at: number, link: string): boolean {
  const before = text[at - 1] ?? '';
  const after = text.slice(at + link.length, at + link.length + 8);
  const closer = CLOSERS[before];
  return (closer !== undefined && after.startsWith(closer)) || (!JOINED.test(before) && END.test(after));
}

/** Every index of `part` in `text`. */
function* places(text: string, part: string): Generator<number> {
  if (part === '') return;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) yield at;
}

/** True where the address is in `text` and `ends` accepts what follows. `slashes`: the indexes of `//`, which are few. */
function appears(
  text: string,
  slashes: readonly number[],
  address: string,
  ends: (after: string) => boolean,
): boolean {
  const before = address.indexOf('//');
  return slashes.some((slash) => {
    const at = slash - before;
    const end = at + address.length;
    return at >= 0 && text.startsWith(address, at) && ends(text.slice(end, end + 8));
  });
}

/** Those of the slashes where one of the addresses may be, because what all of them start with is there. */
function slashesOf(
  text: string,
  slashes: readonly number[],
  addresses: readonly string[],
): readonly number[] {
  const shared = sharedStart(addresses);
  const before = shared.indexOf('//');
  return before < 0 ? slashes : slashes.filter((slash) => text.startsWith(shared, slash - before));
}

/** True for a text that may contain an address, plain or encoded. */
function mayLink(text: string): boolean {
  return text.includes('//') || text.includes('%');
}

/** The lines that may contain an address. They are few, so the others are not even cut out. */
function linkLines(text: string): readonly string[] {
  const lines: string[] = [];
  let slashes = text.indexOf('//');
  let percent = text.indexOf('%');
  while (slashes >= 0 || percent >= 0) {
    const at = slashes < 0 || (percent >= 0 && percent < slashes) ? percent : slashes;
    const next = text.indexOf('\n', at);
    const end = next < 0 ? text.length : next;
    lines.push(text.slice(text.lastIndexOf('\n', at) + 1, end));
    if (slashes >= 0 && slashes < end) slashes = text.indexOf('//', end);
    if (percent >= 0 && percent < end) percent = text.indexOf('%', end);
  }
  return lines;
}

/** Removes every exact copy of `link` from a text. Returns undefined when there is none. */
function cut(text: string, link: string): string | undefined {
  let rest = '';
  let from = 0;
  for (const at of places(text, link)) {
    if (at < from || !stands(text, at, link)) continue;
    rest += `${text.slice(from, at)} `;
    from = at + link.length;
  }
  return from === 0 ? undefined : rest + text.slice(from);
}

/** The common prefix of all addresses. A text without it contains none of them. */
function sharedStart(links: readonly string[]): string {
  let [first = ''] = links;
  let last = first;
  for (const link of links) {
    if (link < first) first = link;
    if (link > last) last = link;
  }
  // What the first and the last in order share, those between them share too.
  let length = 0;
  while (length < first.length && first.charCodeAt(length) === last.charCodeAt(length)) length++;
  return first.slice(0, length);
}

/**
 * What an altered link still has in common with the original: `//host/path`, whatever the scheme, query or fragment.
 */
function stem(link: string): string {
  return link
    .replace(/^https?:/iu, '')
    .replace(/[?#].*$/su, '')
    .toLowerCase();
}

/** True when `rest` (lower case) contains an address with this stem, and not one with a longer path. */
function leavesTrace(rest: string, slashes: readonly number[], start: string): boolean {
  return appears(rest, slashes, start, (after) =>
    // The bare front page of a site is not a posting, even if postings differ only in their query.
    /^\/\/[^/]*\/?$/u.test(start) ? /^\/?[?#&]/u.test(after) : !/^[./-]*[\p{L}\p{N}_~%]/u.test(after),
  );
}

/** Undoes repeated encoding: several redirects in a row may each encode a link again. */
function encodedOnce(text: string): string {
  return text.replace(/%(?:25)+/gu, '%');
}

/** True when `rest` (lower case) contains an encoded form of the link, such as the parameter of a redirect. */
function leavesWrapped(rest: string, start: string): boolean {
  const path = start.slice(2).replace(/\p{Cs}/gu, '');
  return /\/./u.test(path) && rest.includes(encodedOnce(encodeURIComponent(path).toLowerCase()));
}

/**
 * Returns the faults of a finished output as sentences; empty when it may be sent. `postings` are all postings in the
 * output. Each posting with a link must appear with exactly that link (in HTML: as the `href` of an element). No
 * posting may appear with its plain listing address. The output must not contain a bad `rel`, a tracker, or an
 * altered or wrapped copy of a link. Never throws.
 */
export function attributionFaults(output: Output, postings: readonly Linked[]): string[] {
  const faults: string[] = [];
  const known = new Set<string>();
  for (const { applyUrl } of postings) if (applyUrl !== undefined) known.add(applyUrl);
  // Longest first, because a link may start with another one.
  const links = [...known].sort((a, b) => b.length - a.length);
  const shared = sharedStart(links);
  const held = new Set<string>();
  /** The rest of a line or an address, without exact copies of links. */
  function restOf(text: string, { address, counts }: Piece): string {
    if (known.has(text)) {
      if (counts) held.add(text);
      return '';
    }
    if (address) return text;
    let rest = text;
    for (const link of links) {
      const without = cut(rest, link);
      if (without === undefined) continue;
      rest = without;
      if (counts) held.add(link);
    }
    return rest;
  }
  const pieces = read(output, faults);
  const rests: string[] = [];
  // No link spans two lines, and in text most links have a line to themselves.
  for (const piece of pieces)
    for (const line of piece.address ? [piece.text] : linkLines(piece.text))
      rests.push(line.includes(shared) ? restOf(line, piece) : line);
  const rest = rests.join('\n').toLowerCase();
  const slashes = [...places(rest, '//')];
  const pages = slashes.length > 0 ? postings.flatMap(({ url }) => url?.toLowerCase() ?? []) : [];
  const ofPages = slashesOf(rest, slashes, pages);
  for (const { key, applyUrl, url } of postings) {
    if (applyUrl !== undefined && !held.has(applyUrl))
      faults.push(`posting ${key}: its apply link is missing or was altered`);
    if (
      ofPages.length > 0 &&
      url !== undefined &&
      url !== applyUrl &&
      PAGE.test(url) &&
      showsListing(rest, ofPages, url.toLowerCase())
    )
      faults.push(`posting ${key}: its listing address replaces the apply link`);
  }
  const encoded = encodedOnce(rest);
  // Every wrapped link has an encoded slash, because it has a path.
  const mayWrap = encoded.includes('%2f');
  const stems =
    slashes.length > 0 || mayWrap
      ? [...new Set(links.map(stem))].filter((start) => start.startsWith('//'))
      : [];
  const ofStems = slashesOf(rest, slashes, stems);
  if (stems.some((start) => leavesTrace(rest, ofStems, start))) faults.push('an apply link was altered');
  if (mayWrap && stems.some((start) => leavesWrapped(encoded, start)))
    faults.push('an apply link was wrapped in another address');
  if (output.format !== 'html' && links.length > 0 && !noted(output, pieces))
    faults.push('the attribution note is missing');
  return [...new Set(faults)];
}

/** True for the listing address itself, or with a query or fragment appended. A longer path is another page. */
function showsListing(rest: string, slashes: readonly number[], url: string): boolean {
  return appears(
    rest,
    slashes,
    url,
    (after) => /^\/?[?#&]/u.test(after) || END.test(after.replace(/^\//u, '')),
  );
}

/** Line breaks within the note are allowed. */
function noted(output: Output, pieces: readonly Piece[]): boolean {
  const fold = (text: string) => text.replace(/\s+/gu, ' ').trim();
  const note = fold(output.note ?? '');
  return (
    note.length >= NOTE_MIN && pieces.some(({ text }) => text.includes(note) || fold(text).includes(note))
  );
}
