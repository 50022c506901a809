// Finds and removes an account's token in what the API returns. An API may repeat the request in its answer: in a
// feed's link to itself, an error page, or a link built from the wrong address. The request contains the token. Every
// layer of encoding around a repeated token is decoded somewhere: by the parser, the second decoding of titles, a
// mail program or a browser. So the search runs on text with all layers decoded.

import { hash } from 'node:crypto';
import { decodeHTML } from 'entities';
import { defined } from './defined.js';
import type { Posting, ReadPosting } from './posting.js';
import type { Secret } from './secret.js';
import { hasControls, withoutControls } from './text.js';

/** Shorter texts are not tokens of a real API, and would be found in ordinary words. */
const SHORTEST = 8;
/**
 * Contains blanks on purpose: a link that contained the token is then no longer a link. Links are sent as received or
 * not at all.
 */
const HIDDEN = '[token taken out]';
/** Layers of encoding that are decoded. No program decodes more. */
const LAYERS = 8;

/** Finds one token in texts, in any encoding: JSON, XML and HTML, CDATA, percent-encoding, also nested. */
export interface TokenRedactor {
  /** Whether a text contains the token, or any text, number or name inside of a value. */
  isIn(value: unknown): boolean;
  /** Returns the text without the plain and percent-encoded forms of the token. Other forms stay. */
  cut(text: string): string;
  /** Whether a text that was cut still contains the token in another form. */
  isLeftIn(text: string): boolean;
  /** Returns the text without the token; only a note if the token can't be cut out. */
  without(text: string): string;
}

/** Returns a redactor for a token; undefined if the token is too short to be distinguished from a word. */
export function redactorOf(token: Secret): TokenRedactor | undefined {
  const secret = token.reveal();
  if (secret.length < SHORTEST) return undefined;
  const forms = formsOf(secret);
  const small = forms.map((form) => form.toLowerCase());
  const isAscii = ASCII.test(secret);
  let bare: string | undefined;
  /** Made when it is needed: a pattern costs more to make than the search in most texts. */
  const pattern = (flags: string) =>
    new RegExp(forms.map((form) => form.replace(SIGNS, '\\$&')).join('|'), flags);
  // Padding is sometimes left out, and the rest is still the token.
  const plain = () => (bare ??= folded(layersOff(secret)).replace(/=+$/u, ''));

  /** Whether a text holds the plain or the percent-encoded token, in capital or small letters. */
  function hasForm(text: string): boolean {
    // The long s is the only other letter that a pattern takes for one of ASCII and that has no small form in ASCII.
    if (!isAscii || text.includes('\u017f')) return pattern('iu').test(text);
    const lower = text.toLowerCase();
    return small.some((form) => lower.includes(form));
  }

  function isIn(value: unknown): boolean {
    const text = typeof value === 'string' ? value : textsIn(value).join('"');
    return hasForm(text) || isLeftIn(text);
  }

  function isLeftIn(text: string): boolean {
    return plain().length >= SHORTEST && hasFolded(layersOff(text), plain());
  }

  // Few texts contain the token, and a search that finds nothing costs less than a replacement.
  const cutOut = (text: string) => (hasForm(text) ? text.replace(pattern('giu'), HIDDEN) : text);

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

  return { isIn, cut: cutOut, isLeftIn, without };
}

/** All texts, numbers and names in a value. With long texts, JSON.stringify takes several times as long. */
function textsIn(value: unknown, found: string[] = []): readonly string[] {
  if (typeof value !== 'object' || value === null) found.push(String(value));
  else if (Array.isArray(value)) for (const one of value) textsIn(one, found);
  else
    for (const [name, one] of Object.entries(value)) {
      found.push(name);
      textsIn(one, found);
    }
  return found;
}

const ASCII = /^[ -~]*$/u;
/** Characters that no address encodes (RFC 3986, 2.3). Forms in HTML encode `~`, too. */
const IS_UNRESERVED = /^[\w.-]+$/u;
/** Characters with a meaning in a pattern. */
const SIGNS = /[.*+?^${}()|[\]\\/]/gu;

