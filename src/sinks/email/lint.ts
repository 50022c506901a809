// Checks what a mail must and must not contain, whatever its template: nothing that reports when it is opened, and
// the link that stops it.
import { type StartTag, startTags } from '../../domain/attribution.js';
import type { Rendered } from '../../render/templates.js';

/** Attributes with an address that a mail program loads when the mail is opened. */
const LOADED = new Set(['src', 'srcset', 'background', 'poster', 'data', 'lowsrc', 'dynsrc']);
const LOADED_CSS = /(?:url\(|@import)\s*["']?\s*([^\s"')]+)/giu;
const REMOTE = /^\s*(?:[a-z][a-z\d+.-]*:)?\/\//iu;

function cssAddresses(css: string): string[] {
  return [...css.matchAll(LOADED_CSS)].flatMap(([, address = '']) => (REMOTE.test(address) ? address : []));
}

/** Remote addresses that a mail program loads for an element without being asked. */
function loadedBy({ name, attributes }: StartTag): readonly string[] {
  return attributes.flatMap(([attribute, value]) => {
    if (attribute === 'style') return cssAddresses(value);
    if (
      LOADED.has(attribute) ||
      (name === 'link' && attribute === 'href') ||
      (name === 'image' && /href$/u.test(attribute))
    )
      return REMOTE.test(value) ? value.trim() : [];
    return [];
  });
}

/** True for an image at most 2 pixels wide or high, which shows nothing to a reader. */
function isPixel({ name, attributes }: StartTag): boolean {
  if (name !== 'img') return false;
  const style = attributes.find(([attribute]) => attribute === 'style')?.[1] ?? '';
  const size = (side: string) => {
    const given = attributes.find(([attribute]) => attribute === side)?.[1];
    const styled = new RegExp(`(?:^|[;\\s])${side}\\s*:\\s*(\\d+(?:\\.\\d+)?)`, 'iu').exec(style)?.[1];
    const text = styled ?? given;
    return text === undefined || text === '' ? Number.POSITIVE_INFINITY : Number.parseFloat(text);
  };
  return size('width') <= 2 || size('height') <= 2;
}

/** Only the host of an address, so that a fault does not repeat what may identify a reader. */
function hostOf(address: string): string {
  return /\/\/([^/?#\s]*)/u.exec(address)?.[1] ?? '';
}

/**
 * Faults of a finished mail as sentences. `unsubscribe`: the address that stops it; left out for mails that have
 * none, such as confirm mails.
 */
export function mailFaults(
  { html, text }: Pick<Rendered, 'html' | 'text'>,
  unsubscribe?: string,
): readonly string[] {
  const tags = startTags(html);
  const styles = [...html.matchAll(/<style\b[^>]*>([^<]*)/giu)].flatMap(([, css = '']) => cssAddresses(css));
  const remote = [...tags.flatMap(loadedBy), ...styles].map(
    (address) =>
      `HTML: loads something from ${hostOf(address)} when the mail is opened, which lets that server track it; remove it or attach it.`,
  );
  const pixels = tags
    .filter(isPixel)
    .map(() => 'HTML: an image of one or two pixels, as trackers use them; leave it out.');
  const hasLink = tags.some(
    ({ name, attributes }) =>
      name === 'a' && attributes.some(([attribute, value]) => attribute === 'href' && value === unsubscribe),
  );
  const missing =
    unsubscribe === undefined
      ? []
      : [
          ...(hasLink
            ? []
            : ['HTML: no link to unsubscribe; print links.unsubscribe as the href of an <a>.']),
          ...(text.split(/\s+/u).includes(unsubscribe)
            ? []
            : ['text: no link to unsubscribe; print links.unsubscribe, with spaces around it.']),
        ];
  return [...new Set([...remote, ...pixels, ...missing])];
}
