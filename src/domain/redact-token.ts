// An API may repeat the request in its answer: a feed's link to itself, a page of errors, a link built from the wrong
// address. The token is part of the request, and every layer of encoding it is repeated under is undone by somebody: the
// parser, the title's second decoding, a mail program, a browser. So it is looked for in the text with all of them undone.
import { createHash } from 'node:crypto';
import { decodeHTML } from 'entities';
import type { Posting, ReadPosting } from './posting.js';
import type { Secret } from './secret.js';
import { hasControls, withoutControls } from './text.js';

/** Shorter ones are no tokens of a real API, and would be found in ordinary words. */
const SHORTEST = 8;
/** Not without blanks: a link the token stood in is no link any more, and leaves as it came or not at all. */
const HIDDEN = '[token taken out]';
/** Layers of encoding that are undone; what is wrapped more often is read by nothing. */
const LAYERS = 8;

/** Finds one token in texts, whatever they encode it as: JSON, XML and HTML, CDATA, percent signs, one within another. */
export interface TokenRedactor {
  isIn(text: string): boolean;
  /** The text without its plain and percent-encoded forms; others stay. */
  cut(text: string): string;
  /** The text without the token; nothing but a note where it can't be cut out. */
  without(text: string): string;
}

/** Undefined for a token too short to be told from a word. */
export function redactorOf(token: Secret): TokenRedactor | undefined {
  const secret = token.reveal();
  if (secret.length < SHORTEST) return undefined;
  const forms = formsOf(secret);
  const inSmallLetters = forms.map((form) => form.toLowerCase());
  // Its padding is left away at times, and what is left is the token all the same.
  const plain = folded(layersOff(secret)).replace(/=+$/u, '');

  function isIn(text: string): boolean {
    if (hasForm(text)) return true;
    if (plain.length < SHORTEST) return false;
    const bare = layersOff(text);
    return hasFolded(bare, plain) || (bare.includes('<') && hasFolded(withoutMarkup(bare), plain));
  }

  function hasForm(text: string): boolean {
    const small = text.toLowerCase();
    return inSmallLetters.some((form) => small.includes(form));
  }
  // A pattern costs more than the search, and few texts hold the token.
  const cutOut = (text: string) =>
    !hasForm(text)
      ? text
      : text.replace(new RegExp(forms.map((form) => form.replace(SIGNS, '\\$&')).join('|'), 'giu'), HIDDEN);

  function without(text: string): string {
    if (!isIn(text)) return text;
    let next = text;
    for (let layer = 0; layer <= LAYERS; layer++) {
      const cut = cutOut(next);
      if (cut !== next && !isIn(cut)) return cut;
      next = layerOff(next);
    }
    return HIDDEN;
  }

  return { isIn, cut: cutOut, without };
}

/** Those that mean something in a pattern. */
const SIGNS = /[.*+?^${}()|[\]\\/]/gu;

/** As it is, and as addresses write it: the two ways differ in a few signs. */
function formsOf(text: string): readonly string[] {
  const inQuery = new URLSearchParams({ '': text }).toString().slice(1);
  return [...new Set([text, encodeURIComponent(text), inQuery])];
}

function layersOff(text: string): string {
  let bare = text;
  for (let layer = 0; layer < LAYERS; layer++) {
    const next = layerOff(bare);
    if (next === bare) break;
    bare = next;
  }
  return bare;
}

/** One layer of JSON escapes, character references and percent-encoding each. Linear in the length of the text. */
function layerOff(text: string): string {
  let bare = text;
  if (bare.includes('\\'))
    bare = bare
      .replace(/\\u([0-9a-f]{4})/giu, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      .replace(/\\[bfnrt]/gu, ' ')
      .replace(/\\(["\\/])/gu, '$1');
  if (bare.includes('&')) bare = decodeHTML(bare);
  if (bare.includes('%')) bare = bare.replace(/(?:%[0-9a-f]{2})+/giu, percentOff);
  return bare;
}

function percentOff(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/%([0-7][0-9a-f])/giu, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  }
}

function withoutMarkup(text: string): string {
  return text.replace(/<!\[CDATA\[|\]\]>/gu, '').replace(/<[^<>]*>/gu, '');
}

/** What differs between a token and its echo without a layer of encoding: case, and a blank for a plus. */
function folded(text: string): string {
  return withoutControls(text)
    .normalize('NFC')
    .replace(/[\s+]+/gu, '')
    .toLowerCase();
}

/** Whether `text`, folded, holds `plain`, which is folded. Texts are long: they are looked through as they are. */
function hasFolded(text: string, plain: string): boolean {
  if (!PRINTABLE.test(plain)) return folded(text).includes(plain);
  const small = text.toLowerCase();
  const first = plain.charAt(0);
  for (let start = small.indexOf(first); start >= 0; start = small.indexOf(first, start + 1)) {
    let found = 1;
    for (let at = start + 1; at < small.length && found < plain.length; at++) {
      if (small.charCodeAt(at) === plain.charCodeAt(found)) found++;
      else if (!isFoldedAway(small.charAt(at))) break;
    }
    if (found === plain.length) return true;
  }
  return false;
}

const PRINTABLE = /^[!-~]+$/u;
const isFoldedAway = (sign: string) => /[\s+]/u.test(sign) || hasControls(sign);

/** A posting without the token. A link that holds it is withheld, for a link leaves as it came or not at all. */
export function withoutToken<T extends Posting>(posting: T, redactor: TokenRedactor): T {
  const { applyUrl, url, id, tags, extra, key, ...rest } = posting;
  const texts = Object.entries(rest).map(([name, value]) => [
    name,
    typeof value === 'string' ? redactor.without(value) : value,
  ]);
  const isClean = (text: string | undefined) => text !== undefined && !redactor.isIn(text);
  const others = Object.entries(extra ?? {}).filter((entry) => !redactor.isIn(JSON.stringify(entry)));
  return {
    ...Object.fromEntries(texts),
    key: keyWithout(key, redactor),
    ...(isClean(id) ? { id } : {}),
    ...(isClean(applyUrl) ? { applyUrl } : applyUrl === undefined ? {} : { badLink: true }),
    ...(isClean(url) ? { url } : {}),
    ...(tags ? { tags: [...new Set(tags.map(redactor.without))] } : {}),
    ...(others.length > 0 ? { extra: Object.fromEntries(others) } : {}),
  } as T;
}

/** The same for one as it was read, whose keys may hold it as well; they go on telling it from others. */
export function readWithoutToken(read: ReadPosting, redactor: TokenRedactor): ReadPosting {
  const { posting, keys } = read;
  return {
    ...read,
    posting: withoutToken(posting, redactor),
    keys: keys.map((key) => keyWithout(key, redactor)),
  };
}

function keyWithout(key: string, redactor: TokenRedactor): string {
  if (!redactor.isIn(key)) return key;
  const kind = /^[a-z]*/u.exec(key)?.[0] ?? '';
  return `${kind}#${createHash('sha256').update(key).digest('hex').slice(0, 40)}`;
}
