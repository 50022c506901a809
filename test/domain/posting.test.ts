// For any names and contents of the fields in a feed, the result has one form, the link is unchanged, and the same
// posting is recognized again.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  calendarDay,
  idInLink,
  keysMeant,
  likeness,
  nameOf,
  parsePosting,
  postingKeys,
  usableLink,
} from '../../src/domain/posting.js';
import { anyCharacter } from '../helpers/any-character.js';
import { runs } from '../helpers/runs.js';

const LINK = 'https://board.example/r/x?a=1&b=2&amp;c';
const linkOf = (id: string) =>
  `https://b.example/r/${[...Buffer.from(id).toString('base64')].reverse().join('')}__me`;
const read = (raw: Record<string, unknown>) => parsePosting(raw)?.posting;

describe('both formats', () => {
  test('use the names of the specification', () => {
    expect(
      read({
        id: '7',
        title: 'Rust Developer',
        company: 'Acme',
        location: 'Berlin',
        remote: true,
        description: '<p>Hi</p>',
        tags: ['rust', 'Solidity'],
        apply_url: LINK,
        url: 'https://board.example/jobs/7',
        salary: '$80k - $120k',
        postedAt: '2026-11-16',
        featured: { until: 3 },
      }),
    ).toEqual({
      key: 'id:7',
      id: '7',
      title: 'Rust Developer',
      company: 'Acme',
      location: 'Berlin',
      remote: true,
      description: '<p>Hi</p>',
      tags: ['rust', 'solidity'],
      applyUrl: LINK,
      url: 'https://board.example/jobs/7',
      salary: '$80k - $120k',
      pay: { min: 80_000, max: 120_000, currency: 'USD' },
      postedAt: '2026-11-16',
      extra: { featured: { until: 3 } },
    });
  });

  test('use the names seen in practice', () => {
    expect(
      read({
        id: 7,
        title: 'Partnerships &amp; Growth',
        is_remote: '1',
        city: null,
        country: 'United States',
        location: '  ',
        date: 'Mon, 16 Nov 2026 23:30:00 -0500',
        date_epoch: 1_800_000_000,
        salary_min_value: '120000',
        salary_max_value: 80_000,
        salary_currency: 'eur',
        salary_unit: 'YEAR',
        estimated_avg_salary: '90000',
        link: LINK,
      }),
    ).toEqual({
      key: 'id:7',
      id: '7',
      title: 'Partnerships & Growth',
      location: 'United States',
      country: 'united-states',
      remote: true,
      applyUrl: LINK,
      pay: { min: 80_000, max: 120_000, currency: 'EUR', unit: 'year' },
      estimatedPay: { min: 90_000, max: 90_000, currency: 'EUR', unit: 'year' },
      postedAt: '2026-11-16',
    });
  });

  test('read a feed item with CDATA and categories', () => {
    const posting = read({
      title: ' Dev\n ',
      link: `\n  ${LINK}\n`,
      guid: LINK,
      description: '<![CDATA[<p>First</p>]]>',
      categories: ['Rust', { _: 'x' }, ''],
    });
    expect(posting).toMatchObject({
      title: 'Dev',
      applyUrl: LINK,
      description: '<p>First</p>',
      tags: ['rust'],
    });
  });

  test.each([{}, { title: ' ' }, { remote: true, tags: ['rust'] }, { title: null, id: {} }])(
    '%j is no posting',
    (raw) => {
      expect(parsePosting(raw)).toBeUndefined();
    },
  );

  test.each<[Record<string, unknown>, object]>([
    [{ company_name: 'Acme' }, { company: 'Acme' }],
    [{ company: '<![CDATA[]]>' }, {}],
    [
      { city: 'Zug', country: 'Switzerland' },
      { location: 'Zug, Switzerland', country: 'switzerland' },
    ],
    [{ country: 'United  States' }, { location: 'United States', country: 'united-states' }],
    [{ content: '<p>Hi</p>' }, { description: '<p>Hi</p>' }],
    [{ tags: 'Rust, solidity,rust,' }, { tags: ['rust', 'solidity'] }],
    [
      { tags: Array.from({ length: 51 }, (_, n) => n) },
      { tags: Array.from({ length: 50 }, (_, n) => `${n}`) },
    ],
    [{ posted_at: '2026-11-16' }, { postedAt: '2026-11-16' }],
    [{ pubDate: 'Mon, 16 Nov 2026 23:30:00 GMT' }, { postedAt: '2026-11-16' }],
    [{ remote: 'TRUE' }, { remote: true }],
    [{ remote: ' yes ' }, { remote: true }],
    [{ remote: 1 }, { remote: true }],
    [{ remote: 'False' }, { remote: false }],
    [{ remote: '0' }, { remote: false }],
    [{ remote: 'no' }, { remote: false }],
    [{ remote: false, is_remote: true }, { remote: false }],
    [{ remote: 'hybrid', is_remote: true }, { remote: true }],
    [{ remote: 'hybrid' }, {}],
    [{ url: Number.NaN, title: Number.POSITIVE_INFINITY }, {}],
    [{ salary_min_value: 80_000 }, { pay: { min: 80_000 } }],
    [{ salary_max_value: 90_000, salary_min_value: 0 }, { pay: { max: 90_000 } }],
    [{ salary_min_value: Number.POSITIVE_INFINITY, salary_max_value: ' ' }, {}],
    [
      { salary_min_value: 5, salary_unit: 'MONTH', salary: '€4 or so' },
      { salary: '€4 or so', pay: { min: 5, currency: 'EUR', unit: 'month' } },
    ],
    [{ salary_min_value: 5, salary_currency: `${'x'.repeat(19)} € here` }, { pay: { min: 5 } }],
    [
      { salary_min_value: 5, salary: 'competitive' },
      { salary: 'competitive', pay: { min: 5 } },
    ],
    [{ estimated_max_salary: 9 }, { estimatedPay: { max: 9, unit: 'year' } }],
    [
      { estimated_min_salary: 5, estimated_max_salary: 9, estimated_avg_salary: 7 },
      { estimatedPay: { min: 5, max: 9, unit: 'year' } },
    ],
  ])('%j is read as %j', (raw, fields) => {
    expect(read({ id: 1, ...raw })).toEqual({ key: 'id:1', id: '1', ...fields });
  });

  test.each<Record<string, unknown>>([
    { title: 'Dev' },
    { company: 'Acme' },
    { apply_url: LINK },
    { id: 1 },
    { url: 'https://board.example/jobs/1' },
  ])('%j is a posting', (raw) => {
    expect(read(raw)).toMatchObject(raw.id ? { id: '1' } : {});
    expect(read(raw)).toBeDefined();
  });

  test('never use the estimate as the pay', () => {
    const posting = read({ id: 1, estimated_min_salary: 50_000, salary_currency: '<script>' });
    expect(posting).not.toHaveProperty('pay');
    // Its currency is not stated, so it is not in dollars.
    expect(posting?.estimatedPay).toEqual({ min: 50_000, unit: 'year' });
  });
});

