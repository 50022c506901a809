// Postings contain text by third parties, and Discord renders Markdown. This file escapes the text for each part of
// a message, and detects links that Discord would reject or break.
import { ellipsis, oneLine } from '../../domain/text.js';

/** Schemes Discord turns into links by itself. Without one, an address in a text is plain text. */
const SCHEME = /\b(?:https?|ftp|steam|discord):\/\//giu;
const MARKUP = /[\\*_~`|[\]<>@]/gu;
/** Markup, and our own mark of a command, so that text from a posting can't become a clickable command. */
const LIVE = /[\\*_~`|[\]<>@]|\{(?=\/)/gu;

/**
 * Text for parts that render no Markdown (footers, labels, thread names): one line, no live links, at most
 * `max` UTF-16 units.
 */
export function plain(text: string, max: number): string {
  // Discord rejects the whole message for a lone surrogate.
  const line = oneLine(text.replace(/\p{Surrogate}/gu, '\ufffd')).replace(SCHEME, '');
  return ellipsis(line, max);
}

/** Text for parts that render Markdown: shown exactly as written, with no pings. `max` includes the escapes. */
export function escaped(text: string, max: number): string {
  let line = plain(text, max);
  for (;;) {
    const safe = line.replace(LIVE, '\\$&').replace(/^(?:[#+-]|\d+(?=[.)]))/u, '\\$&');
    const tidy = safe.replace(/^\\(\d+)/u, '$1\\');
    if (tidy.length <= max) return tidy;
    line = ellipsis(line, Math.max(1, Math.floor((line.length * max) / tidy.length) - 1));
  }
}

/**
 * Text for the label of a masked link. A square bracket ends the link even after a backslash, so it becomes a
 * parenthesis.
 */
export function linkWords(text: string, max: number): string {
  return escaped(text.replace(/\[/gu, '(').replace(/\]/gu, ')'), max);
}

/** Our own text, which may hold addresses to follow. Those stay links, and markup in the rest is escaped. */
export function withLinks(text: string, max: number): string {
  const pieces = oneLine(text).split(/(https?:\/\/[^\s<>()[\]|*`\\]+)/u);
  const safe = pieces.map((piece, index) => (index % 2 === 1 ? `<${piece}>` : piece.replace(MARKUP, '\\$&')));
  let out = '';
  for (const piece of safe) {
    if (out.length + piece.length > max) return `${out}…`;
    out += piece;
  }
  return out;
}

const ADDRESS =
  /^https?:\/\/(?:[A-Za-z0-9-]+\.)+[A-Za-z0-9-]+(?::\d{1,5})?(?:[/?#][\w.~:/?#[\]@!$&'()*+,;=%-]*)?$/u;

/**
 * True for an address that Discord accepts as the link of an embed or a button and keeps byte for byte. It rejects the
 * whole message for others.
 */
export function linkable(link: string): boolean {
  return link.length <= 2048 && ADDRESS.test(link) && URL.canParse(link);
}

/** True when a masked link `[words](<link>)` keeps every byte. Brackets and parentheses end it early. */
export function maskable(link: string): boolean {
  return /^https?:\/\/[^\s()<>[\]\\]+$/iu.test(link);
}
