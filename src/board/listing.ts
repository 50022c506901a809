// Turns a query into a finished response body. Many clients ask the same question, so a body is kept while there is
// room, and its tag until the files change: a conditional request needs only the tag.
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Catalogue, type Format, fragmentOf, selectEntries } from './catalogue.js';
import { renderEnvelope } from './json-file.js';
import { fillOwner } from './owner-link.js';
import type { JobQuery } from './query.js';
import { renderFeed } from './rss.js';

const gzipAsync = promisify(gzip);
/** Number of questions whose tags are kept, a few hundred bytes each. */
const KEPT_TAGS = 10_000;
/** Bytes of bodies that are kept, compressed ones included. */
const KEPT_BYTES = 32 * 1024 * 1024;
/** Smaller bodies gain nothing from compression. */
const GZIP_FROM_BYTES = 1024;

export interface Listing {
  /** Weak, because the compressed form has the same one. */
  readonly etag: string;
  body(): Buffer;
  /** The compressed body; undefined when the body is too small to gain from it. */
  gzipped(): Promise<Buffer> | undefined;
}

export interface Listings {
  get(format: Format, query: JobQuery, partner: string | undefined): Listing;
}

export interface ListingOptions {
  /** The board's own address, for the RSS channel. */
  readonly home: string;
  /** Returns the text of a tag for a body; SHA-256 when left out. */
  readonly digest?: (body: Buffer) => string;
  /** Most bytes of bodies that are kept. */
  readonly keptBytes?: number;
}

const sha256 = (body: Buffer) => hash('sha256', body, 'base64url').slice(0, 27);

/** Listings of one catalogue. */
export function createListings(catalogue: Catalogue, options: ListingOptions): Listings {
  const { home, digest = sha256, keptBytes = KEPT_BYTES } = options;
  const listings = new Map<string, Listing>();
  const bodies = createBuffers(keptBytes);
  const compressing = new Map<string, Promise<Buffer>>();

  function render(format: Format, query: JobQuery, partner: string | undefined): Buffer {
    const texts = selectEntries(catalogue, query).map((entry) =>
      fillOwner(fragmentOf(entry, format, query.withDescription), partner),
    );
    return Buffer.from(format === 'json' ? renderEnvelope(texts) : renderFeed(texts, home));
  }

  function create(key: string, format: Format, query: JobQuery, partner: string | undefined): Listing {
    const body = () => bodies.get(key) ?? bodies.keep(key, render(format, query, partner));
    const first = body();
    const pays = first.length >= GZIP_FROM_BYTES;
    const etag = `W/"${digest(first)}"`;

    async function compress(): Promise<Buffer> {
      try {
        return bodies.keep(`${key} gzip`, await gzipAsync(body()));
      } finally {
        compressing.delete(key);
      }
    }

    function gzipped(): Promise<Buffer> | undefined {
      if (!pays) return undefined;
      const known = bodies.get(`${key} gzip`);
      if (known) return Promise.resolve(known);
      const running = compressing.get(key) ?? compress();
      compressing.set(key, running);
      return running;
    }

    return { etag, body, gzipped };
  }

  return {
    get(format, query, partner) {
      const key = keyOf(catalogue, format, query, partner);
      const known = listings.get(key);
      if (known) return known;
      const listing = create(key, format, query, partner);
      const oldest = listings.size >= KEPT_TAGS ? listings.keys().next().value : undefined;
      if (oldest !== undefined) listings.delete(oldest);
      listings.set(key, listing);
      return listing;
    },
  };
}

/**
 * The key of a body, the same for queries with the same body. All queries that find nothing share one key, because
 * there is no limit to their number.
 */
function keyOf(catalogue: Catalogue, format: Format, query: JobQuery, partner: string | undefined): string {
  const { tag, country, nothing, remoteOnly, limit, withDescription } = query;
  if (
    nothing ||
    (tag !== undefined && !catalogue.byTag.has(tag)) ||
    (country !== undefined && !catalogue.byCountry.has(country))
  )
    return `${format} nothing`;
  const owner = catalogue.namesOwner ? (partner ?? '') : '';
  // None of these values contains a space.
  return `${format} ${tag ?? ''} ${country ?? ''} ${remoteOnly} ${limit} ${withDescription} ${owner}`;
}

// A bounded cache of buffers that can be made again. The one that was not used for longest is dropped first.

export interface Buffers {
  get(key: string): Buffer | undefined;
  /** Keeps a buffer, unless it would displace most of the others. Returns it in any case. */
  keep(key: string, buffer: Buffer): Buffer;
  /** Bytes that are kept now. */
  size(): number;
}

export function createBuffers(maxBytes: number): Buffers {
  const kept = new Map<string, Buffer>();
  let bytes = 0;

  function drop(key: string): void {
    bytes -= kept.get(key)?.length ?? 0;
    kept.delete(key);
  }

  return {
    get(key) {
      const buffer = kept.get(key);
      if (buffer === undefined) return undefined;
      kept.delete(key);
      kept.set(key, buffer);
      return buffer;
    },
    keep(key, buffer) {
      drop(key);
      if (buffer.length > maxBytes / 4) return buffer;
      kept.set(key, buffer);
      bytes += buffer.length;
      for (const oldest of kept.keys()) {
        if (bytes <= maxBytes) break;
        drop(oldest);
      }
      return buffer;
    },
    size: () => bytes,
  };
}
