// Editions in the browser and in a feed reader: every apply link is unchanged, and only for its reader.
import Parser from 'rss-parser';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { attributionFaults } from '../../src/domain/attribution.js';
import {
  linkOn,
  openReaderHouse,
  pageLinks,
  READER,
  type ReaderHouse,
  rustJob,
  subscribeReader,
} from '../helpers/reader-house.js';
import { until } from '../helpers/until.js';

let house: ReaderHouse;

beforeEach(async () => {
  house = await openReaderHouse({ env: {} });
});

afterEach(() => house.close());

const NASTY = [
  'https://jobs.example/r/a__me?a=1&amp;b=2',
  'https://jobs.example/r/b__me?q=%C3%BC&r=ü',
  "https://jobs.example/r/c__me?q='x'&y=(z)",
  'https://jobs.example/r/d__me?a=1#frag',
];

async function links(): Promise<Record<string, string>> {
  await subscribeReader(house);
  // Two editions with two postings each.
  const jobs = NASTY.map((apply_url, n) => rustJob(10 + n, { apply_url }));
  for (const [n, job] of jobs.entries()) await (n % 2 === 0 ? house.board.addJob(job) : house.announce(job));
  for (;;) {
    const mails = await house.mails();
    const text = mails.map((mail) => mail.text).join('\n');
    if (NASTY.every((link) => text.includes(link))) {
      // An edition is stored after it is settled, a moment after its mail arrived.
      await until(async () => {
        const kept = await house.app.services.editions(READER.account, 100);
        return kept.flatMap((one) => one.postings).length === NASTY.length;
      });
      return pageLinks(mails.at(-1)!);
    }
    await house.mail(mails.length + 1);
  }
}

test('an edition in the browser has every apply link byte for byte', async () => {
  const { editions = '' } = await links();
  const answer = await house.visit(editions);
  expect(answer.status).toBe(200);
  const html = await answer.text();
  const record = (await house.app.services.editions(READER.account, 10)).at(0)!;
  expect(attributionFaults({ format: 'html', body: html }, [...record.postings, ...record.rest])).toEqual([]);
  expect(html).toContain('<h2><a href="https://jobs.example/r/');
  expect(html).not.toMatch(/\srel="(?!stylesheet)/u);
});

test('an edition page names the filter in a sentence, and the rule for its links', {
  tags: 'long',
}, async () => {
  const { editions = '' } = await links();
  const html = await (await house.visit(editions)).text();
  expect(html).toContain('<p class="details">Filter: Rust.</p>');
  expect(html).toContain('<p class="details">Apply links carry attribution');
});

test('an edition page has no link that only its reader may use, because the page is shared', async () => {
  const { editions = '' } = await links();
  const html = await (await house.visit(editions)).text();
  expect(html).not.toMatch(/\/(?:preferences|unsubscribe|feed|resubscribe)\//u);
});

test('an edition page does not say what its reader saved, because the page is shared', async () => {
  await links();
  const [record] = await house.app.services.editions(READER.account, 1);
  await house.app.services.mark(READER.account, record?.id ?? '', 0, 'saved');
  const count = (await house.mails()).length;
  await house.announce(rustJob(20, { company: record?.postings[0]?.company ?? '' }));
  const mail = await house.mail(count + 1);
  expect(mail.text).toContain('Like 1 of your saved postings');
  const page = await (await house.visit(pageLinks(mail).editions ?? '')).text();
  expect(page).toContain('Rust Engineer 20');
  expect(page).not.toContain('your saved postings');
});

test('says that an edition is no longer stored', { tags: 'long' }, async () => {
  const { editions = '' } = await links();
  await house.app.services.remove(
    { account: READER.account },
    (await house.app.services.subscriptions({ account: READER.account }))[0]!.subscription.id,
  );
  const answer = await house.visit(editions);
  expect(answer.status).toBe(410);
  expect(await answer.text()).toContain('no longer available');
});

test('the feed is valid RSS with the same links, newest edition first, and only those of its reader', {
  tags: 'long',
}, async () => {
  const { preferences = '' } = await links();
  const path = linkOn(await (await house.visit(preferences)).text(), 'feed');
  const answer = await house.visit(path);
  expect(answer.headers.get('content-type')).toBe('application/rss+xml; charset=utf-8');
  const body = await answer.text();
  const feed = await new Parser().parseString(body);
  expect(feed.items.map((item) => item.link).sort()).toEqual([...NASTY].sort());
  expect(feed.items[0]).toMatchObject({ title: expect.stringContaining('Rust Engineer') });
  expect(feed.description).toContain('Apply links carry attribution');
  const again = await house.visit(path, { headers: { 'If-None-Match': answer.headers.get('etag') ?? '' } });
  expect(again.status).toBe(304);
  // A feed link does not expire, but its reader can revoke it.
  house.advance(400 * 86_400_000);
  expect((await house.visit(path)).status).toBe(200);
  await house.app.services.mail!.removeAddress(READER.account);
  expect((await house.visit(path)).status).toBe(404);
});

test('the feed has what RSS 2.0 requires: channel, dates of RFC 822, one id per item, and everything escaped', {
  tags: 'long',
}, async () => {
  const { preferences = '' } = await links();
  const path = linkOn(await (await house.visit(preferences)).text(), 'feed');
  const body = await (await house.visit(path)).text();
  expect(body).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<rss version="2\.0" [^>]+>\n<channel>/u);
  expect(body).toMatch(
    /<atom:link href="https?:\/\/[^"]+\/feed\/[^"]+" rel="self" type="application\/rss\+xml"\/>/u,
  );
  for (const name of ['title', 'link', 'description', 'language'])
    expect(body.split('<item>')[0]).toMatch(new RegExp(`^<${name}>[^<]+</${name}>$`, 'mu'));
  const items = body.split('<item>').slice(1);
  expect(items).toHaveLength(NASTY.length);
  const of = (item: string, name: string) =>
    new RegExp(`<${name}[^>]*>([^<]*)</${name}>`, 'u').exec(item)?.[1];
  for (const item of items) {
    expect(of(item, 'title')).toMatch(/^Rust Engineer \d+$/u);
    expect(of(item, 'pubDate')).toMatch(/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/u);
    expect(item).toContain('<guid isPermaLink="false">');
  }
  expect(new Set(items.map((item) => of(item, 'guid'))).size).toBe(items.length);
  expect(body.replace(/&(?:amp|lt|gt|quot);/gu, '')).not.toContain('&');
});
