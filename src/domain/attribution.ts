// The link rules of the jobs API (Link attribution 1 to 5), checked on the finished output of every sink:
// the API suspends clients that alter a link, so the last look is at the very bytes that leave.
import { decodeHTML, decodeHTMLAttribute } from 'entities';

/** The sentence that goes along wherever no HTML is rendered (Link attribution 5). Translations live with the texts. */
export const ATTRIBUTION_NOTE = 'Apply links carry attribution: use them exactly as they are.';

/** Finished output. `note` is the attribution note in the reader's language; needed unless the format is HTML. */
export interface Output {
  readonly format: 'html' | 'text' | 'json';
  readonly body: string;
  readonly note?: string;
}

/** What the guard compares with: the links of the postings in the output. */
export interface Linked {
  readonly key: string;
  readonly applyUrl?: string;
  readonly url?: string;
}

/**
 * A string as its reader gets it, unescaped. `address`: it is nothing but an address, so it is a link as a whole or
 * no link at all; running text may hold links between its words. `counts`: a link in it is one the reader can follow.
 */
interface Piece {
  readonly text: string;
  readonly address: boolean;
  readonly counts: boolean;
}

const BAD_REL = /\b(?:nofollow|ugc|sponsored)\b/iu;
// A bracket inside a tag ends the search, or a text of nothing but `<a <a <a` would take minutes; and each sign can be read
// in one way only.
const TAG = /<[a-z][^'"<>]*(?:(?:"[^"]*"|'[^']*')[^'"<>]*)*>/gi;
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/gu;
/** An address of a page; a bare site may well be named in an output without standing for a posting. */
const PAGE = /^https?:\/\/[^/?#]+(?:\/[^/]|\/?[?#])/iu;
/** No note worth the name is shorter. */
const NOTE_MIN = 20;

/** What a tag has that may be, or say something of, a link; `&` may be any sign. */
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

/** Every string a JSON document holds; a link in it is compared after unescaping, as its reader will see it. */
function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(strings);
}

/** An element's start tag: its name in lower case, its attributes unescaped in their order. */
export interface StartTag {
  readonly name: string;
  readonly attributes: readonly (readonly [name: string, value: string])[];
}

function readTag(tag: string): StartTag {
  const name = /^<([^\s/>]+)/u.exec(tag)?.[1] ?? '';
  const attributes: [name: string, value: string][] = [];
  for (const [, attribute = '', double, single, bare] of tag.slice(1 + name.length).matchAll(ATTRIBUTE))
    attributes.push([attribute.toLowerCase(), decodeHTMLAttribute(double ?? single ?? bare ?? '')]);
  return { name: name.toLowerCase(), attributes };
}

/** All start tags of an HTML text, those in comments included. */
export function startTags(html: string): readonly StartTag[] {
  return (html.match(TAG) ?? []).map(readTag);
}

function readHtml(body: string, faults: string[]): readonly Piece[] {
  const pieces: Piece[] = [];
  const tags = new Set<string>();
  const words = body.replace(TAG, (tag) => {
    tags.add(tag);
    return '\n';
  });
  // Most tags of a page are there many times, and most of the others are of no interest.
  for (const tag of tags) {
    if (!ABOUT_LINKS.test(tag)) continue;
    const { name, attributes } = readTag(tag);
    const robots = name === 'meta' && attributes.some(([, value]) => /\brobots\b/iu.test(value));
    for (const [attribute, text] of attributes) {
      const href = attribute === 'href';
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
/** What joins an address to what stands before it. */
const JOINED = /[\p{L}\p{N}_%~./?#&=+@;,!$:-]/u;
/** What ends an address in running text: white space, or sentence and bracket marks that white space follows. */
const END = /^[.,;:!?)\]}'*|]*(?:$|[\s\p{Cc}"<>\\`])/u;

/** True when exactly `link` stands at `at`: nothing of an address before it, nothing more of one after it. */
function stands(text: string, at: number, link: string): boolean {
  const before = text[at - 1] ?? '';
  const after = text.slice(at + link.length, at + link.length + 8);
  const closer = CLOSERS[before];
  return (closer !== undefined && after.startsWith(closer)) || (!JOINED.test(before) && END.test(after));
}

/** Every index at which `part` stands in `text`. */
function* places(text: string, part: string): Generator<number> {
  if (part === '') return;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) yield at;
}

/** Every index in `text` at which an address stands; `slashes` are those at which `//` does, of which there are few. */
function addresses(text: string, slashes: readonly number[], address: string): readonly number[] {
  const before = address.indexOf('//');
  return slashes.map((at) => at - before).filter((at) => at >= 0 && text.startsWith(address, at));
}

/** True for a text that may hold an address, or an encoded one. */
function mayLink(text: string): boolean {
  return text.includes('//') || text.includes('%');
}

/** Cuts every true copy of `link` out of a text; undefined when there is none. */
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

/** What all links begin with, so that a text without it holds none of them. */
function sharedStart(links: readonly string[]): string {
  const [first = '', ...others] = links;
  let { length } = first;
  for (const link of others) {
    let same = 0;
    while (same < length && link.charCodeAt(same) === first.charCodeAt(same)) same++;
    length = same;
  }
  return first.slice(0, length);
}

/** What an altered link still has in common with the true one: `//host/path`, whatever scheme, query or fragment. */
function stem(link: string): string {
  return link
    .replace(/^https?:/iu, '')
    .replace(/[?#].*$/su, '')
    .toLowerCase();
}

/** True when an address with this stem stands in `rest` (lower case), and not one with a longer path. */
function leavesTrace(rest: string, slashes: readonly number[], start: string): boolean {
  for (const at of addresses(rest, slashes, start)) {
    // The bare front page of a site is no posting, even where postings are told apart by the query alone.
    const bare = /^\/\/[^/]*\/?$/u.test(start);
    const after = rest.slice(at + start.length, at + start.length + 8);
    if (bare ? /^\/?[?#&]/u.test(after) : !/^[./-]*[\p{L}\p{N}_~%]/u.test(after)) return true;
  }
  return false;
}

/** A redirect may pass a link through several hands, each of which encodes it again. */
function encodedOnce(text: string): string {
  return text.replace(/%(?:25)+/gu, '%');
}

/** True when `rest` (lower case) holds an encoded form of the link, as the parameter of a redirect does. */
function leavesWrapped(rest: string, start: string): boolean {
  const path = start.slice(2).replace(/\p{Cs}/gu, '');
  return /\/./u.test(path) && rest.includes(encodedOnce(encodeURIComponent(path).toLowerCase()));
}

/**
 * Faults of a finished output as sentences, empty when it may leave. `postings` are all in the output; each with a
 * link must appear with exactly that link (in HTML: as the `href` of an element), none with its plain listing
 * address, nothing with a bad `rel`, a tracker or an altered or wrapped copy of a link. Never throws.
 */
export function attributionFaults(output: Output, postings: readonly Linked[]): string[] {
  const faults: string[] = [];
  const links = [...new Set(postings.flatMap((posting) => posting.applyUrl ?? []))];
  // Longest first: a link may begin with another one.
  links.sort((a, b) => b.length - a.length);
  const shared = sharedStart(links);
  const known = new Set(links);
  const held = new Set<string>();
  /** What a line, or an address, holds besides true copies of links. */
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
  // Nearly all of a mail is styles and words. No link runs over the end of a line, and in text most stand alone on one.
  for (const piece of pieces.filter(({ text }) => mayLink(text)))
    for (const line of piece.address ? [piece.text] : piece.text.split('\n'))
      if (mayLink(line)) rests.push(line.includes(shared) ? restOf(line, piece) : line);
  const rest = rests.join('\n').toLowerCase();
  const slashes = [...places(rest, '//')];
  for (const { key, applyUrl, url } of postings) {
    if (applyUrl !== undefined && !held.has(applyUrl))
      faults.push(`posting ${key}: its apply link is missing or was altered`);
    if (
      url !== undefined &&
      url !== applyUrl &&
      PAGE.test(url) &&
      showsListing(rest, slashes, url.toLowerCase())
    )
      faults.push(`posting ${key}: its listing address stands in place of the apply link`);
  }
  const stems = [...new Set(links.map(stem))].filter((start) => start.startsWith('//'));
  if (stems.some((start) => leavesTrace(rest, slashes, start))) faults.push('an apply link was altered');
  const encoded = encodedOnce(rest);
  // Each of them has a path.
  if (encoded.includes('%2f') && stems.some((start) => leavesWrapped(encoded, start)))
    faults.push('an apply link was wrapped in another address');
  if (output.format !== 'html' && links.length > 0 && !noted(output, pieces))
    faults.push('the attribution note is missing');
  return [...new Set(faults)];
}

/** The listing address itself, or with something appended; a longer path is another page. */
function showsListing(rest: string, slashes: readonly number[], url: string): boolean {
  for (const at of addresses(rest, slashes, url)) {
    const after = rest.slice(at + url.length, at + url.length + 8);
    if (/^\/?[?#&]/u.test(after) || END.test(after.replace(/^\//u, ''))) return true;
  }
  return false;
}

/** Line breaks within the note change nothing. */
function noted(output: Output, pieces: readonly Piece[]): boolean {
  const fold = (text: string) => text.replace(/\s+/gu, ' ').trim();
  const note = fold(output.note ?? '');
  return (
    note.length >= NOTE_MIN && pieces.some(({ text }) => text.includes(note) || fold(text).includes(note))
  );
}
