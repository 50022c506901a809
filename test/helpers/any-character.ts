import fc from 'fast-check';

/** How many code points are halves of pairs, and the first of them. They are no characters. */
const [HALVES, FIRST_HALF] = [0x800, 0xd800];

const characterAt = (place: number) => String.fromCodePoint(place < FIRST_HALF ? place : place + HALVES);

/** fast-check also asks about texts that are no character. */
function placeOf(text: unknown): number {
  const point = typeof text === 'string' ? (text.codePointAt(0) ?? 0) : 0;
  const place = point < FIRST_HALF ? point : point - HALVES;
  if (characterAt(place) !== text) throw new Error('not a character');
  return place;
}

/**
 * Any character, with the same choice as the unit `binary` of fast-check. That one first builds a table of all characters,
 * which takes a second in each process.
 */
export const anyCharacter = fc.nat({ max: 0x10ffff - HALVES }).map(characterAt, placeOf);
