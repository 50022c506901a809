// Gmail cuts a mail at 102 KB and hides the rest, including the unsubscribe link. An edition of many postings or very
// long links therefore becomes several mails, each well below that.
import type { Posting } from '../../domain/posting.js';
import { isBare } from '../../render/posting-view.js';

/** Bytes of HTML for the postings of a mail: 60 KB in total, less the frame, the headings and what picks show in addition. */
const ROOM = 60_000 - 12_000;
/** Postings of a mail that have {@link PICK_ACTIONS} links to save or hide them. The others have one. */
const PICKS = 5;
const PICK_ACTIONS = 3;
/** Bytes that such a link takes besides its address. */
const ACTION = 70;
const MOST = 60;
/** Bytes that a posting takes besides its own text: tags and styles. */
const FRAME = 455;
/** Bytes of the first words of a description, which a posting shows that has only a title. */
const FIRST_WORDS = 280;

/** `action`: bytes of a link to save or hide the posting. */
function size(posting: Posting, action: number): number {
  const words = [
    posting.title?.slice(0, 200),
    posting.company?.slice(0, 100),
    posting.location?.slice(0, 120),
    posting.applyBy?.words,
  ];
  const bytes = [...words, posting.applyUrl].reduce((sum, text) => sum + htmlBytes(text ?? ''), 0);
  return FRAME + action + bytes + (isBare(posting) ? FIRST_WORDS : 0);
}

/** Bytes of a text in HTML, where some characters become entities of at most six bytes. */
function htmlBytes(text: string): number {
  return Buffer.byteLength(text) + 5 * (text.match(/[<>&'"]/gu)?.length ?? 0);
}

/**
 * Splits postings into mails, in order. `address`: length of an address that saves or hides a posting; 0 without
 * such links.
 */
export function packBySize(postings: readonly Posting[], address: number): readonly (readonly Posting[])[] {
  const action = address > 0 ? ACTION + address : 0;
  const mails: Posting[][] = [];
  let room = 0;
  for (const posting of postings) {
    const bytes = size(posting, action);
    const last = mails.at(-1);
    if (last && bytes <= room && last.length < MOST) last.push(posting);
    else {
      mails.push([posting]);
      room = ROOM - PICKS * (PICK_ACTIONS - 1) * action;
    }
    room -= bytes;
  }
  return mails;
}
