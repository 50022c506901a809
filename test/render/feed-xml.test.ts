// A reader's feed: feed readers show descriptions as HTML, and some of them titles too; links are unchanged.
import Parser from 'rss-parser';
import { expect, test } from 'vitest';
import type { EditionPosting } from '../../src/domain/edition.js';
import { feedTexts, renderFeed } from '../../src/render/feed-xml.js';
import { sampleDelivery } from '../../src/render/samples.js';

const LINK = 'https://board.example/r/x1__me?a=1&b=2&amp;c';

async function itemOf(fields: Partial<EditionPosting>) {
  const { edition: id, ...delivery } = sampleDelivery();
  const posting = { key: 'id:1', matched: [], applyUrl: LINK, ...fields };
  const record = { ...delivery, id, rest: [], postings: [posting] };
  const self = 'https://crier.example.org/feed/a&b';
  const of = { locale: 'en', source: 'Example Jobs', title: 'Jobs', home: undefined, self };
  const xml = renderFeed([{ posting, record, at: 0 }], of);
  const { items } = await new Parser().parseString(xml);
  return { xml, ...items[0] };
}

test('text of a posting stays text in a feed reader that reads it as HTML, and in one that does not', async () => {
  const bait = '<img src=x onerror=alert(1)> & ]]> "R&amp;D"';
  const { title, content, link } = await itemOf({ title: bait, company: bait, description: 'one' });
  expect(title).toBe('‹img src=x onerror=alert(1)› & ]]› "R&amp;D"');
  expect(content).toContain('&lt;img src=x onerror=alert(1)&gt; &amp; ]]&gt; &quot;R&amp;amp;D&quot;');
  expect(content).not.toMatch(/<(?!br>)/u);
  expect(link).toBe(LINK);
});

test('keeps line breaks, and the guard can still read every text', async () => {
  const { xml, content } = await itemOf({ title: 'Rust', company: 'Acme', salary: '100k' });
  expect(content).toMatch(/^Acme<br>\n100k/u);
  expect(feedTexts(xml)).toContain(LINK);
});

test('uses calendar dates, so that an item never changes, and the feed contains its own address', async () => {
  const { xml, content, guid } = await itemOf({
    title: 'Rust',
    postedAt: '1970-01-01',
    seenBefore: '1969-12-01',
  });
  expect(content).toContain('1 Jan 1970');
  expect(xml).not.toMatch(/today|yesterday|days ago/iu);
  expect(guid).toBe('sample/id:1');
  expect(xml).toContain(
    '<atom:link href="https://crier.example.org/feed/a&amp;b" rel="self" type="application/rss+xml"/>',
  );
});
