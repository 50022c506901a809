import { escapeXml } from './rss.js';
const TYPES = {
    json: 'application/json; charset=utf-8',
    rss: 'application/rss+xml; charset=utf-8',
};
/** Sends a listing, or 304 when the client already has it. Returns the status sent. */
export async function sendListing(request, response, listing, about) {
    const { version } = about;
    const headers = {
        ...about.headers,
        // Private, because the links belong to the token's owner. Revalidated, so that a change is visible immediately.
        'Cache-Control': 'private, no-cache',
        ETag: listing.etag,
        Vary: 'Accept-Encoding',
        'X-Content-Type-Options': 'nosniff',
    };
    // Two versions within a second get two dates. A date that is ahead of the clock is not sent yet.
    if (version.changedAt <= about.now)
        headers['Last-Modified'] = version.date;
    if (isKnown(request, listing.etag, version.changedAt)) {
        response.writeHead(304, headers).end();
        return 304;
    }
    const gzipped = acceptsGzip(request.headers['accept-encoding']) ? await listing.gzipped() : undefined;
    const body = gzipped ?? listing.body();
    headers['Content-Type'] = TYPES[about.format];
    headers['Content-Length'] = String(body.length);
    if (gzipped !== undefined)
        headers['Content-Encoding'] = 'gzip';
    response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : body);
    return 200;
}
/** Sends an error with a small body in the format of the path. Returns the status sent. */
export function sendError(request, response, status, message, about) {
    const body = about.format === 'json'
        ? JSON.stringify({ error: { status, message } })
        : `<?xml version="1.0" encoding="UTF-8"?>\n<error status="${status}"><message>${escapeXml(message)}</message></error>\n`;
    response.writeHead(status, {
        ...about.headers,
        'Cache-Control': 'private, no-store',
        'Content-Type': about.format === 'json' ? TYPES.json : 'application/xml; charset=utf-8',
        'Content-Length': String(Buffer.byteLength(body)),
        'X-Content-Type-Options': 'nosniff',
    });
    response.end(request.method === 'HEAD' ? undefined : body);
    return status;
}
// If-None-Match wins over If-Modified-Since (RFC 9110, 13.2.2). The date must be exactly the one sent before: a date
// made up by the client may lie between two versions.
function isKnown(request, etag, changedAt) {
    const tags = request.headers['if-none-match'];
    if (tags !== undefined) {
        if (tags.trim() === '*')
            return true;
        const opaque = etag.slice(2);
        return tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === opaque);
    }
    const since = request.headers['if-modified-since'];
    return since !== undefined && Date.parse(since) === changedAt;
}
function acceptsGzip(header) {
    if (header === undefined)
        return false;
    const codings = String(header)
        .toLowerCase()
        .split(',')
        .map((part) => part.split(';').map((piece) => piece.trim()));
    const wanted = codings.find(([name]) => name === 'gzip') ?? codings.find(([name]) => name === '*');
    return wanted !== undefined && !wanted.slice(1).some((piece) => /^q=0(\.0*)?$/.test(piece));
}
//# sourceMappingURL=answer.js.map