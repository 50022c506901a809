// Postings arrive as untrusted HTML, often encoded twice, with a bait line at the end. This file turns such text into
// plain readable words.
import { decodeHTMLStrict } from 'entities';

/** Longer descriptions are cut first. Text after this many characters never reaches a preview or a filter. */
const MAX_HTML = 200_000;
// No pattern here reads past the next `<`: with `[^>]*`, a text of only `<a<a<a` takes minutes.
const BLOCK = /<\/?(?:p|div|br|li|ul|ol|h[1-6]|tr|table|section|article|blockquote|hr)\b[^<>]*>/giu;

/** Removes one `<![CDATA[ … ]]>` wrapper that survived XML parsing (seen in real feeds). */
export function unwrapCdata(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('<![CDATA[')) return text;
  return trimmed.slice(9, trimmed.endsWith(']]>') ? -3 : undefined);
}

/**
 * Decodes character references one more time, because some titles are encoded twice. Only references that end in a
 * semicolon are decoded, because "Research&notes" contains none.
 */
export function decodeOnce(text: string): string {
  return text.includes('&') ? decodeHTMLStrict(text) : text;
}

// Zero-width joiners are kept, because emoji and several scripts need them.
const HIDDEN =
  /[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0001}]/gu;

const withoutControl = (sign: string) => (sign === '\n' ? sign : sign === '\t' || sign === '\r' ? ' ' : '');

/** Removes control characters, lone surrogates and format characters that reorder or hide text. Keeps line breaks. */
export function withoutControls(text: string): string {
  return text.replace(HIDDEN, withoutControl);
}

/** True when a text contains a line break or another character that {@link withoutControls} removes or replaces. */
export function hasControls(text: string): boolean {
  return text.search(HIDDEN) >= 0;
}

/**
 * Removes web addresses from text. Shown to a reader, they would become links to a posting other than its apply link
 * (jobs API, Link attribution 1), or links to any other site.
 */