describe('the apply link', () => {
  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    '//board.example/r/x',
    '/r/x',
    'not a URL',
    'https://user:pass@board.example/r/x',
    'https://user@board.example/r/x',
    'https://board.example/r/x y',
    'https://board.example/r/x\ny',
    'https://board.example/"onclick=x',
    'https://board.example/<b>',
    'https://board.example/r/\u202egpj',
    'https://board.example/r/\u200bx',
    'https://board.example/r/\ud800',
    'https://',
    'https://board.example:99999/',
    `https://board.example/${'x'.repeat(2027)}`,
    'https://:pass@board.example/r/x',
    'xhttps://board.example/r/x',
  ])('%j is withheld, and nothing replaces it', (link) => {
    const posting = read({ title: 'Dev', apply_url: link, url: 'https://board.example/jobs/1' });
    expect(posting).toMatchObject({ badLink: true, title: 'Dev' });
    expect(posting).not.toHaveProperty('applyUrl');
  });

  test.each([
    'http://board.example/r/x',
    'HTTPS://board.example',
    `https://board.example/${'x'.repeat(2026)}`,
  ])('%j is sent', (link) => {
    expect(read({ title: 'Dev', apply_url: link })?.applyUrl).toBe(link);
  });

  test('is not bad if it is missing', () => {
    const posting = read({ title: 'Dev', url: 'https://board.example/jobs/1' });
    expect(posting).not.toHaveProperty('badLink');
    expect(posting).not.toHaveProperty('applyUrl');
  });

  const anything = fc.oneof(
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.string({ unit: anyCharacter }),
    fc.string().map((tail) => `https://board.example/r/${tail}`),
  );

  test('is returned unchanged, or not at all', () => {
    fc.assert(
      fc.property(anything, (link) => {
        const posting = read({ title: 'Dev', apply_url: link });
        // White space around an address in XML is not part of it.
        if (posting?.applyUrl !== undefined) expect(posting.applyUrl).toBe(link.trim());
        else expect(posting?.badLink === true || link.trim() === '').toBe(true);
        expect(usableLink(link.trim())).toBe(posting?.applyUrl !== undefined);
      }),
    );
  });
});

