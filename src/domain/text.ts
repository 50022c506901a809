// Postings arrive as HTML written by strangers, encoded once too often, with a bait line at the end.
// Everything that turns such text into plain readable words lives here.
import { decodeHTMLStrict } from 'entities';

/** Longer descriptions are cut before any work: what is past this never reaches a preview or a filter. */
const MAX_HTML = 200_000;
// No pattern here runs past the next `<`: with `[^>]*` a text of nothing but `<a<a<a` takes minutes.
const BLOCK = /<\/?(?:p|div|br|li|ul|ol|h[1-6]|tr|table|section|article|blockquote|hr)\b[^<>]*>/giu;

/** Strips one `<![CDATA[ … ]]>` wrapper that survived XML parsing (observed on the wire). */
export function unwrapCdata(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('<![CDATA[')) return text;
  return trimmed.slice(9, trimmed.endsWith(']]>') ? -3 : undefined);
}

/**
 * Decodes character references once more, once only: titles are seen encoded twice. Only those that end in a
 * semicolon, since "Research&notes" holds none.
 */
export function decodeOnce(text: string): string {
  return text.includes('&') ? decodeHTMLStrict(text) : text;
}

// Zero-width joiners stay: emoji and several scripts need them.
const HIDDEN =
  /[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0001}]/gu;

/** Removes control characters, lone surrogates and the format characters that reorder or hide text; keeps line breaks. */
export function withoutControls(text: string): string {
  return text.replace(HIDDEN, (c) => (c === '\n' ? c : c === '\t' || c === '\r' ? ' ' : ''));
}

/** True when a text holds a character that {@link withoutControls} would take away, or a line break. */
export function hasControls(text: string): boolean {
  return text.search(HIDDEN) >= 0;
}

/**
 * Takes web addresses out of words: wherever they are shown they would become links to a posting that are not its
 * apply link (jobs API, Link attribution 1), or to anywhere at all.
 */
export function withoutAddresses(text: string): string {
  if (!text.includes('://') && !/www\./iu.test(text)) return text;
  return text.replace(/(?:[a-z][a-z\d+.-]{0,30}:\/\/|\bwww\.)[^\s<>"()]+/giu, ' ');
}

/** Invisible, and no part of an address to anything that makes links; mail programs know it best of its kind. */
const BREAK = '\u200c';
/** Names of files and libraries that are often written and are no site: "Node.js". */
const NO_SITE = /^(?:js|jsx|ts|tsx|json|pdf)(?![\p{L}\p{N}-])/iu;
/** Seven figures and more with what is written between them in a phone number; a date is none. */
const PHONE = /(?<!\d)(?!\d{4}-\d\d-\d\d(?!\d))\+?\(?\d(?:[ ().\-/–\u00a0]{0,3}\d){6,19}/gu;

/** What {@link withoutLinks} might change. */
const LINKISH = /[.。．｡@]|\d(?:[ ().\-/–\u00a0]{0,3}\d){6}/u;

/**
 * Keeps words from becoming links where they are shown: mail programs, terminals and readers make one of `bit.ly/x`,
 * of a mail address and of a phone number, which would lead a reader from a posting to anywhere. The text looks the same;
 * an invisible sign stands after each dot within a name, around each `@`, and between the figures of a number to call.
 */
export function withoutLinks(text: string): string {
  if (!LINKISH.test(text)) return text;
  const inert = text
    .replace(/(?<=[\p{L}\p{N}_-])[.。．｡](?=[\p{L}\p{N}])/gu, (dot, at: number) => {
      const after = text.slice(at + 1, at + 8);
      const before = text[at - 1] as string;
      // "3.5" is a figure; four of them are an address, which the last rule does not know from a phone number.
      if (/\d/u.test(before) && /^\d/u.test(after)) return dot;
      return NO_SITE.test(after) ? dot : `${dot}${BREAK}`;
    })
    .replace(/(?<=[^\s])@(?=[\p{L}\p{N}])/gu, `${BREAK}@${BREAK}`)
    .replace(/\b\d{1,3}(?:\.\d{1,3}){3}\b/gu, (four) => four.replaceAll('.', `.${BREAK}`));
  return inert.replace(PHONE, (number) => number.replace(/\d{1,3}(?=[^\d]*\d)/gu, `$&${BREAK}`));
}

/** What {@link oneLine} might change: all but Latin letters, signs, dashes, quotes and currencies, one space apart. */
const UNTIDY = /[^!-~ \u00a1-\u00ac\u00ae-\u02af\u2010-\u2027\u20a0-\u20bf]|^ | $| {2}/u;

/** One line: controls gone, white space folded. */
export function oneLine(text: string): string {
  // Most of what is shown is tidy already, and looking costs a tenth of fixing.
  if (!UNTIDY.test(text)) return text;
  return withoutControls(text).replace(/\s+/gu, ' ').trim();
}

/**
 * HTML to plain text with a line break per block; scripts and styles vanish with their content,
 * and so does the line that asks applicants to mention a word.
 */
export function plainText(html: string): string {
  const body = unwrapCdata(html.slice(0, MAX_HTML))
    .replace(/<(script|style|template)\b[^<>]*>[\s\S]*?(?:<\/\1\s*>|$)/giu, ' ')
    .replace(/<!--[\s\S]*?(?:-->|$)/gu, ' ')
    .replace(BLOCK, '\n')
    .replace(/<[/!?]?[a-z][^<>]*>/giu, '');
  return withoutControls(decodeOnce(body))
    .split('\n')
    .map(withoutBait)
    .join('\n')
    .replace(/[^\S\n]+/gu, ' ')
    .replace(/ ?\n[ \n]*/gu, '\n')
    .trim();
}

/** Cuts "When applying, mention the word … to show you read it" from a line; indexes, not a pattern, so that no text is slow. */
function withoutBait(line: string): string {
  // Only A to Z: the lower case of other letters may be longer, and the index would not fit.
  const lower = line.replace(/[A-Z]+/gu, (letters) => letters.toLowerCase());
  const word = lower.indexOf('mention the word');
  if (word < 0) return line;
  const start = lower.lastIndexOf('when applying', word);
  return start < 0 ? line : line.slice(0, start).trimEnd();
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Cuts to at most `max` UTF-16 units with a visible "…", never inside a grapheme, at a word where one is near. */
export function ellipsis(text: string, max: number): string {
  if (text.length <= max) return text;
  // Asking for the one grapheme at the cut costs a hundredth of walking there.
  const end = segmenter.segment(text.slice(0, max + 64)).containing(max - 1)?.index ?? max - 1;
  const word = text.lastIndexOf(' ', end);
  const kept = text.slice(0, word > end * 0.7 ? word : end);
  // A comma before the dots would lead on to nothing.
  return `${kept.trimEnd().replace(/[\s,;:·–-]{1,8}$/u, '')}…`;
}

/** A short one-line preview of a description: `max` UTF-16 units. */
export function snippet(html: string | undefined, max = 280): string | undefined {
  if (!html) return undefined;
  // A description may be long, a preview is not: its first pages are more than enough.
  const line = oneLine(plainText(html.slice(0, 40 * max)));
  return line === '' ? undefined : ellipsis(line, max);
}