export function withoutAddresses(text: string): string {
  if (!text.includes('://') && !(text.includes('.') && /www\./iu.test(text))) return text;
  return text.replace(/(?:[a-z][a-z\d+.-]{0,30}:\/\/|\bwww\.)[^\s<>"()]+/giu, ' ');
}

/**
 * An invisible character that no program that makes links accepts as part of an address. Of all such characters, mail
 * programs support it best.
 */
const BREAK = '\u200c';
/** Common names of files and libraries that are not sites, such as "Node.js". */
const NO_SITE = /^(?:js|jsx|ts|tsx|json|pdf)(?![\p{L}\p{N}-])/iu;
/** Seven or more digits, with the characters written between them in a phone number. A date does not match. */
const PHONE = /(?<!\d)(?!\d{4}-\d\d-\d\d(?!\d))\+?\(?\d(?:[ ().\-/–\u00a0]{0,3}\d){6,19}/gu;

/** Matches every text that {@link withoutLinks} might change. */
const LINKISH = /[.。．｡@]|\d(?:[ ().\-/–\u00a0]{0,3}\d){6}/u;

/**
 * Keeps text from becoming links where it is shown. Mail programs, terminals and feed readers turn `bit.ly/x`, mail
 * addresses and phone numbers into links, which could lead a reader from a posting to any site. The text looks the
 * same: an invisible character is added after each dot within a name, around each `@`, and between the digits of a
 * phone number.
 */
export function withoutLinks(text: string): string {
  if (!LINKISH.test(text)) return text;
  const inert = text
    .replace(/(?<=[\p{L}\p{N}_-])[.。．｡](?=[\p{L}\p{N}])/gu, (dot, at: number) => {
      const after = text.slice(at + 1, at + 8);
      const before = text[at - 1] as string;
      // "3.5" is a number. Four of them are an IP address, which the last rule can't tell from a phone number.
      if (/\d/u.test(before) && /^\d/u.test(after)) return dot;
      return NO_SITE.test(after) ? dot : `${dot}${BREAK}`;
    })
    .replace(/(?<=[^\s])@(?=[\p{L}\p{N}])/gu, `${BREAK}@${BREAK}`)
    .replace(/\b\d{1,3}(?:\.\d{1,3}){3}\b/gu, (four) => four.replaceAll('.', `.${BREAK}`));
  return inert.replace(PHONE, (number) => number.replace(/\d{1,3}(?=[^\d]*\d)/gu, `$&${BREAK}`));
}

/**
 * Matches every text that {@link oneLine} might change: characters other than Latin letters, signs, dashes, quotes
 * and currencies, and spaces that are doubled or at either end.
 */
const UNTIDY = /[^!-~ \u00a1-\u00ac\u00ae-\u02af\u2010-\u2027\u20a0-\u20bf]|^ | $| {2}/u;

/** Returns the text as one line, without control characters and with white space folded. */
export function oneLine(text: string): string {
  // Most text is tidy already, and this check costs a tenth of the cleaning.
  if (!UNTIDY.test(text)) return text;
  return withOneSpace(withoutControls(text));
}

/** Returns the text with white space folded. Single spaces are not replaced: most white space is fine as it is. */
function withOneSpace(text: string): string {
  return text.replace(/\s{2,}|[^\S ]/gu, ' ').trim();
}

/**
 * Converts HTML to plain text with a line break per block. Scripts and styles are removed with their content, and so
 * is the line that asks applicants to mention a word.
 */
export function plainText(html: string): string {
  const body = withoutTags(unwrapCdata(html.slice(0, MAX_HTML)));
  const lines: string[] = [];
  for (const written of withoutControls(decodeOnce(body)).split('\n')) {
    const line = withOneSpace(withoutBait(written));
    if (line !== '') lines.push(line);
  }
  return lines.join('\n');
}

function withoutTags(html: string): string {
  if (!html.includes('<')) return html;
  return html
    .replace(/<(script|style|template)\b[^<>]*>[\s\S]*?(?:<\/\1\s*>|$)/giu, ' ')
    .replace(/<!--[\s\S]*?(?:-->|$)/gu, ' ')
    .replace(BLOCK, '\n')
    .replace(/<[/!?]?[a-z][^<>]*>/giu, '');
}

/**
 * Cuts "When applying, mention the word … to show you read it" from a line. Uses indexes instead of a pattern, so
 * that no text is slow.
 */
function withoutBait(line: string): string {
  if (!/mention the word/iu.test(line)) return line;
  // Only A to Z: other letters may be longer in lower case, and the index would be wrong.
  const lower = line.replace(/[A-Z]+/gu, (letters) => letters.toLowerCase());
  const word = lower.indexOf('mention the word');
  if (word < 0) return line;
  const start = lower.lastIndexOf('when applying', word);
  return start < 0 ? line : line.slice(0, start).trimEnd();
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A sentence or a name with a capital letter at its start. */
export function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/**
 * Cuts to at most `max` UTF-16 units with a visible "…". Never cuts inside a grapheme, and cuts at the end of a word
 * if one is near.
 */
export function ellipsis(text: string, max: number): string {
  if (text.length <= max) return text;
  // Between two ASCII characters a grapheme always ends. Otherwise only the one at the cut is looked up, which costs a
  // hundredth of iterating up to it.
  const isBoundary = /^[ -~]{2}$/u.test(text.slice(max - 2, max));
  const found = isBoundary ? undefined : segmenter.segment(text.slice(0, max + 64)).containing(max - 1);
  const end = found?.index ?? max - 1;
  const word = text.lastIndexOf(' ', end);
  const kept = text.slice(0, word > end * 0.7 ? word : end);
  // Remove a comma, stop or similar before the dots.
  return `${kept.trimEnd().replace(/[\s,;:.·–-]{1,8}$/u, '')}…`;
}

/**
 * Cuts to whole sentences of together at most `max` UTF-16 units, if they take at least two fifths of that. Otherwise
 * returns the text as it is.
 */
export function sentences(text: string, max: number): string {
  if (text.length <= max) return text;
  // A capital after two letters and a stop: not "e.g." or "3.5".
  const ends = [...text.slice(0, max + 2).matchAll(/(?<=\p{L}\p{L})[.!?](?= \p{Lu})/gu)];
  const end = (ends.at(-1)?.index ?? -1) + 1;
  return end >= max * 0.4 ? text.slice(0, end) : text;
}

const HEADING = /<(h[1-6])\b[^<>]*>[^<]*<\/\1\s*>/giu;

/**
 * Returns a one-line preview of a description, at most `max` UTF-16 units long, without headings such as "About us";
 * undefined if it is empty.
 */
export function snippet(html: string | undefined, max = 280): string | undefined {
  if (!html) return undefined;
  // A preview only needs the start of a long description. If most of that is markup, more is read.
  if (html.length > 3 * max) {
    const start = lineOf(withoutTagAtEnd(html.slice(0, 3 * max)));
    if (start.length > 1.5 * max) return ellipsis(start, max);
  }
  const line = lineOf(html.slice(0, 40 * max));
  return line === '' ? undefined : ellipsis(line, max);
}

function lineOf(html: string): string {
  // Many descriptions are plain text, and these checks cost a third of the cleaning.
  if (!/[<&]/u.test(html) && !UNTIDY.test(html)) return withoutBait(html);
  return oneLine(plainText(html.replace(HEADING, ' ')) || plainText(html));
}

/** Removes a tag that a cut left without its end. */
function withoutTagAtEnd(html: string): string {
  if (!html.includes('<')) return html;
  const tag = html.lastIndexOf('<');
  return tag > html.lastIndexOf('>') ? html.slice(0, tag) : html;
}
