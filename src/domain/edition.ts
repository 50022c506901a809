// The postings delivered together. An edition is written down before its first attempt and never put together
// anew, so that a second attempt says the same thing under the same id.
import { createHash } from 'node:crypto';
import type { Cadence } from './cadence.js';
import type { Posting } from './posting.js';

/** An edition as the ledger keeps it. Times in milliseconds since the epoch. */
export interface Edition {
  readonly id: string;
  readonly destination: string;
  readonly every: Cadence['every'];
  /** What it covers: from the last edition (or the oldest posting) to the slot it was cut for. */
  readonly from: number;
  readonly slot: number;
  /** Posting keys, one list per message, in sending order. */
  readonly parts: readonly (readonly string[])[];
  /** Parts the far side has accepted; the next one to send. */
  readonly sent: number;
  /** Posting keys over the cap: counted in the edition, shown on its web page. */
  readonly rest: readonly string[];
  readonly cutAt: number;
  /** Attempts at the part `sent` that began, counted before each. */
  readonly attempts: number;
  /** Outages in a row at the part `sent`, and the waiting they cost in milliseconds. */
  readonly outages: number;
  readonly waited: number;
  readonly nextAt: number;
  readonly lastFault?: string;
  /** The subscription's last resume when it was put off; any other makes it due at once. */
  readonly resumedAt?: number;
  /** Set for a posting that was refused: the message it is of the edition it was in, whose other messages went on. */
  readonly aside?: { readonly edition: string; readonly part: number; readonly parts: number };
}

/** A posting as a reader sees it: why it matched, and when it was seen before. */
export interface EditionPosting extends Posting {
  readonly matched: readonly string[];
  /** First day a posting of the same company, title and place was seen, YYYY-MM-DD. */
  readonly seenBefore?: string;
  /** Another member's subscription announces it in the same place, with another link. */
  readonly twice?: true;
}

/** 20 characters, the same for the same subscription, destination, slot and members: it must survive a crash before the write. */
export function editionId(
  subscription: string,
  destination: string,
  slot: number,
  keys: readonly string[],
): string {
  const text = [subscription, destination, slot, ...keys].join('\n');
  return createHash('sha256').update(text).digest('base64url').replace(/[-_]/gu, 'x').slice(0, 20);
}
