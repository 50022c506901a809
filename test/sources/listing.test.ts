// An answer is read record by record: marks identify records, and reading some records returns the same as reading
// all.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import type { Listing } from '../../src/ports/feed.js';
import { openJson } from '../../src/sources/jobs-api/json.js';
import { openRss } from '../../src/sources/jobs-api/rss.js';
import { later } from '../helpers/later.js';
import { runs } from '../helpers/runs.js';
import { CANARY, createKit, rss, serve } from './kit.js';

const LINK = 'https://jobs.example/r/1';

interface Job {
  readonly id: string;
  readonly title: string;
  readonly date?: string;
}

const FORMATS: readonly (readonly [string, (jobs: readonly Job[]) => Listing])[] = [
  [
    'RSS',
    (jobs) =>
      openRss({
        text: rss(
          jobs
            .map(
              ({ id, title, date = '' }) =>
                `<item><guid>${id}</guid><pubDate>${date}</pubDate><title><![CDATA[${title}]]></title><link>${LINK}?a=1&amp;n=${id}</link></item>`,
            )
            .join('<!-- between -->'),
        ),
        lossy: false,
      }),
  ],
  [
    'JSON',
    (jobs) =>
      openJson({
        text: JSON.stringify([
          'ok',
          jobs.map(({ id, title, date }) => ({ id, title, date, apply_url: `${LINK}?a=1&n=${id}` })),
        ]),
        lossy: false,
      }),
  ],
];

const DAY = 'Fri, 20 Nov 2026 00:00:00 GMT';
const jobs = [1, 2, 3].map((n): Job => ({ id: String(n), title: `Job ${n} & more`, date: DAY }));

describe.each(FORMATS)('in %s', (_format, open) => {
  test('gives each record a mark that changes with the text, but not with the order or the dates', async () => {
    const before = open(jobs);
    expect(before.count).toBe(3);
    expect(new Set(before.marks).size).toBe(3);
    const [a, b, c] = jobs as [Job, Job, Job];
    const later = open([{ ...c, date: 'Sat, 21 Nov 2026 00:00:00 GMT' }, { ...b, title: 'Another' }, a]);
    expect(later.marks[0]).toBe(before.marks[2]);
    expect(later.marks[2]).toBe(before.marks[0]);
    expect(before.marks).not.toContain(later.marks[1]);
  });

  test('reads some records exactly as when all are read', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 }).map((one) => one.replaceAll(']]>', ''));
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.record({ id: fc.nat(30).map(String), title: text }), {
          selector: ({ id }) => id,
          minLength: 1,
          maxLength: 12,
        }),
        fc.infiniteStream(fc.boolean()),
        async (some, coins) => {
          const listing = open(some);
          const all = await listing.read();
          const wanted = new Set(listing.marks.filter(() => coins.next().value));
          expect(all.map(({ mark }) => mark)).toEqual(listing.marks);
          expect(await listing.read(wanted)).toEqual(all.filter(({ mark }) => wanted.has(mark ?? '')));
        },
      ),
      { numRuns: runs(100) },
    );
  });
});

test('reads all items when they are not next to each other', async () => {
  const item = (n: number) => `<item><guid>${n}</guid><title>Job ${n}</title></item>`;
  const listing = openRss({
    text: `<rss><channel>${item(1)}<group>${item(2)}</group></channel></rss>`,
    lossy: false,
  });
  expect(listing.marks).toEqual([]);
  expect((await listing.read(new Set(['any']))).map(({ posting }) => posting.title)).toEqual(['Job 1']);
});

test('reads items under several parents in place, also only some of them', async () => {
  const item = (n: number) => `<item><guid>${n}</guid><title>Job ${n}</title></item>`;
  const text = `<rss><channel>${item(1)}${item(2)}</channel><side>${item(3)}</side></rss>`;
  const listing = openRss({ text, lossy: false });
  const read = await listing.read();
  // The marks are of three items, so it is not known which belongs to which posting.
  expect(read.filter((one) => 'mark' in one)).toEqual([]);
  const all = read.map(({ posting }) => posting.title);
  expect(all).toEqual(['Job 1', 'Job 2']);
  const some = await listing.read(new Set(listing.marks.slice(2)));
  expect(some.map(({ posting }) => posting.title)).toEqual(all);
});