describe('keys', () => {
  test('are ordered by strength: id, guid, url, id in the link, link', () => {
    const code = [...Buffer.from('8123').toString('base64')].reverse().join('');
    const link = `https://board.example/r/${code}__me`;
    expect(idInLink(link)).toBe('8123');
    expect(idInLink(link.padEnd(2048, 'e'))).toBe('8123');
    const keys = postingKeys({ id: '7', guid: 'g', url: 'https://board.example/jobs/7', link });
    expect(keys).toEqual([
      'id:7',
      'guid:g',
      expect.stringMatching(/^url#[0-9a-f]{40}$/u),
      'id:8123',
      expect.stringMatching(/^link#[0-9a-f]{40}$/u),
    ]);
  });

  test('do not include a guid or listing address that repeats the link', () => {
    expect(postingKeys({ guid: LINK, url: LINK, link: LINK })).toEqual(postingKeys({ link: LINK }));
  });

  test('of a reduced record include one of the complete record', () => {
    const code = [...Buffer.from('8123').toString('base64')].reverse().join('');
    const link = `https://board.example/r/${code}__me`;
    const whole = parsePosting({
      id: 8123,
      title: 'Dev',
      company: 'Acme',
      apply_url: link,
      url: 'https://x.example/1',
    });
    const thin = parsePosting({ title: 'Dev', apply_url: link });
    expect(whole?.keys).toContain(thin?.posting.key);
  });

  test('contain no address, and a person can find each by what they have', () => {
    const url = 'https://board.example/jobs/7';
    const keys = postingKeys({ guid: `${url}?guid`, url, link: LINK });
    expect(keys.join()).not.toContain('//');
    for (const [index, text] of [`${url}?guid`, url, LINK].entries())
      expect(keysMeant(text)).toContain(keys[index]);
    expect(keysMeant(keys[0] ?? '')).toContain(keys[0]);
    expect(keysMeant('7')).toEqual(['7', 'id:7', 'guid:7', 'url:7', 'link:7']);
    expect(keysMeant('https://board.example/r/=EzM__me')).toContain('id:31');
  });

  test('are company, title and date if there is nothing else', () => {
    const key = (date: string) => parsePosting({ title: 'Dev', company: 'Acme', date })?.posting.key;
    expect(key('2026-11-16')).toMatch(/^hash:[0-9a-f]{40}$/u);
    expect(key('2026-11-16')).toBe(key('2026-11-16T08:00:00Z'));
    expect(key('2026-11-16')).not.toBe(key('2026-11-17'));
    // Stored for months, so that it must stay the same: sha256 of "acme\ndev\n2026-11-16".
    expect(key('2026-11-16')).toBe('hash:a8ba803e04f0465cf4484612877c67c11e6c1404');
    expect(postingKeys({ company: 'Acme' })).toEqual(['hash:51cd50247156d5bceb0950be9642e549e4634809']);
  });

  test.each([
    ['other bytes', 'https://b.example/r/zzz__me'],
    ['nothing', 'https://b.example/r/__me'],
    ['far too much', `https://b.example${'/r/'.repeat(300_000)}`],
    ['an id in a link that is too long', `https://b.example/r/=EzM__${'x'.repeat(2023)}`],
    ['a word before the digits', linkOf('a31')],
    ['a word after the digits', linkOf('31a')],
    ['19 digits', linkOf('1'.repeat(19))],
  ])('%s in the link is no id', (_name, link) => {
    expect(idInLink(link)).toBeUndefined();
  });

  test('are shortened if they are long, and stay distinct', () => {
    const [one, two] = ['a', 'b'].map((tail) => postingKeys({ id: 'x'.repeat(500) + tail })[0]);
    expect(one?.length).toBeLessThan(60);
    expect(one).not.toBe(two);
  });
});

test.each([
  ['2026-11-16', '2026-11-16'],
  ['2026-11-16T23:30:00-05:00', '2026-11-16'],
  ['Mon, 16 Nov 2026 23:30:00 +0000', '2026-11-16'],
  [1_794_787_200, '2026-11-16'],
  ['1794787200000', '2026-11-16'],
  ['5 January  2026', '2026-01-05'],
  ['5  Feb 2026', '2026-02-05'],
  ['999999999', '2001-09-09'],
  ['12345678', undefined],
  ['on 2026-11-16', undefined],
  ['2026-02-31', undefined],
  ['31 Foo 2026', undefined],
  ['yesterday', undefined],
  [null, undefined],
])('%j is the day %s', (value, day) => {
  expect(calendarDay(value)).toBe(day);
});

test('a repost is alike, and another place is not', () => {
  const alike = (location: string) =>
    likeness({ key: 'id:1', company: 'Acme, Inc.', title: 'Rust  Dev', location });
  expect(alike('Berlin')).toBe(
    likeness({ key: 'x', company: 'ACME Inc', title: 'rust dev', location: 'berlin' }),
  );
  expect(alike('Berlin')).not.toBe(alike('Paris'));
  expect(likeness({ key: 'x', title: 'Dev' })).toBeUndefined();
  expect(likeness({ key: 'x', company: 'Acme' })).toBeUndefined();
  expect(likeness({ key: 'x', company: 'Ac me', title: 'Dev' })).not.toBe(
    likeness({ key: 'x', company: 'Acme', title: 'Dev' }),
  );
  // Stored, so that both must stay the same.
  expect(likeness({ key: 'x', company: 'Acme', title: 'Dev' })).toBe('9iVjLYy8c4');
  expect(alike('Berlin')).toBe('3GfWfZVOP4');
});

test('the name of a posting is its title with its company, in any case', () => {
  expect(nameOf({ key: 'x', title: 'Rust Dev', company: 'Caf\u00e9' })).toBe('0G8uAtW5iT');
  expect(nameOf({ key: 'x', title: 'rust dev', company: 'CAFE\u0301' })).toBe('0G8uAtW5iT');
  expect(nameOf({ key: 'x', title: 'Rust Dev' })).toBe('bXKCkPi5Al');
  expect(nameOf({ key: 'x', company: 'Acme' })).toBeUndefined();
});

describe('for any input', () => {
  const names = fc.constantFrom(
    ...(
      'id guid title company company_name location city country remote is_remote description content tags ' +
      'categories apply_url link url salary postedAt date date_epoch pubDate salary_min_value salary_max_value ' +
      'salary_currency salary_unit estimated_min_salary estimated_avg_salary other __proto__'
    ).split(' '),
  );
  const value = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.string({ unit: 'grapheme' }),
    fc.double(),
    fc.bigInt(),
    fc.constantFrom(null, undefined, '', ' ', true, false, 'true', '0', 'https://board.example/r/x'),
    fc.array(fc.oneof(fc.string(), fc.constant(null), fc.object())),
    fc.object(),
  );
  const raws = fc.array(fc.tuple(names, value)).map((pairs) => Object.fromEntries(pairs));

  test('never throws; no field is empty, null or undefined; text is one clean line', () => {
    fc.assert(
      fc.property(raws, (raw) => {
        const result = parsePosting(raw);
        if (!result) return;
        const { extra: _extra, description: _description, ...rest } = result.posting;
        for (const [name, field] of Object.entries(rest)) {
          expect([name, field]).not.toEqual([name, undefined]);
          expect(field).not.toBe('');
          expect(field).not.toBeNull();
        }
        for (const text of [rest.title, rest.company, rest.location, rest.salary])
          expect(text ?? '').not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e]/u);
        expect(result.keys[0]).toBe(rest.key);
        expect(result.keys.every((key) => key.length <= 200)).toBe(true);
      }),
      { numRuns: runs(500) },
    );
  });

  test('the same record has the same keys, in any order of its fields and after JSON', () => {
    const plain = fc
      .array(fc.tuple(names, fc.oneof(fc.string(), fc.integer(), fc.constant(null))))
      .map((pairs) => Object.fromEntries(pairs));
    fc.assert(
      fc.property(plain, (raw) => {
        const keys = parsePosting(raw)?.keys;
        expect(parsePosting(Object.fromEntries(Object.entries(raw).reverse()))?.keys).toEqual(keys);
        expect(parsePosting(JSON.parse(JSON.stringify(raw)))?.keys).toEqual(keys);
      }),
    );
  });
});