/** The token as it is, and as addresses encode it. The two encodings differ in a few characters. */
function formsOf(text: string): readonly string[] {
  if (IS_UNRESERVED.test(text)) return [text];
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

/**
 * Decodes one layer each of JSON escapes, character references and percent-encoding. Linear in the length of the
 * text.
 */
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

/**
 * Removes the differences between a token and its echo that need no decoding: case, and a blank instead of a plus.
 */
function folded(text: string): string {
  return withoutControls(text)
    .normalize('NFC')
    .replace(/[\s+]+/gu, '')
    .toLowerCase();
}

/**
 * Whether `text`, once folded, contains `plain`, which is already folded; with its markup, or without it. Searches long
 * texts without folding them first.
 */
function hasFolded(text: string, plain: string): boolean {
  if (!IS_PLAIN.test(plain)) return [text, withoutMarkup(text)].some((one) => folded(one).includes(plain));
  const small = text.toLowerCase();
  const first = plain.charAt(0);
  for (let start = small.indexOf(first); start >= 0; start = small.indexOf(first, start + 1)) {
    let found = 1;
    for (let at = start + 1; at < small.length && found < plain.length; at++) {
      if (small.charCodeAt(at) === plain.charCodeAt(found)) found++;
      else if (!isFoldedAway(small, at)) {
        const end = markupEnd(small, at);
        if (end === 0) break;
        at = end - 1;
      }
    }
    if (found === plain.length) return true;
  }
  return false;
}

/** What {@link withoutMarkup} removes, in small letters. */
const MARKUP = /<!\[cdata\[|\]\]>|<[^<>]*>/uy;

/** Where the markup ends that begins at `at`; 0 when there is none. */
function markupEnd(text: string, at: number): number {
  const code = text.charCodeAt(at);
  // It begins with `<` or `]`. To see that costs less than the pattern.
  if (code !== 0x3c && code !== 0x5d) return 0;
  MARKUP.lastIndex = at;
  MARKUP.test(text);
  return MARKUP.lastIndex;
}

/** Printable, and without `<` and `]`. Where markup begins, one of these could be the token's next character or markup. */
const IS_PLAIN = /^[!-;=-\\^-~]+$/u;

/** Whether {@link folded} removes the character at `at`. */
function isFoldedAway(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  // Nearly every character of a feed is printable, and needs no pattern.
  if (code > 0x20 && code < 0x7f) return code === 0x2b;
  const sign = text.charAt(at);
  return /\s/u.test(sign) || hasControls(sign);
}

/**
 * Returns a posting without the token. A link that contains it is withheld, because links are sent as received or not
 * at all.
 */
export function withoutToken<T extends Posting>(posting: T, redactor: TokenRedactor): T {
  const { applyUrl, url, id, tags, extra, key, ...rest } = posting;
  const texts = Object.entries(rest).map(([name, value]) => [
    name,
    typeof value === 'string' ? redactor.without(value) : value,
  ]);
  const isClean = (text: string | undefined) => text !== undefined && !redactor.isIn(text);
  const others = Object.entries(extra ?? {}).filter((entry) => !redactor.isIn(entry));
  return {
    ...Object.fromEntries(texts),
    key: keyWithout(key, redactor),
    ...defined({ id: isClean(id) ? id : undefined }),
    ...(isClean(applyUrl) ? { applyUrl } : applyUrl === undefined ? {} : { badLink: true }),
    ...defined({
      url: isClean(url) ? url : undefined,
      tags: tags ? [...new Set(tags.map(redactor.without))] : undefined,
      extra: others.length > 0 ? Object.fromEntries(others) : undefined,
    }),
  } as T;
}

/**
 * Does the same for a posting as it was read, whose keys may contain the token too. The new keys still identify it.
 */
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
  return `${kind}#${hash('sha256', key, 'hex').slice(0, 40)}`;
}
