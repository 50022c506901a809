// Correct outputs, which the tests of the attribution guard then break.
import { ATTRIBUTION_NOTE, type Linked, type Output } from '../../src/domain/attribution.js';

export const LINK = 'https://board.example/r/ab12__me?ref=x&utm=jobcrier';
export const LISTING = 'https://board.example/jobs/ab12';
export const POSTING: Linked = { key: 'id:1', applyUrl: LINK, url: LISTING };
export const FORMATS = ['html', 'text', 'json'] as const;

export const NASTY = [
  LINK,
  'https://board.example/r/x?a=1&b=2&amp;c',
  'https://board.example/r/x?a=1&copy=2&lt;3',
  'https://board.example/r/ünï/求人?q=日本',
  'https://board.example/r/x%20y%2Fz?back=https%3A%2F%2Fboard.example%2Fr%2Fx%2520y',
  'https://board.example/r/rust_(language)?v=(1)',
  'https://board.example/r/x?q=%22quoted%22',
  "https://board.example/r/x?a=b|c&d='e'",
  'https://board.example/r/x[1]{2}*_*~',
  'https://board.example/?job=12',
  'https://board.example?job=12#top',
  'HTTPS://Board.Example/R/X',
  'https://board.example/r/x?to=https://board.example/r/x',
];

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** A correct output of each format with words around the links. */
export function honest(format: Output['format'], links: readonly string[], words = 'Rust developer'): Output {
  const note = ATTRIBUTION_NOTE;
  if (format === 'html') {
    const items = links.map((link) => `<li><a href="${escapeHtml(link)}">${escapeHtml(words)}</a></li>`);
    return {
      format,
      body: `<!doctype html><ul>${items.join('')}</ul><a href="https://jobs.example/u/1">x</a>`,
    };
  }
  if (format === 'text')
    return { format, note, body: `${links.map((link) => `${words}\r\n${link}\r\n`).join('\n')}\n${note}\n` };
  return { format, note, body: JSON.stringify({ note, list: links.map((link) => ({ words, url: link })) }) };
}

export function linked(links: readonly string[]): Linked[] {
  return links.map((applyUrl, index) => ({ key: `id:${index}`, applyUrl, url: LISTING }));
}
