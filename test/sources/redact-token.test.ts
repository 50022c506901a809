// An API that repeats the request in its response reveals the token. The token must appear neither in postings nor in
// the cache. A link that contains it is withheld, because links are passed on unchanged or not at all.
import { decodeHTML } from 'entities';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redactorOf } from '../../src/domain/redact-token.js';
import { secret } from '../../src/domain/secret.js';
import { later } from '../helpers/later.js';
import { runs } from '../helpers/runs.js';
import { createKit, type Kit, serve } from './kit.js';

const TOKEN = 'Echo+token/7f3a9c==';
const GOOD = 'https://board.example/r/good__me?a=1';

/** The text with every encoding undone that a reader could undo. */
function bare(text: string): string {
  let now = text.toLowerCase();
  for (let layer = 0; layer < 6; layer++)
    now = decodeHTML(now)
      .replace(/\\u([0-9a-f]{4})/gu, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
      .replace(/%([0-7][0-9a-f])/gu, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  return now.toLowerCase();
}

async function answering(body: string, headers: Record<string, string> = {}): Promise<Kit> {
  const server = await serve((_, response) => response.writeHead(200, headers).end(body));
  const kit = createKit(server.url);
  later(server.close, kit.close);
  return kit;
}

const percent = encodeURIComponent(TOKEN);
const each = (to: (code: number) => string) => [...TOKEN].map((sign) => to(sign.charCodeAt(0))).join('');
const hex = (code: number) => code.toString(16).padStart(2, '0');

type Form = readonly [how: string, text: string];

/** In the text of either format. */
const FORMS: readonly Form[] = [
  ['as it is', TOKEN],
  ['as an address writes it', percent],
  ['in small letters', percent.toLowerCase()],
  ['with a blank for the plus', TOKEN.replace('+', ' ')],
  ['with blanks as an address writes them', TOKEN.replace('+', '%20')],
  ['without its padding', TOKEN.replace('==', '')],
  ['every sign encoded', each((code) => `%${hex(code)}`)],
  ['encoded twice', encodeURIComponent(percent)],
  ['encoded three times', encodeURIComponent(encodeURIComponent(percent))],
];
/** As only one of the formats can write it. */
const IN_JSON: readonly Form[] = [
  ['a slash escaped', TOKEN.replaceAll('/', '\\/')],
  ['signs escaped', TOKEN.replaceAll('=', '\\u003d').replace('+', '\\u002B')],
  ['all escaped', each((code) => `\\u00${hex(code)}`)],
  ['a character reference', TOKEN.replace('/', '&#x2F;')],
  ['a character reference, escaped', TOKEN.replace('/', '\\u0026#47;')],
  ['a percent sign, escaped', percent.replaceAll('%', '\\u0025')],
];
const IN_XML: readonly Form[] = [
  ['character references', TOKEN.replace('/', '&#x2F;').replaceAll('=', '&#61;')],
  ['named ones', TOKEN.replace('/', '&amp;sol;').replaceAll('=', '&amp;equals;').replace('+', '&amp;plus;')],
  ['all signs', each((code) => `&#${code};`)],
  ['twice', each((code) => `&amp;#x${hex(code)};`)],
  ['a percent sign as one', percent.replaceAll('%', '&#37;')],
  ['CDATA', `<![CDATA[${TOKEN}]]>`],
  ['CDATA within', `${TOKEN.slice(0, 6)}<![CDATA[${TOKEN.slice(6)}]]>`],
  ['CDATA escaped', `&lt;![CDATA[${TOKEN}]]&gt;`],
];

const rss = (text: string) => `<rss><channel><link>https://board.example/listing?token=${text}</link>
<item><guid>${text}</guid><title>Rust ${text}</title><link>https://board.example/r/x__me?token=${text}</link>
<url>https://board.example/1?t=${text}</url><description>see ${text}</description><category>${text}</category><other>${text}</other></item>
<item><title>Good</title><link>${GOOD}</link></item></channel></rss>`;
const json = (text: string) => `["you asked with ${text}", [
  {"id": "${text}", "title": "Rust ${text}", "apply_url": "https://board.example/r/x__me?token=${text}", "other": ["${text}"],
   "${text}": 1, "tags": ["${text}"], "description": "<p>see ${text}</p>", "company": "${text}", "salary": "${text}"},
  {"title": "Good", "apply_url": "${GOOD}"}]]`;

describe.each([
  ['rss', rss, [...FORMS, ...IN_XML]],
  ['json', json, [...FORMS, ...IN_JSON]],
] as const)('in %s', (format, feed, forms) => {
  test.each(forms)('removes the token from postings and cache: %s', async (_how, text) => {
    const kit = await answering(feed(text));
    const request = { token: secret(TOKEN), format };
    const answer = await kit.fetch(request);
    const cached = await kit.fetch(request);
    expect(cached).toEqual(answer);
    const [redactor, good] = answer.kind === 'postings' ? answer.postings.map(({ posting }) => posting) : [];
    expect(redactor).toMatchObject({ title: expect.stringContaining('[token taken out]'), badLink: true });
    expect(redactor).not.toHaveProperty('applyUrl');
    expect(good).toMatchObject({ title: 'Good', applyUrl: GOOD });
    const kept = JSON.stringify([answer, [...kit.cache.rows], kit.logs]);
    expect(kept).toContain('Good');
    expect(bare(kept)).not.toContain('7f3a9c');
    // Once, for any number of requests.
    await kit.fetch({ ...request, fresh: true });
    expect(kit.logs).toEqual([
      {
        level: 'warn',
        fields: { account: 'alice' },
        message:
          'the jobs API repeats the token in its answers; it is taken out, and links that hold it are not shown',
      },
    ]);
  });

  test('keeps postings apart whose only name contains the token', async () => {
    const link = (n: number) => `https://board.example/${n}?token=${encodeURIComponent(percent)}`;
    const body =
      format === 'json'
        ? JSON.stringify([[1, 2].map((n) => ({ title: `Job ${n}`, apply_url: link(n) }))])
        : `<rss><channel>${[1, 2].map((n) => `<item><title>Job ${n}</title><link>${link(n)}</link></item>`).join('')}</channel></rss>`;
    const kit = await answering(body);
    const answer = await kit.fetch({ token: secret(TOKEN), format });
    const keys = answer.kind === 'postings' ? answer.postings.map(({ posting }) => posting.key) : [];
    expect(new Set(keys).size).toBe(2);
  });
});

describe('when a poll reads only what is new', () => {
  const warned = {
    level: 'warn',
    fields: { account: 'alice' },
    message:
      'the jobs API repeats the token in its answers; it is taken out, and links that hold it are not shown',
  };

  async function polled(kit: Kit, token: string) {
    const answer = await kit.poll({ token: secret(token), known: { hash: 'another' } });
    if (answer.kind === 'unchanged') throw new Error('it changed');
    return answer.listing.read(new Set(answer.listing.marks));
  }

  test.each([
    ['as it is', TOKEN],
    ['encoded', each((code) => `&#${code};`)],
  ])('it has no token and the keys of a request that reads everything: %s', async (_how, text) => {
    const kit = await answering(
      `<rss><channel><item><guid>${text}</guid><title>Rust ${text}</title><link>https://board.example/r/x__me?token=${text}</link></item></channel></rss>`,
    );
    const read = await polled(kit, TOKEN);
    expect(read.map(({ posting }) => posting)).toMatchObject([
      { title: 'Rust [token taken out]', badLink: true },
    ]);
    await polled(kit, TOKEN);
    expect(kit.logs).toEqual([warned]);
    const whole = await kit.fetch({ token: secret(TOKEN) });
    expect(whole.kind === 'postings' && whole.postings.map(({ keys }) => keys)).toEqual(
      read.map(({ keys }) => keys),
    );
  });

  test('nothing is taken out that is not the token, or when the token could be a word', async () => {
    const kit = await answering(rss('engineer'));
    for (const token of [TOKEN, 'enginee']) {
      const [first] = await polled(kit, token);
      expect(first?.posting).toMatchObject({ title: 'Rust engineer' });
      const kept = await kit.poll({ token: secret(token), known: { hash: 'another' }, keep: true });
      expect(kept).toMatchObject({ kept: true });
    }
    expect(kit.logs).toEqual([]);
  });
});

test('reads a feed that repeats the token outside its postings, and does not cache it', async () => {
  const body = `<rss><channel><link>https://board.example/?token=${TOKEN.replace('/', '&#x2F;')}</link><item><title>Good</title><link>${GOOD}</link></item></channel></rss>`;
  const kit = await answering(body);
  const answer = await kit.fetch({ token: secret(TOKEN) });
  expect(answer.kind === 'postings' && answer.postings[0]?.posting.applyUrl).toBe(GOOD);
  expect(bare(JSON.stringify([...kit.cache.rows]))).not.toContain('7f3a9c');
});

test('finds any token in any encoding', () => {
  const wrappers: ((text: string) => string)[] = [
    encodeURIComponent,
    (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
    (text) => [...text].map((sign) => `&#${sign.codePointAt(0)};`).join(''),
    (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
    (text) => text.replace(/%[0-9A-F]{2}/gu, (one) => one.toLowerCase()),
    (text) => new URLSearchParams({ '': text }).toString().slice(1),
  ];
  const signs = [...'abcXYZ0189+/=-_. &%:~!'];
  const token = fc
    .string({ unit: fc.constantFrom(...signs), minLength: 16, maxLength: 40 })
    .filter((text) => text.replace(/[^a-z0-9]/giu, '').length >= 10 && text.trim() === text);
  fc.assert(
    fc.property(token, fc.array(fc.constantFrom(...wrappers), { maxLength: 4 }), (text, layers) => {
      const redactor = redactorOf(secret(text));
      const wrapped = layers.reduce((inner, wrap) => wrap(inner), text);
      expect(redactor?.isIn(`see https://x.example/?t=${wrapped}&a=1`)).toBe(true);
      expect(redactor?.isIn(redactor.without(`see "${wrapped}" there`))).toBe(false);
      // With characters in between that are invisible or look like markup.
      for (const between of /[%&]/u.test(text) ? [] : ['\u00ad', ' ', '\n+', '<b>', '\u{e0001}'])
        expect(redactor?.isIn(`see ${[...text].join(between)} there`)).toBe(true);
      expect(redactor?.isIn('see https://x.example/?t=another&a=1')).toBe(false);
    }),
    { numRuns: runs(500) },
  );
});

test('does not store a version that contains the token, and stores another one', async () => {
  const named = await answering(json('x'), {
    etag: `"${TOKEN}"`,
    'last-modified': encodeURIComponent(TOKEN),
  });
  const { validator } = await named.fetch({ token: secret(TOKEN), format: 'json' });
  expect(validator).toEqual({ hash: expect.any(String) });
  const other = await answering(json('x'), { etag: '"v1"' });
  expect((await other.fetch({ token: secret(TOKEN), format: 'json' })).validator).toMatchObject({
    etag: '"v1"',
  });
});

test('does not redact a token that is as short as a word', async () => {
  const kit = await answering(json('rust'), { etag: '"rust"' });
  const answer = await kit.fetch({ token: secret('rust'), format: 'json' });
  expect(answer.validator.etag).toBe('"rust"');
  const [first] = answer.kind === 'postings' ? answer.postings : [];
  expect(first?.posting).toMatchObject({ title: 'Rust rust', applyUrl: expect.stringContaining('rust') });
});
