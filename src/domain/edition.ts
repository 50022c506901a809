// Postings delivered together. An edition is stored before its first attempt and never put together again, so a
// second attempt has the same content and the same id.
import { hash } from 'node:crypto';
import type { Cadence } from './cadence.js';
import type { Fit, MatchedPosting } from './fit.js';

/** An edition as stored in the ledger. Times in milliseconds since the epoch. */
export interface Edition {
  readonly id: string;
  readonly destination: string;
  readonly every: Cadence['every'];
  /** What it covers: from the last edition (or the oldest posting) to the slot it was cut for. */
  readonly from: number;
  readonly slot: number;
  /** Posting keys, one list per message, in sending order. */
  readonly parts: readonly (readonly string[])[];
  /** Number of parts the receiving service has accepted, which is the index of the next part to send. */
  readonly sent: number;
  /** Keys of the postings over the cap: counted in the edition and shown on its web page. */
  readonly rest: readonly string[];
  readonly cutAt: number;
  /** Attempts at the part `sent`, counted before each attempt starts. */
  readonly attempts: number;
  /** Outages in a row at the part `sent`, and how long it waited because of them, in milliseconds. */
  readonly outages: number;
  readonly waited: number;
  readonly nextAt: number;
  readonly lastFault?: string;
  /** The subscription's last resume when the edition was put off. Any other resume makes it due immediately. */
  readonly resumedAt?: number;
  /**
   * Set for a posting that was refused: the edition it was in, its part number there and the number of parts. The
   * other parts continued.
   */
  readonly aside?: { readonly edition: string; readonly part: number; readonly parts: number };
}

/** A posting as a reader sees it, with why it matched and when it was seen before. */
export interface EditionPosting extends MatchedPosting {
  /** Fixed when the edition was cut, so that each attempt and the edition's page have the same order. */
  readonly fit?: Fit;
  /** First day a posting of the same company, title and place was seen, YYYY-MM-DD. */
  readonly seenBefore?: string;
  /** The day the reader applied to the same job under another id, YYYY-MM-DD. Only where one person reads. */
  readonly appliedOn?: string;
  /** Another member's subscription announces it in the same place, with a different link. */
  readonly twice?: true;
  /** The same job in other places, on a card; see same-job.ts. */
  readonly also?: readonly EditionPosting[];
}

/** Returns 10 characters that name a posting within its edition, from the posting's key. */
export function postingRef(key: string): string {
  return hash('sha256', key, 'base64url').slice(0, 10);
}

/**
 * Returns 20 characters that are always the same for the same subscription, destination, slot and postings, so that
 * the id stays the same after a crash before the write.
 */
export function editionId(
  subscription: string,
  destination: string,
  slot: number,
  keys: readonly string[],
): string {
  const text = [subscription, destination, slot, ...keys].join('\n');
  return hash('sha256', text, 'base64url').replace(/[-_]/gu, 'x').slice(0, 20);
}

// Processes long lists in parts.

/** Splits a list into parts of at most `size`, in order. */
export function partsOf<T>(list: readonly T[], size = 200): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}

/** Groups items into pages of at most `size`, in order. */
export async function* pagesOf<T>(items: AsyncIterable<T>, size: number): AsyncIterable<readonly T[]> {
  let page: T[] = [];
  for await (const item of items) {
    page.push(item);
    if (page.length < size) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
