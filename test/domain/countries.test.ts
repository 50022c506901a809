// The API answers an unknown country with an empty list, so names, codes and free text must map to the right slug.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  COUNTRY_SLUG_PATTERN,
  COUNTRY_SLUGS,
  countryCode,
  countryOfFlag,
  countryOfLocation,
  displayCountry,
  isCountrySlug,
  namesCountry,
  nearestCountries,
  resolveCountry,
} from '../../src/domain/countries.js';
import { COUNTRY_ROWS } from '../../src/domain/country-data.js';
import { CITIES, REGION_CODES, REGIONS } from '../../src/domain/country-places.js';

describe('the list', () => {
  test('has distinct slugs in the form of the API, in order, and distinct codes', () => {
    expect(COUNTRY_SLUGS.length).toBeGreaterThan(240);
    for (const slug of COUNTRY_SLUGS) expect(slug).toMatch(COUNTRY_SLUG_PATTERN);
    expect([...COUNTRY_SLUGS].sort()).toEqual(COUNTRY_SLUGS);
    for (const column of [0, 1, 2, 3] as const) {
      expect(new Set(COUNTRY_ROWS.map((row) => row[column])).size).toBe(COUNTRY_ROWS.length);
    }
  });

  test('has the country of every place', () => {
    for (const slug of [CITIES, REGIONS, REGION_CODES].flatMap(Object.keys)) {
      expect(isCountrySlug(slug), slug).toBe(true);
    }
  });

  test('maps every slug, name and code to its country', () => {
    for (const [slug, two, three, name] of COUNTRY_ROWS) {
      for (const spelling of [slug, name, name.toUpperCase(), two, three.toLowerCase()]) {
        expect(resolveCountry(spelling)?.slug, spelling).toBe(slug);
      }
      expect(countryOfLocation(`Somewhere, ${name}`), name).toBe(slug);
    }
  });
});

describe('what people type', () => {
  test.each([
    ['USA', 'united-states'],
    ['US', 'united-states'],
    ['u.s.', 'united-states'],
    ['U.S.A.', 'united-states'],
    ['America', 'united-states'],
    ['UK', 'united-kingdom'],
    ['GB', 'united-kingdom'],
    ['England', 'united-kingdom'],
    ['Deutschland', 'germany'],
    ['DEU', 'germany'],
    [' Germany ', 'germany'],
    ['Österreich', 'austria'],
    ['UAE', 'united-arab-emirates'],
    ['Czechia', 'czech-republic'],
    ['Türkiye', 'turkey'],
    ['South Korea', 'south-korea'],
    ['Côte d’Ivoire', 'ivory-coast'],
    ['St. Lucia', 'saint-lucia'],
    ['St Lucia', 'saint-lucia'],
    ['D E', 'germany'],
    ['Großbritannien', 'united-kingdom'],
    ['Duitsland', 'germany'],
    ['Saksa', 'germany'],
    ['ドイツ', 'germany'],
    ['Bosnia & Herzegovina', 'bosnia-and-herzegovina'],
  ])('%s is %s, translated', (input, slug) => {
    expect(resolveCountry(input)).toEqual({ slug, exact: false });
  });

  test('accepts a slug only exactly; nonsense and near misses are no country', () => {
    expect(resolveCountry('united-states')).toEqual({ slug: 'united-states', exact: true });
    for (const input of ['', 'Atlantis', 'Germny', 'Europe', '12', '-']) {
      expect(resolveCountry(input), input).toBeUndefined();
    }
    for (const input of ['Germany', 'united states', 'atlantis', 'us', '', undefined]) {
      expect(isCountrySlug(input)).toBe(false);
    }
  });

  test.each([
    ['Germny', 'germany'],
    ['switz', 'switzerland'],
    ['kingdom', 'united-kingdom'],
    ['us', 'united-states'],
    ['portugual', 'portugal'],
    ['peruu', 'peru'],
    ['chat', 'chad'],
  ])('%s is near %s', (input, slug) => {
    expect(nearestCountries(input, 5)).toContain(slug);
  });

  test('suggests the same name first, then names that begin with it, then those with such a word, then misspelt ones', () => {
    expect(nearestCountries('niger')).toEqual(['niger', 'nigeria']);
    expect(nearestCountries('guinea')).toEqual([
      'guinea',
      'equatorial-guinea',
      'guinea-bissau',
      'papua-new-guinea',
    ]);
    expect(nearestCountries('king')).toEqual(['united-kingdom', 'china']);
    expect(nearestCountries('malt')).toEqual(['malta', 'mali']);
    expect(nearestCountries('irak')).toEqual(['iraq', 'iran']);
    expect(nearestCountries('duitsland')).toEqual(['germany']);
    expect(nearestCountries('duitslandd')).toEqual(['germany']);
    // One or two letters are looked for in English only.
    expect(nearestCountries('s', 2)).toEqual(['eswatini', 'finland']);
  });

  test('suggests nothing without a near match, and a code comes first', () => {
    expect(nearestCountries('qqqqqq')).toEqual([]);
    expect(nearestCountries('de', 3)[0]).toBe('germany');
    expect(nearestCountries('', 2)).toEqual(COUNTRY_SLUGS.slice(0, 2));
    expect(nearestCountries('  ')).toEqual(COUNTRY_SLUGS.slice(0, 5));
    expect(nearestCountries('!!')).toEqual([]);
    // Not a name in any language begins with these three letters, and more errors than one in four letters are too many.
    for (const input of ['gxy', 'pexx', 'prtxgxl']) expect(nearestCountries(input), input).toEqual([]);
  });
});

