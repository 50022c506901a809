// Words on a terminal: how many columns they take and where to break them. Wide letters and emoji take two
// columns, joined and combining characters none of their own.

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f/u;
/** East Asian wide and fullwidth letters (Unicode Standard Annex 11), by block. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u;

/** Columns a text without control characters takes. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const { segment } of segmenter.segment(text))
    columns += EMOJI.test(segment) || WIDE.test(segment) ? 2 : /^\p{M}+$/u.test(segment) ? 0 : 1;
  return columns;
}

/** Breaks a line into lines of at most `width` columns, between words where it can. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (columnsOf(joined) <= width) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = broken(word, width);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? '';
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line];
}

/** A word that is too long for a line, in pieces that are not. */
function broken(word: string, width: number): string[] {
  const pieces = [''];
  for (const { segment } of segmenter.segment(word)) {
    const last = pieces.at(-1) ?? '';
    if (last !== '' && columnsOf(last + segment) > width) pieces.push(segment);
    else pieces[pieces.length - 1] = last + segment;
  }
  return pieces;
}