test('reads some items of a feed that has to be repaired, or is cut after the most that are read', async () => {
  const item = (n: number) =>
    `<item><guid>${n}</guid><title>R & D ${n} < 9</title><link>${LINK}?a=1&n=${n}</link></item>`;
  // Not well-formed, so that reading all would fail.
  const first = '<item><title a=b>first</title></item>';
  const items = [first, ...Array.from({ length: 2000 }, (_, n) => item(n + 1))].join('\n');
  const listing = openRss({ text: `<rss a="1 & 2"><channel>${items}</channel></rss>`, lossy: false });
  expect(listing.count).toBe(2000);
  await expect(listing.read()).rejects.toMatchObject({ fault: 'malformed' });
  const marks = [5, 1999].map((n) => listing.marks[n] as string);
  const some = await listing.read(new Set(marks));
  expect(some.map(({ mark, posting }) => [mark, posting.title, posting.applyUrl])).toEqual([
    [marks[0], 'R & D 5 < 9', `${LINK}?a=1&n=5`],
    [marks[1], 'R & D 1999 < 9', `${LINK}?a=1&n=1999`],
  ]);
});

test('the mark of an item covers the text before, between and after its dates', () => {
  const item = (a: string, b: string, c: string, day: number) =>
    `<item><title>${a}</title><pubDate>${day}</pubDate><company>${b}</company><date>${day}</date><url>${c}</url></item>`;
  const markOf = (...of: Parameters<typeof item>) =>
    openRss({ text: rss(item(...of)), lossy: false }).marks[0];
  const mark = markOf('a', 'b', 'c', 1);
  expect(markOf('a', 'b', 'c', 2)).toBe(mark);
  const others = [markOf('x', 'b', 'c', 1), markOf('a', 'x', 'c', 1), markOf('a', 'b', 'x', 1)];
  expect(new Set([mark, ...others]).size).toBe(4);
});

test('the mark of an item covers nothing outside of it', () => {
  const item = (n: number) => `<item><title>Job ${n}</title><pubDate>1</pubDate></item>`;
  const marksOf = (between: string) =>
    openRss({ text: `<rss><channel>${item(1)}${between}${item(2)}</channel></rss>`, lossy: false }).marks;
  const marks = marksOf('');
  expect(new Set(marks).size).toBe(2);
  expect(marksOf('<image>a<date>1</date>b</image>')).toEqual(marks);
});

describe('a listing that was polled', () => {
  const item = (n: number) => `<item><guid>${n}</guid><title>Job ${n}</title></item>`;

  /** `parses`: how often a parser was started. */
  async function polled(body: string) {
    const server = await serve((_request, response) => void response.end(body));
    const kit = createKit(server.url);
    later(server.close, kit.close);
    const answer = await kit.poll({ known: { hash: 'another' } });
    if (answer.kind === 'unchanged') throw new Error('it changed');
    const { listing } = answer;
    const [a = '', b = '', c = ''] = listing.marks;
    const titles = async (...marks: string[]) =>
      (await listing.read(new Set(marks))).map(({ posting }) => posting.title);
    return { listing, a, b, c, titles, parses: () => kit.counted('feed_parsed') };
  }

  test('is parsed only as far as needed, and nothing twice', async () => {
    const { a, b, c, titles, parses } = await polled(rss(item(1), item(2), item(3)));
    expect(await titles(b)).toEqual(['Job 2']);
    expect(await titles(b)).toEqual(['Job 2']);
    expect(parses()).toBe(1);
    expect(await titles(c, b, a)).toEqual(['Job 1', 'Job 2', 'Job 3']);
    expect(parses()).toBe(2);
    expect(await titles(a, 'unknown')).toEqual(['Job 1']);
  });

  test('is not parsed once more after all of it was read', async () => {
    const { listing, a, c, titles, parses } = await polled(rss(item(1), item(2), item(3)));
    expect((await listing.read()).map(({ mark }) => mark)).toEqual(listing.marks);
    expect(await titles(c, a)).toEqual(['Job 1', 'Job 3']);
    expect(await titles('unknown')).toEqual([]);
    expect(parses()).toBe(1);
  });

  test('remembers items that are not postings', async () => {
    const { a, b, titles, parses } = await polled(rss('<item><nothing/></item>', item(2)));
    expect(await titles(a)).toEqual([]);
    expect(await titles(a)).toEqual([]);
    expect(parses()).toBe(1);
    expect(await titles(a, b)).toEqual(['Job 2']);
  });

  test('is read up to the end of its feed', async () => {
    const { a, titles } = await polled(`${rss(item(1), item(2))} and <more`);
    expect(await titles(a)).toEqual(['Job 1']);
  });

  test('is not kept if it contains the token', async () => {
    const encoded = [...CANARY].map((sign) => `&#${sign.charCodeAt(0)};`).join('');
    const server = await serve(
      (_request, response) => void response.end(rss(item(1), `<!-- ${encoded} -->`)),
    );
    const kit = createKit(server.url);
    later(server.close, kit.close);
    const polling = await kit.poll({ known: { hash: 'another' }, keep: true });
    expect(polling).toMatchObject({ kind: 'postings', kept: false });
    expect(await kit.fetch()).toMatchObject({ kind: 'postings', kept: false });
    expect([...kit.cache.rows.keys()].filter((key) => key.endsWith(':body'))).toEqual([]);
  });
});