describe('free-text locations', () => {
  test.each([
    ['Berlin, Germany', 'germany'],
    ['NYC, USA', 'united-states'],
    [' Remote, Lisbon Portugal', 'portugal'],
    ['Lisbon', 'portugal'],
    ['Zürich', 'switzerland'],
    ['Zug, CH', 'switzerland'],
    ['San Francisco, CA', 'united-states'],
    ['Toronto, CA', 'canada'],
    ['Palo Alto, CA, USA', 'united-states'],
    ['Potsdam, DE', 'germany'],
    ['Smallville, DE', 'germany'],
    ['Smallville, CA', 'united-states'],
    ['London, Ontario', 'canada'],
    ['London, ON', 'canada'],
    ['Paris, TX', 'united-states'],
    ['Atlanta, Georgia', 'united-states'],
    ['Tbilisi, Georgia', 'georgia'],
    ['Albuquerque, New Mexico', 'united-states'],
    ['Newark, New Jersey', 'united-states'],
    ['Mexico City', 'mexico'],
    ['Panama City, Panama', 'panama'],
    ['Remote (US)', 'united-states'],
    ['Remote - U.S.', 'united-states'],
    ['US Remote', 'united-states'],
    ['Dubai, UAE', 'united-arab-emirates'],
    ['São Paulo', 'brazil'],
    ['Hong Kong', 'hong-kong'],
    ['Singapore, Singapore', 'singapore'],
    ['Berlin / London', 'germany'],
    ['Remote or Vienna', 'austria'],
    ['Toronto  or  Berlin', 'canada'],
    ['Port Moresby, Papua New Guinea', 'papua-new-guinea'],
    ['Ho Chi Minh City', 'vietnam'],
    ['Chicago, IL', 'united-states'],
    ['Tel Aviv, IL', 'israel'],
    ['SEOUL, SOUTH KOREA', 'south-korea'],
    ['Washington, D.C.', 'united-states'],
    ['NYC', 'united-states'],
    ['SF', 'united-states'],
    ['BERLIN, DE', 'germany'],
    ['REMOTE, US, WORK IN OFFICE', 'united-states'],
    ['日本', 'japan'],
    ['Remote Germany (CET, 9 AM to 5 PM)', 'germany'],
    ['Texas, Georgia', 'united-states'],
    ['Remote DE office', 'germany'],
    ['CH - LAB', 'switzerland'],
    ['CH (HQ)', 'switzerland'],
    ['SMALLVILLE, CH', 'switzerland'],
    ['Smallville, CH...', 'switzerland'],
    ['Remote, AUS', 'australia'],
    ['St. John, NB', 'canada'],
    [`${'x'.repeat(490)}, Germany`, 'germany'],
  ])('%s lies in %s', (location, slug) => {
    expect(countryOfLocation(location)).toBe(slug);
  });

  test.each([
    '',
    ' ',
    'Remote',
    'Worldwide',
    'Europe',
    'EU',
    'EMEA',
    'Anywhere in the world',
    'work with us',
    'GMT+2',
    'Remote (EST)',
    'REMOTE IN OFFICE',
    'HYBRID AND REMOTE',
    'REMOTE, CH OFFICE',
    'The xCH and CHx',
    `${'x'.repeat(500)}, Germany`,
  ])('%j names no country', (location) => {
    expect(countryOfLocation(location)).toBeUndefined();
  });

  test('any text gives a slug of the list or nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const slug = countryOfLocation(text);
        expect(slug === undefined || isCountrySlug(slug)).toBe(true);
      }),
    );
  });
});

test.each([
  ['united-states', 'United States'],
  ['hong-kong', 'Hong Kong'],
  ['middle-earth', 'Middle Earth'],
])('%s is shown as %s', (slug, name) => {
  expect(displayCountry(slug)).toBe(name);
});

test.each([
  ['Berlin, Germany', 'germany', true],
  ['Bosnia & Herzegovina', 'bosnia-and-herzegovina', true],
  ['Auckland, New Zealand', 'new-zealand', true],
  ['Berlin, FR', 'germany', false],
  ['Berlin, DE', 'germany', true],
  ['Remote (U.S.)', 'united-states', true],
  ['Holland', 'netherlands', true],
  ['Berlin', 'germany', false],
  ['trabajo de Berlin', 'germany', false],
  ['Berlin, DEx', 'germany', false],
  ['Germanytown', 'germany', false],
  [`${'x'.repeat(500)} Germany`, 'germany', false],
])('%s names %s: %s', (location, slug, does) => {
  expect(namesCountry(location, slug)).toBe(does);
});

test.each([
  ['🇩🇪 Berlin', 'germany'],
  ['Berlin 🇩🇪', undefined],
  ['🇩', undefined],
  ['🇿🇿', undefined],
  ['DE', undefined],
  ['', undefined],
])('the flag of %j is that of %s', (text, slug) => {
  expect(countryOfFlag(text)).toBe(slug);
});

test('a country has a code of two letters', () => {
  expect([countryCode('germany'), countryCode('middle-earth')]).toEqual(['DE', undefined]);
});
