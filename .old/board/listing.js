// Turns a query into a finished response body. Many clients ask the same question, so a body is kept while there is
// room, and its tag until the files change: a conditional request needs only the tag.
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { fragmentOf, selectEntries } from './catalogue.js';
import { renderEnvelope } from './json-file.js';
import { fillOwner } from './owner-link.js';
import { renderFeed } from './rss.js';
const gzipAsync = promisify(gzip);
/** Number of questions whose tags are kept, a few hundred bytes each. */
const KEPT_TAGS = 10_000;
/** Bytes of bodies that are kept, compressed ones included. */
const KEPT_BYTES = 32 * 1024 * 1024;
/** Smaller bodies gain nothing from compression. */
const GZIP_FROM_BYTES = 1024;
const sha256 = (body) => hash('sha256', body, 'base64url').slice(0, 27);
/** Listings of one catalogue. */
export function createListings(catalogue, options) {
    const { home, digest = sha256, keptBytes = KEPT_BYTES } = options;
    const listings = new Map();
    const bodies = createBuffers(keptBytes);
    const compressing = new Map();
    function render(format, query, partner) {
        const texts = selectEntries(catalogue, query).map((entry) => fillOwner(fragmentOf(entry, format, query.withDescription), partner));
        return Buffer.from(format === 'json' ? renderEnvelope(texts) : renderFeed(texts, home));
    }
    function create(key, format, query, partner) {
        const body = () => bodies.get(key) ?? bodies.keep(key, render(format, query, partner));
        const first = body();
        const pays = first.length >= GZIP_FROM_BYTES;
        const etag = `W/"${digest(first)}"`;
        async function compress() {
            try {
                return bodies.keep(`${key} gzip`, await gzipAsync(body()));
            }
            finally {
                compressing.delete(key);
            }
        }
        function gzipped() {
            if (!pays)
                return undefined;
            const known = bodies.get(`${key} gzip`);
            if (known)
                return Promise.resolve(known);
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
            if (known)
                return known;
            const listing = create(key, format, query, partner);
            const oldest = listings.size >= KEPT_TAGS ? listings.keys().next().value : undefined;
            if (oldest !== undefined)
                listings.delete(oldest);
            listings.set(key, listing);
            return listing;
        },
    };
}
/**
 * The key of a body, the same for queries with the same body. All queries that find nothing share one key, because
 * there is no limit to their number.
 */
function keyOf(catalogue, format, query, partner) {
    const { tag, country, nothing, remoteOnly, limit, withDescription } = query;
    if (nothing ||
        (tag !== undefined && !catalogue.byTag.has(tag)) ||
        (country !== undefined && !catalogue.byCountry.has(country)))
        return `${format} nothing`;
    const owner = catalogue.namesOwner ? (partner ?? '') : '';
    // None of these values contains a space.
    return `${format} ${tag ?? ''} ${country ?? ''} ${remoteOnly} ${limit} ${withDescription} ${owner}`;
}
export function createBuffers(maxBytes) {
    const kept = new Map();
    let bytes = 0;
    function drop(key) {
        bytes -= kept.get(key)?.length ?? 0;
        kept.delete(key);
    }
    return {
        get(key) {
            const buffer = kept.get(key);
            if (buffer === undefined)
                return undefined;
            kept.delete(key);
            kept.set(key, buffer);
            return buffer;
        },
        keep(key, buffer) {
            drop(key);
            if (buffer.length > maxBytes / 4)
                return buffer;
            kept.set(key, buffer);
            bytes += buffer.length;
            for (const oldest of kept.keys()) {
                if (bytes <= maxBytes)
                    break;
                drop(oldest);
            }
            return buffer;
        },
        size: () => bytes,
    };
}
//# sourceMappingURL=listing.js.map