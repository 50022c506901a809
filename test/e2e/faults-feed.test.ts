// Responses of a jobs API that are not a valid listing, and listings that change in odd ways: an invalid listing does
// not count as seen, nothing is sent twice, and none of it needs much memory.
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Job } from '../../src/board/job.js';
import { TAGS } from '../../src/domain/tags.js';
import { baseline, faultHouse, faultJob } from '../helpers/fault-house.js';
import { later } from '../helpers/later.js';

const MB = 1024 * 1024;
const TIMEOUT = { timeout: 270_000 };
const XML = { 'content-type': 'application/rss+xml; charset=utf-8' };

type Play = (response: ServerResponse) => void;
const says =
  (body: string | Buffer, headers: Record<string, string> = XML): Play =>
  (response) =>
    response.writeHead(200, headers).end(body);

/** A server before the API with a different answer for the tags that are set. */
async function startRough(target: string) {
  const plays = new Map<string, Play>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', target);
    const play = plays.get(url.searchParams.get('tag') ?? '');
    if (play) return play(response);
    fetch(url).then(
      async (answer) => response.writeHead(answer.status, XML).end(Buffer.from(await answer.arrayBuffer())),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  later(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, plays };
}

const item =
  '<item><title>Never to be seen</title><id>evil</id><apply_url>https://evil.example/</apply_url></item>';
const rss = (inner: string, head = '<?xml version="1.0"?>') =>
  `${head}<rss version="2.0"><channel><title>x</title>${inner}</channel></rss>`;
const doctype = (inner: string) => rss(item.replace('evil</id>', '&x;</id>'), `<!DOCTYPE rss [${inner}]>`);
const bomb = Array.from({ length: 20 }, (_, n) => `<!ENTITY x${n} "${`&x${n - 1};`.repeat(10)}">`).join('');

const NO_LISTINGS: Readonly<Record<string, Play>> = {
  'a page with 200': says('<html><body>Sign in</body></html>', { 'content-type': 'text/html' }),
  nothing: says(''),
  'an error in JSON': says('{"error":"no"}'),
  'an external entity': says(doctype('<!ENTITY x SYSTEM "file:///etc/passwd">')),
  'an entity bomb': says(doctype(`<!ENTITY x "ha">${bomb}`)),
  'a DOCTYPE': says(`<!DOCTYPE rss>${rss(item)}`),
  'deep nesting': says(rss(`<item>${'<a>'.repeat(100_000)}`)),
  'a gzip bomb': says(gzipSync(Buffer.alloc(400 * MB)), { ...XML, 'content-encoding': 'gzip' }),
  'a body over the limit': says(Buffer.alloc(9 * MB, ' ')),
  'double encoding': says(gzipSync(gzipSync(rss(item))), { ...XML, 'content-encoding': 'gzip, gzip' }),
  'another character set than it says': says(Buffer.from(rss(item), 'utf16le').subarray(1)),
  'NUL in the markup': says(rss(item.replaceAll('<title>', '<tit\0le>'))),
};

/** The highest memory use of the process so far, in MB. */
function mostMemory(pid: number | undefined): number {
  return Number(/VmHWM:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

test(
  'treats an invalid listing as a failed poll that marks nothing as seen, within ordinary memory',
  TIMEOUT,
  async () => {
    const kinds = Object.keys(NO_LISTINGS);
    const tagOf = (kind: string) => TAGS[kinds.indexOf(kind)] as string;
    const tags = kinds.map(tagOf);
    const house = await faultHouse({ jobs: [faultJob(1, { tags })] });
    const rough = await startRough(house.board.url);
    // A separate place for each, because what one subscription brought to a place is not sent there again by another.
    const entry = (id: string, filter: string) =>
      `- { id: ${id}, filter: ${filter}, schedule: "* * * * * *", destinations: [{ sink: webhook, target: "${house.receiver.url}/${id}", cadence: immediate }] }`;
    const entries = [entry('all', '{}'), ...tags.map((tag) => entry(tag, `{ tags: [${tag}] }`))];
    await house.subscriptions(`${entries.join('\n')}\n`);
    const program = house.run({ JOBS_API_URL: rough.url });
    const ready = () => program.json().filter((line) => line.baseline === true).length === entries.length;
    await program.until('the first polls', ready, 40_000);
    const before = mostMemory(program.child.pid);
    for (const kind of kinds) rough.plays.set(tagOf(kind), NO_LISTINGS[kind] as Play);
    await house.board.addJob(faultJob(2, { tags }));
    const failed = (kind: string) =>
      program.json().find(({ msg, subscription }) => msg === 'poll failed' && subscription === tagOf(kind));
    await program.until('all of them', () => kinds.every((kind) => failed(kind) !== undefined), 40_000);
    for (const kind of kinds) expect(failed(kind), kind).toMatchObject({ fault: 'malformed', failures: 1 });
    expect(mostMemory(program.child.pid) - before).toBeLessThan(250);
    const got = () =>
      house.receiver.received.flatMap(({ body: { data } }) =>
        data.postings.map(({ title }) => `${data.subscription}: ${title}`),
      );
    // The subscription without a tag always got valid answers, and has the posting; the others get it with their next
    // valid answer.
    expect(got()).toEqual(['all: Position 2']);
    rough.plays.clear();
    await program.until('everybody', () => got().length === entries.length, 40_000);
    expect(got().sort()).toEqual(['all', ...tags].map((id) => `${id}: Position 2`).sort());
    program.kill();
    expect(await program.ended).toBe(0);
  },
);

test('sends what a feed leaves out, and without it when the JSON form fails', TIMEOUT, async () => {
  const house = await faultHouse();
  house.front.isBare = true;
  const program = house.run();
  await baseline(program);
  await house.board.addJob(faultJob(2, { location: 'Berlin' }));
  await program.until('the first', () => house.titles().length === 1, 40_000);
  house.front.answer({ status: 403 }, '/api/v1');
  await house.board.addJob(faultJob(3));
  await program.until('the second', () => house.titles().length === 2, 40_000);
  const [whole, bare] = house.receiver.received.flatMap((one) => one.body.data.postings);
  expect(whole).toMatchObject({
    title: 'Position 2',
    company: 'Firm 2',
    location: 'Berlin',
    applyUrl: faultJob(2).apply_url,
  });
  expect(bare).toMatchObject({ title: 'Position 3', applyUrl: faultJob(3).apply_url });
  expect(bare).not.toHaveProperty('company');
  expect(house.receiver.received).toHaveLength(2);
  program.kill();
  expect(await program.ended).toBe(0);
});

test('reads the first of a million items, within ordinary memory', TIMEOUT, async () => {
  const house = await faultHouse();
  const rough = await startRough(house.board.url);
  const program = house.run({ JOBS_API_URL: rough.url });
  await baseline(program);
  const before = mostMemory(program.child.pid);
  const known = '<item><title>Position 1</title><id>1</id></item>';
  const late = '<item><title>Never to be seen</title><id>9</id></item>';
  // Seven bytes each: larger ones would meet the limit on size, not the one on their number.
  const flood = '<item/>'.repeat(1_000_000);
  rough.plays.set('', says(rss(`<item><title>Position 2</title><id>2</id></item>${known}${flood}${late}`)));
  await program.until('the posting', () => house.titles().length > 0, 40_000);
  expect(house.titles()).toEqual(['Position 2']);
  expect(mostMemory(program.child.pid) - before).toBeLessThan(250);
  expect(program.json().filter(({ msg }) => msg === 'poll failed')).toEqual([]);
  program.kill();
  expect(await program.ended).toBe(0);
});

test('requests an answer again that is cut off, and uses nothing of it', TIMEOUT, async () => {
  const house = await faultHouse();
  const rough = await startRough(house.board.url);
  const program = house.run({ JOBS_API_URL: rough.url });
  await baseline(program);
  const whole = rss('<item><title>Position 9</title><id>9</id></item>'.repeat(3));
  const cuts: Play[] = [
    (response) => {
      response.writeHead(200, { ...XML, 'content-length': String(whole.length) });
      response.write(whole.slice(0, -40), () => response.destroy());
    },
    (response) => {
      response.writeHead(200, XML);
      response.write(whole.slice(0, 120), () => response.destroy());
    },
    (response) => {
      response.writeHead(200, { ...XML, 'content-encoding': 'gzip' });
      response.end(gzipSync(whole).subarray(0, -12));
    },
  ];
  await house.board.addJob(faultJob(2));
  let asked = 0;
  rough.plays.set('', (response) => {
    const cut = cuts[asked++];
    if (asked === cuts.length) rough.plays.clear();
    cut?.(response);
  });
  await program.until('the posting', () => house.titles().length > 0, 40_000);
  // All within one poll, which does not fail.
  expect(asked).toBe(3);
  expect(program.json().filter(({ msg }) => msg === 'poll failed')).toEqual([]);
  await house.board.addJob(faultJob(3));
  await program.until('the next', () => house.titles().includes('Position 3'), 40_000);
  expect(house.titles()).toEqual(['Position 2', 'Position 3']);
  program.kill();
  expect(await program.ended).toBe(0);
});

test(
  'sends nothing twice when a listing empties, forgets, returns, reorders, renames and redates its postings',
  TIMEOUT,
  async () => {
    const old = [1, 2, 3].map((id) => faultJob(id));
    const house = await faultHouse({ jobs: old });
    const program = house.run();
    await baseline(program);
    let told = 3;
    const bare = { title: 'Without anything', company: 'Nameless' };
    const listings: readonly (readonly Job[])[] = [
      [],
      old.toReversed(),
      old.slice(1),
      old,
      [bare, ...old],
      [...old, bare],
      old.map((job) => ({ ...job, title: `${job.title}, now with another title` })),
      [...old.map((job) => ({ ...job, postedAt: '2026-11-29' })), bare],
    ];
    for (const listing of listings) {
      // The new posting shows that the listing was read.
      const sentinel = faultJob(++told);
      await house.board.setJobs([sentinel, ...listing]);
      await program.until(`posting ${told}`, () => house.titles().includes(`Position ${told}`));
    }
    const expected = Array.from({ length: listings.length }, (_, n) => `Position ${n + 4}`);
    expect(house.titles().filter((title) => title !== bare.title)).toEqual(expected);
    expect(house.titles().filter((title) => title === bare.title)).toHaveLength(1);
    expect(house.receiver.received.length).toBe(new Set(house.receiver.received.map(({ id }) => id)).size);
    // An empty listing is valid and is no failure.
    expect(program.json().filter(({ msg }) => msg === 'poll failed')).toEqual([]);
    program.kill();
    expect(await program.ended).toBe(0);
  },
);
