// Postings are written by strangers, and Discord renders Markdown. This is where their text is made harmless for
// each place a message has, and where a link is told apart from one that Discord would refuse or break.
import { ellipsis, oneLine } from '../../domain/text.js';

/** Schemes Discord turns into links by itself; without them an address in a text is only words. */
const SCHEME = /\b(?:https?|ftp|steam|discord):\/\//giu;
const MARKUP = /[\\*_~`|[\]<>@]/gu;
/** Beside markup, our own mark of a command: a stranger's must not become one that can be pressed. */
const LIVE = /[\\*_~`|[\]<>@]|\{(?=\/)/gu;

/** Text for places that render no Markdown (author, footer, labels, thread names): one line, no live links, at most `max` UTF-16 units. */
export function plain(text: string, max: number): string {
  // A lone surrogate is no character; Discord's parser refuses the whole message for one.
  const line = oneLine(text.replace(/\p{Surrogate}/gu, '\ufffd')).replace(SCHEME, '');
  return ellipsis(line, max);
}

/** Text for places that render Markdown: shown exactly as written, pinging nobody; `max` counts the escapes too. */
export function escaped(text: string, max: number): string {
  let line = plain(text, max);
  for (;;) {
    const safe = line.replace(LIVE, '\\$&').replace(/^(?:[#+-]|\d+(?=[.)]))/u, '\\$&');
    const tidy = safe.replace(/^\\(\d+)/u, '$1\\');
    if (tidy.length <= max) return tidy;
    line = ellipsis(line, Math.max(1, Math.floor((line.length * max) / tidy.length) - 1));
  }
}

/** Text for the words of a masked link, where a square bracket ends the link even behind a backslash. */
export function linkWords(text: string, max: number): string {
  return escaped(text.replace(/\[/gu, '(').replace(/\]/gu, ')'), max);
}

/** Text of our own that may hold addresses to follow: those stay as they are, the rest is {@link escaped}. */
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

/** True for addresses Discord takes as an embed's own link and keeps byte for byte; others would refuse the whole message. */
export function embeddable(link: string): boolean {
  return link.length <= 2048 && ADDRESS.test(link) && URL.canParse(link);
}

/** True when a masked link `[words](<link>)` keeps every byte: brackets and parentheses end it early. */
export function maskable(link: string): boolean {
  return /^https?:\/\/[^\s()<>[\]\\]+$/iu.test(link);
}
