// A minimal listing API: it sends prepared bodies, so that only the client is measured. A separate process.
// Arguments: postings of a listing at first (20), at most (as many), and bytes of each (2,000). Messages change the
// answers: `{ new: n }` puts n new postings on top, with `tag` only where that tag is requested; `{ postings: n }`
// lists so many from then on; `{ etag: true }` answers conditional requests, `{ delayMs: n }` answers that much
// later. `{ watch: ms }` starts the counts again and checks whether two requests of a token overlap or are closer
// than that; `{ late: { part: ms } }` measures from now on how late requests come whose address contains that part
// (the first that fits) and that are due again after that many milliseconds. Each message is answered with a report.
// asked: requests so far; newest: number of the newest posting. While it watches: distinct: different requests; most:
// how many times the same one came; overlaps; close; mostOfOne: of both together, of one token; late: by part,
// milliseconds of the latest request; unasked: by part, known requests that did not come since `late`.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';

const [FIRST = 20, MOST = FIRST, BYTES = 2_000] = process.argv.slice(2).map(Number);
const FILLER = 'We build open protocols and look for somebody who likes to do that with us. ';

let most = MOST;
let last = FIRST;
let etags = false;
let delayMs = 0;
let asked = 0;
let watch;

/** Listings of tags that have news of their own. */
const tagged = new Map();
let common = made(numbers(last, FIRST));

function numbers(newest, count) {
  return Array.from({ length: count }, (_, index) => newest - index);
}

/** The data about requests while they are watched. */
function watching(spacingMs) {
  const tokens = new Map();
  const urls = new Map();
  const found = { overlaps: 0, close: 0 };
  let periods = {};
  let late = {};
  let since = 0;

  const tokenOf = (url) => /token=([^&]+)/u.exec(url)?.[1] ?? '';
  const partOf = (url) => Object.keys(periods).find((part) => url.includes(part));
  /** How late a request is that comes, or has not come, at `now`. */
  function judge(url, { lastAt }, now) {
    const part = partOf(url);
    if (part === undefined) return;
    const dueAt = Math.max(lastAt + periods[part], since);
    late[part] = Math.max(late[part] ?? 0, Math.round(now - dueAt));
  }

  return {
    begin(url) {
      const now = performance.now();
      const known = urls.get(url) ?? { count: 0, lastAt: now };
      judge(url, known, now);
      urls.set(url, { count: known.count + 1, lastAt: now });
      const token = tokenOf(url);
      const open = tokens.get(token) ?? { open: 0, wrong: 0, endedAt: -spacingMs };
      tokens.set(token, open);
      if (open.open > 0) found.overlaps++;
      else if (now - open.endedAt < spacingMs) found.close++;
      if (open.open > 0 || now - open.endedAt < spacingMs) open.wrong++;
      open.open++;
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        open.open--;
        open.endedAt = performance.now();
      };
    },
    watchLate(more) {
      periods = more;
      late = {};
      since = performance.now();
    },
    report() {
      const now = performance.now();
      for (const [url, known] of urls) judge(url, known, now);
      const counts = [...urls.values()].map(({ count }) => count);
      const unasked = Object.fromEntries(Object.keys(periods).map((part) => [part, 0]));
      for (const [url, { lastAt }] of urls) if (lastAt < since && partOf(url)) unasked[partOf(url)]++;
      return {
        ...found,
        late,
        distinct: urls.size,
        most: counts.reduce((most, count) => Math.max(most, count), 0),
        unasked,
        mostOfOne: [...tokens.values()].reduce((most, { wrong }) => Math.max(most, wrong), 0),
      };
    },
  };
}

function item(number) {
  const head = `<title>Position ${number}</title><link>https://jobs.example/r/${number}?a=1&amp;b=2</link><guid>${number}</guid><company>Example Labs</company><category>rust</category><category>solidity</category><pubDate>Fri, 20 Nov 2026 00:00:00 GMT</pubDate>`;
  const text = FILLER.repeat(40).slice(0, Math.max(0, BYTES - head.length - 60));
  return `<item>${head}<description><![CDATA[<p>${text}</p>]]></description></item>`;
}

function made(list) {
  const body = Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>Jobs</title>${list.map(item).join('')}</channel></rss>`,
  );
  return { list, body, etag: `"${createHash('sha1').update(body).digest('hex')}"` };
}

const withNew = ({ list }, count) => made([...numbers(last, count), ...list].slice(0, most));

const server = createServer((request, response) => {
  asked++;
  // Over when its answer is being sent, so that a busy moment of this process does not make two requests close.
  const over = watch?.begin(request.url);
  if (over) response.on('close', over);
  const answer = () => {
    const { body, etag } = tagged.get(/[?&]tag=([^&]+)/u.exec(request.url)?.[1]) ?? common;
    over?.();
    if (etags && request.headers['if-none-match'] === etag) return response.writeHead(304, { etag }).end();
    return response
      .writeHead(200, {
        'content-type': 'application/xml; charset=utf-8',
        'content-length': body.length,
        ...(etags ? { etag } : {}),
      })
      .end(body);
  };
  if (delayMs > 0) setTimeout(answer, delayMs);
  else answer();
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));

process.on('message', (message) => {
  if (message.postings) {
    most = message.postings;
    common = made(numbers(last, most));
  }
  if (message.new) {
    last += message.new;
    if (message.tag) tagged.set(message.tag, withNew(tagged.get(message.tag) ?? common, message.new));
    else {
      common = withNew(common, message.new);
      for (const [tag, listing] of tagged) tagged.set(tag, withNew(listing, message.new));
    }
  }
  if ('etag' in message) etags = message.etag;
  if ('delayMs' in message) delayMs = message.delayMs;
  if ('watch' in message) watch = watching(message.watch);
  if ('late' in message) watch?.watchLate(message.late);
  process.send({ asked, newest: last, ...watch?.report() });
});
