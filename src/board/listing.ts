// Turns a query into a finished response body and keeps it until the files change: many clients ask the
// same question, and a conditional request needs the body's tag even when the body is not sent.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Catalogue, type Format, fragmentOf, selectEntries } from './catalogue.js';
import { renderEnvelope } from './json.js';
import { fillOwner } from './owner-link.js';
import type { JobQuery } from './query.js';
import { renderFeed } from './rss.js';

const gzipAsync = promisify(gzip);
const KEPT_BODIES = 256;
/** Smaller bodies gain nothing from compression. */
const GZIP_FROM_BYTES = 1024;

export interface Listing {
  readonly body: Buffer;
  /** Weak, as the compressed form shares it. */
  readonly etag: string;
  readonly count: number;
  /** The compressed body, made once; undefined when it would not pay. */
  gzipped(): Promise<Buffer> | undefined;
}

export interface Listings {
  get(format: Format, query: JobQuery, partner: string | undefined): Listing;
}

/** Listings of one catalogue. `home` is the board's own address, for the RSS channel. */
export function createListings(catalogue: Catalogue, home: string): Listings {
  const kept = new Map<string, Listing>();

  function get(format: Format, query: JobQuery, partner: string | undefined): Listing {
    const key = JSON.stringify([format, query, partner]);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const listing = createListing(catalogue, format, query, partner, home);
    const oldest = kept.size >= KEPT_BODIES ? kept.keys().next().value : undefined;
    if (oldest !== undefined) kept.delete(oldest);
    kept.set(key, listing);
    return listing;
  }

  return { get };
}

function createListing(
  catalogue: Catalogue,
  format: Format,
  query: JobQuery,
  partner: string | undefined,
  home: string,
): Listing {
  const entries = selectEntries(catalogue, query);
  const texts = entries.map((entry) => fillOwner(fragmentOf(entry, format, query.withDescription), partner));
  const body = Buffer.from(format === 'json' ? renderEnvelope(texts) : renderFeed(texts, home));
  const etag = `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  let compressed: Promise<Buffer> | undefined;

  function gzipped(): Promise<Buffer> | undefined {
    if (body.length < GZIP_FROM_BYTES) return undefined;
    compressed ??= gzipAsync(body);
    return compressed;
  }

  return { body, etag, count: entries.length, gzipped };
}
