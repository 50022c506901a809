// Postings as the feed returns them, with few words in a test.

import { type Posting, postingKeys, type ReadPosting } from '../../src/domain/posting.js';
import type { ListedPosting } from '../../src/domain/recognise.js';

/** A posting with an id, and with the other given fields. */
export function readPosting(id: string, fields: Partial<Posting> = {}): ReadPosting {
  const keys = postingKeys({ id, url: fields.url, link: fields.applyUrl });
  return {
    keys,
    posting: { key: keys[0] as string, id, title: `Posting ${id}`, company: `Company ${id}`, ...fields },
  };
}

/** The same without id, like a reduced record. */
export function thinned(link: string): ListedPosting {
  const keys = postingKeys({ link });
  return {
    keys,
    posting: { key: keys[0] as string, applyUrl: link },
    verdict: { ok: true, matched: [] },
    by: ['|||1'],
  };
}

/** One that matched the only request of a filter without tags. */
export function finding(
  id: string,
  fields: Partial<Posting> = {},
  more: Partial<ListedPosting> = {},
): ListedPosting {
  return { ...readPosting(id, fields), verdict: { ok: true, matched: [] }, by: ['|||1'], ...more };
}
