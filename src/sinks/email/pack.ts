// Gmail cuts a mail at 102 KB and hides what comes after, the way out of the list included. An edition of many or
// of very long links therefore becomes several mails, each well below that.
import type { Posting } from '../../domain/posting.js';

/** Bytes of HTML a mail may have: 60 KB, of which the frame takes a part. */
const ROOM = 60_000 - 9_000;
const MOST = 60;
/** What a posting takes besides its own words: tags and styles. */
const FRAME = 620;

function size(posting: Posting): number {
  const words = [
    posting.title?.slice(0, 200),
    posting.company?.slice(0, 100),
    posting.location?.slice(0, 120),
  ];
  const bytes = words.reduce((sum, word) => sum + Buffer.byteLength(word ?? ''), 0);
  // `&` and quotes become entities.
  const link = posting.applyUrl ?? '';
  return FRAME + bytes + Buffer.byteLength(link) + 4 * (link.match(/[&'"]/gu)?.length ?? 0);
}

/** Splits postings into mails, in order. */
export function packBySize(postings: readonly Posting[]): readonly (readonly Posting[])[] {
  const mails: Posting[][] = [];
  let room = 0;
  for (const posting of postings) {
    const bytes = size(posting);
    const last = mails.at(-1);
    if (last && bytes <= room && last.length < MOST) last.push(posting);
    else {
      mails.push([posting]);
      room = ROOM;
    }
    room -= bytes;
  }
  return mails;
}
