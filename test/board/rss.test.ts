// The RSS form, read with the parser that feed readers use, to check the escaping.
import RssParser from 'rss-parser';
import { afterEach, describe, expect, test } from 'vitest';
import type { Job } from '../../src/board/job.js';
import { JOB_NAMESPACE } from '../../src/board/rss.js';
import { startBoard, type TestBoard } from '../helpers/board.js';

let board: TestBoard | undefined;
afterEach(async () => {
  await board?.close();
  board = undefined;
});

const parser = new RssParser({
  customFields: {
    item: [
      'job:company',
      'job:location',
      'job:salary',
      'job:remote',
      'job:id',
      'job:perk',
      ['job:tag', 'tags', { keepArray: true }],
    ],
  },
});

async function feedOf(jobs: Job[], params: Record<string, string> = {}) {
  board = await startBoard({ jobs });
  const response = await fetch(board.address('/api/v1.xml', params));
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/rss+xml; charset=utf-8');
  const xml = await response.text();
  return { xml, feed: await parser.parseString(xml) };
}

describe('an item', () => {
  test('has title, link, description, guid, pubDate, categories and our own elements', async () => {
    const { xml, feed } = await feedOf([
      {
        id: 12,
        title: 'Rust Engineer',
        company: 'Acme & Sons',
        location: 'Berlin, Germany',
        remote: false,
        salary: '$100k - $120k',
        tags: ['rust', 'odd tag'],
        apply_url: 'https://jobs.example/r/x?utm_source=a&utm_medium=b#%20&amp;',
        url: 'https://jobs.example/rust-engineer/12',
        description: '<p>Use <b>Rust</b> &amp; love it</p>',
        postedAt: '2026-11-05',
        perk: 'A < B',
        nested: { not: 'shown' },
        'bad name': 'not shown',
      },
    ]);
    expect(xml).toContain(`xmlns:job="${JOB_NAMESPACE}"`);
    expect(xml).not.toContain('CDATA');
    expect(xml).not.toContain('not shown');
    expect(feed.items[0]).toMatchObject({
      title: 'Rust Engineer',
      link: 'https://jobs.example/r/x?utm_source=a&utm_medium=b#%20&amp;',
      content: '<p>Use <b>Rust</b> &amp; love it</p>',
      guid: '12',
      pubDate: 'Thu, 05 Nov 2026 00:00:00 GMT',
      categories: ['rust', 'odd tag'],
      tags: ['rust', 'odd tag'],
      'job:company': 'Acme & Sons',
      'job:location': 'Berlin, Germany',
      'job:salary': '$100k - $120k',
      'job:remote': 'false',
      'job:perk': 'A < B',
    });
  });

  test('leaves out missing fields, and stays a valid item', async () => {
    const { xml } = await feedOf([{ company: 'Nameless' }, { title: 'Only a title' }]);
    const items = xml.match(/<item>.*<\/item>/g);
    expect(items).toEqual([
      '<item><description/><job:company>Nameless</job:company></item>',
      '<item><title>Only a title</title></item>',
    ]);
  });

  test('is identified by its listing address when it has no id', async () => {
    const { feed } = await feedOf([{ title: 'T', url: 'https://jobs.example/t?a=1&b=2' }]);
    expect(feed.items[0]?.guid).toBe('https://jobs.example/t?a=1&b=2');
  });
});

describe('hostile text', () => {
  test("is read back unchanged, except for what XML can't contain", async () => {
    const title = ']]> <![CDATA[ & &amp; <b>"x"</b> \u0000\u0008\u001b\ufffe\ud800 \u2028 日本 😀';
    const { xml, feed } = await feedOf([{ title, description: ']]>\u0001<script>&lt;' }]);
    // Not allowed in character data, although most parsers accept it.
    expect(xml).not.toContain(']]>');
    // The parser trims only the ends, so other missing characters were dropped by the board.
    expect(feed.items[0]?.title).toBe(']]> <![CDATA[ & &amp; <b>"x"</b>  \u2028 日本 😀');
    expect(feed.items[0]?.content).toBe(']]><script>&lt;');
  });

  test("leaves out a link that XML can't contain, and never changes it", async () => {
    const { feed } = await feedOf([{ title: 'T', apply_url: 'https://jobs.example/\u0001' }]);
    expect(feed.items[0]).not.toHaveProperty('link');
  });

  test.each([
    'https://jobs.example/r/==QMx__me?a=1&b=<2>&c="3"&d=\'4\'',
    'https://jobs.example/%E2%82%AC/€?q=%26amp%3B&amp;x=%0A',
    'https://jobs.example/a]]>b',
  ])('the link %s arrives byte for byte', async (apply_url) => {
    const { feed } = await feedOf([{ title: 'T', apply_url }]);
    expect(feed.items[0]?.link).toBe(apply_url);
  });
});

describe('filters', () => {
  const jobs: Job[] = [
    { id: 'a', title: 'A', tags: ['rust'], remote: true, country: 'germany', description: 'about a' },
    { id: 'b', title: 'B', tags: ['rust'], location: 'Berlin', description: 'about b' },
    { id: 'c', title: 'C', tags: ['golang'], remote: true, description: 'about c' },
  ];

  test.each([
    [{}, ['a', 'b', 'c']],
    [{ tag: 'rust' }, ['a', 'b']],
    [{ country: 'germany' }, ['a', 'b']],
    [{ remote: 'true' }, ['a', 'c']],
    [{ tag: 'rust', remote: 'true' }, ['a']],
    [{ limit: '1' }, ['a']],
    [{ limit: '-3' }, ['a', 'b', 'c']],
    [{ tag: 'Rust' }, []],
    [{ country: 'DE' }, []],
  ])('%j gives %j, as in JSON', async (params, ids) => {
    const { feed } = await feedOf(jobs, params as Record<string, string>);
    expect(feed.items.map((item) => item.guid)).toEqual(ids);
  });

  test('show_description=false leaves descriptions out', async () => {
    const { xml } = await feedOf(jobs, { show_description: 'false' });
    expect(xml).not.toContain('about');
    expect(xml).toContain('<title>A</title>');
  });
});
