// Rules for any input: a parser returns postings or throws a malformed FeedError, and a link comes out unchanged or
// not at all.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FeedError } from '../../src/domain/errors.js';
import { type ReadPosting, usableLink } from '../../src/domain/posting.js';
import { decodeText } from '../../src/sources/jobs-api/decode.js';
import { parseJson } from '../../src/sources/jobs-api/json.js';
import { parseRss } from '../../src/sources/jobs-api/rss.js';
import { anyCharacter } from '../helpers/any-character.js';
import { runs } from '../helpers/runs.js';
import { rss } from './kit.js';

type Outcome = readonly ReadPosting[] | 'malformed';

async function outcomeOf(parse: () => Promise<readonly ReadPosting[]>): Promise<Outcome> {
  const outcome: unknown = await parse().catch((error: unknown) => error);
  if (Array.isArray(outcome)) return outcome;
  expect(outcome).toBeInstanceOf(FeedError);
  expect(outcome).toMatchObject({ fault: 'malformed' });
  return 'malformed';
}

const fromRss = (text: string) => outcomeOf(() => parseRss({ text, lossy: false }));
const fromJson = (text: string) => outcomeOf(async () => parseJson({ text, lossy: false }));

const anyText = fc.string({ unit: anyCharacter, maxLength: 200 });
const xmlish = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '<',
        '>',
        '</',
        '/>',
        '<item>',
        '</item>',
        '<link>',
        '</link>',
        '<![CDATA[',
        ']]>',
        '<!--',
      ),
      fc.constantFrom(
        '-->',
        '<?',
        '?>',
        '&',
        '&amp;',
        '&#',
        ';',
        '&#x41;',
        '"',
        "'",
        '=',
        '<a b="',
        '<title>',
        '</title>',
      ),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

/** Anything that a publisher might use as an address. */
const link = fc.oneof(
  fc.webUrl({ withFragments: true, withQueryParameters: true, validSchemes: ['http', 'https'] }),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '&',
          '&amp;',
          '&amp;amp;',
          '&lt;',
          '%',
          '%26',
          '+',
          '#',
          '?',
          '=',
          '/',
          '\\',
          '..',
          ']]',
          '@',
          ' ',
          "'",
        ),
        fc.constantFrom('é', '日', '\u202e', '\0', '\ufffd', '\u{1f600}', '\ufeff', '<', '>', '"'),
        fc.string({ unit: 'grapheme-ascii', maxLength: 6 }),
      ),
      { maxLength: 12 },
    )
    .map((parts) => `https://jobs.example/${parts.join('')}`),
  anyText,
);

/** XML can't contain every character, and white space around an address does not belong to it. */
const clean = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters in question
  text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\r]|\p{Surrogate}/gu, '').trim();
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function check(outcome: Outcome, sent: string): void {
  if (outcome === 'malformed') throw new Error('a good document was refused');
  const posting = outcome[0]?.posting;
  expect(posting?.applyUrl).toBe(usableLink(sent) ? sent : undefined);
  expect(posting?.badLink).toBe(usableLink(sent) || sent === '' ? undefined : true);
}

describe('any input', () => {
  test('bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.option(anyText), async (bytes, type) => {
        const text = decodeText(bytes, type === null ? undefined : `text/xml; charset=${type}`);
        await outcomeOf(() => parseRss(text));
        await outcomeOf(async () => parseJson(text));
      }),
    );
  });

  test('text', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        await fromRss(text);
        await fromJson(text);
      }),
    );
  });

  test('pieces of XML, alone, in a feed and in an item', async () => {
    await fc.assert(
      fc.asyncProperty(xmlish, async (text) => {
        await fromRss(text);
        await fromRss(rss(text));
        await fromRss(rss(`<item><title>a</title>${text}</item>`));
      }),
      { numRuns: runs(300) },
    );
  });

  test('any JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 6 }), async (text) => {
        await fromJson(text);
        await fromJson(`["ok","v1",[${text}]]`);
      }),
      { numRuns: runs(300) },
    );
  });

  test('jobs whose known fields are of any type', async () => {
    const names = fc.constantFrom(
      ...'id guid title company location country remote description tags apply_url link url salary postedAt date'.split(
        ' ',
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(names, fc.jsonValue({ maxDepth: 3 })), async (job) => {
        const outcome = await fromJson(JSON.stringify(['ok', 'v1', [job, { id: 1 }]]));
        expect(outcome).not.toBe('malformed');
        for (const { posting } of outcome as readonly ReadPosting[])
          if (posting.applyUrl !== undefined)
            expect([String(job.apply_url).trim(), String(job.link).trim()]).toContain(posting.applyUrl);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('a link', () => {
  test('through escaped XML', async () => {
    await fc.assert(
      fc.asyncProperty(link.map(clean), async (sent) => {
        check(await fromRss(rss(`<item><title>a</title><link>${escaped(sent)}</link></item>`)), sent);
      }),
      { numRuns: runs(500) },
    );
  });

  test('through a CDATA section', async () => {
    await fc.assert(
      fc.asyncProperty(link.map(clean), async (sent) => {
        const cdata = `<![CDATA[${sent.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
        check(await fromRss(rss(`<item><title>a</title><link>${cdata}</link></item>`)), sent);
      }),
      { numRuns: runs(500) },
    );
  });

  test('through JSON', async () => {
    await fc.assert(
      fc.asyncProperty(link, async (text) => {
        const sent = text.replace(/\p{Surrogate}/gu, '').trim();
        check(await fromJson(JSON.stringify(['ok', [{ title: 'a', apply_url: sent }]])), sent);
      }),
      { numRuns: runs(500) },
    );
  });

  test('through XML that was not escaped comes out as written there, or not at all', async () => {
    await fc.assert(
      fc.asyncProperty(link.map(clean), async (sent) => {
        const outcome = await fromRss(rss(`<item><title>a</title><link>${sent}</link></item>`));
        if (outcome === 'malformed') return;
        const found = outcome[0]?.posting.applyUrl;
        if (found !== undefined && found !== sent) expect(decodedOnce(sent)).toBe(found);
      }),
      { numRuns: runs(500) },
    );
  });
});

/** The result of parsing a text as XML when it contains references by chance. */
function decodedOnce(text: string): string {
  const names: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  return text
    .replace(/<!\[CDATA\[|\]\]>/gu, '')
    .replace(/&(amp|lt|gt|quot|apos);/giu, (_, name: string) => names[name.toLowerCase()] as string);
}