test('reads a posting that contains the token, with its mark', async () => {
  const item = (text: string) => `<item><guid>1</guid><title>${text}</title></item>`;
  const encoded = [...CANARY].map((sign) => `&#${sign.charCodeAt(0)};`).join('');
  const server = await serve((_request, response) => void response.end(rss(item(encoded))));
  const kit = createKit(server.url);
  try {
    const answer = await kit.poll({ known: { hash: 'another' } });
    if (answer.kind === 'unchanged') throw new Error('it changed');
    const { marks } = answer.listing;
    const read = await answer.listing.read(new Set(marks));
    expect(read.map(({ posting, mark }) => [posting.title, mark])).toEqual([['[token taken out]', marks[0]]]);
  } finally {
    await kit.close();
    await server.close();
  }
});

test('reads one item of a feed that repeats the token before its items', async () => {
  const item = (n: number) => `<item><guid>${n}</guid><title>Job ${n}</title></item>`;
  // Longer than the note in its place.
  const token = 'a1'.repeat(30);
  const body = `<rss><channel><link>https://jobs.example/?token=${token}</link>${item(1)}${item(2)}</channel></rss>`;
  const server = await serve((_request, response) => void response.end(body));
  const kit = createKit(server.url);
  try {
    const answer = await kit.poll({ known: { hash: 'another' }, token: secret(token) });
    if (answer.kind === 'unchanged') throw new Error('it changed');
    const read = await answer.listing.read(new Set(answer.listing.marks.slice(1)));
    // The places of items are those in the text without the token.
    expect(read.map(({ posting }) => posting.title)).toEqual(['Job 2']);
  } finally {
    await kit.close();
    await server.close();
  }
});

test('a poll keeps the gap to any request with its token, and the wait that the API asked for', async () => {
  const statuses = [200, 200, 429];
  const server = await serve((_request, response, number) =>
    response.writeHead(statuses[number] ?? 200, { 'retry-after': '600' }).end(rss()),
  );
  const kit = createKit(server.url, { spacingMs: 500 });
  try {
    await kit.fetch();
    await kit.poll({ known: { hash: 'another' } });
    expect(kit.sleeps).toEqual([500]);
    await expect(kit.fetch({ fresh: true, once: true })).rejects.toMatchObject({ fault: 'throttled' });
    await expect(kit.poll({ known: { hash: 'another' } })).rejects.toMatchObject({
      fault: 'throttled',
      retryAfterMs: 600_000,
    });
    expect(server.requests).toHaveLength(3);
  } finally {
    await kit.close();
    await server.close();
  }
});

test('does not store the answer to a request that was open when the account was deleted', async () => {
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let release = () => {};
  const server = await serve((_request, response) => {
    release = () => void response.end(rss('<item><guid>1</guid><title>One</title></item>'));
    answer();
  });
  const kit = createKit(server.url);
  try {
    const poll = kit.poll({ known: { hash: 'another' }, keep: true });
    await asked;
    await kit.forget('alice');
    release();
    expect((await poll).kind).toBe('postings');
    expect([...kit.cache.rows]).toEqual([]);
  } finally {
    await kit.close();
    await server.close();
  }
});

test('a poll reads nothing of a known answer, and only the requested records of another one', async () => {
  let items = '<item><guid>1</guid><title>One</title></item>';
  const server = await serve((_request, response) => void response.end(rss(items)));
  const kit = createKit(server.url);
  try {
    const first = await kit.fetch();
    const writes = kit.cache.writes.length;
    expect(await kit.poll({ known: first.validator })).toEqual({
      kind: 'unchanged',
      validator: first.validator,
    });
    items = `<item><guid>2</guid><title>Two</title></item>${items}`;
    const answer = await kit.poll({ known: first.validator });
    if (answer.kind === 'unchanged') throw new Error('it changed');
    expect([answer.listing.count, answer.kept]).toEqual([2, false]);
    const [mark = ''] = answer.listing.marks;
    const read = await answer.listing.read(new Set([mark]));
    expect(read.map(({ posting }) => posting.title)).toEqual(['Two']);
    expect(kit.cache.writes).toHaveLength(writes);
    expect((await kit.poll({ known: first.validator, keep: true })).kind).toBe('postings');
    expect(kit.cache.writes.length).toBeGreaterThan(writes);
  } finally {
    await kit.close();
    await server.close();
  }
});
