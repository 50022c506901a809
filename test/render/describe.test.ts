// The sentences that describe a subscription to its reader.
import { describe, expect, test } from 'vitest';
import type { Cadence } from '../../src/domain/cadence.js';
import { COUNTRY_SLUGS } from '../../src/domain/countries.js';
import { parseFilter } from '../../src/domain/filter.js';
import { describeCadence, describeFilter, periodOf } from '../../src/render/describe.js';
import { LANGUAGES } from '../../src/render/texts.js';

describe('a filter', () => {
  const whole = {
    tags: ['solidity', 'rust', 'zero-knowledge'],
    remote: true,
    country: 'germany',
    include: ['zk', 'formal methods'],
    exclude: ['intern'],
    minSalary: 80_000,
    payUnknown: 'drop',
  };
  test.each([
    [
      'en',
      'Solidity, Rust or ZK, remote, in Germany, mentioning zk or “formal methods”, from $80k, only with pay stated, without intern',
    ],
    [
      'de',
      'Solidity, Rust oder ZK, remote, Land: Deutschland, mit zk oder „formal methods“, ab $80k, nur mit Gehaltsangabe, ohne intern',
    ],
    [
      'es',
      'Solidity, Rust o ZK, en remoto, en Alemania, que mencionen zk o «formal methods», desde $80k, solo con salario indicado, sin intern',
    ],
    [
      'fr',
      'Solidity, Rust or ZK, remote, in Germany, mentioning zk or “formal methods”, from $80k, only with pay stated, without intern',
    ],
  ])('in %s', (locale, text) => {
    expect(describeFilter(parseFilter(whole), locale)).toBe(text);
  });

  test.each([
    [{}, 'All postings'],
    [{ remote: true }, 'All postings, remote'],
    [{ minSalary: 80_000 }, 'All postings, from $80k'],
    [{ tags: ['defi'] }, 'DeFi'],
    [{ tags: ['front-end', 'web3js'] }, 'Front-end or web3.js'],
    [{ tags: ['rust'], country: 'usa' }, 'Rust, in the United States'],
    [{ tags: ['rust'], country: 'uk' }, 'Rust, in the United Kingdom'],
  ])('%j', (filter, text) => {
    expect(describeFilter(parseFilter(filter), 'en')).toBe(text);
  });

  test.each([
    [
      'en',
      'Rust, senior or staff, not at Acme, preferably in the EU or the time zones UTC-8 to UTC-5, posted in the last 7 days, preferably remote, from €70k, not mentioning “on call”',
    ],
    [
      'de',
      'Rust, Senior oder Staff, nicht bei Acme, am liebsten Region: EU oder Zeitzonen UTC-8 bis UTC-5, aus den letzten 7 Tagen, am liebsten remote, ab €70k, nicht mit „on call“',
    ],
    [
      'es',
      'Rust, de nivel sénior o staff, excepto en Acme, preferiblemente en la UE o las zonas horarias de UTC-8 a UTC-5, publicadas en los últimos 7 días, preferiblemente en remoto, desde €70k, excepto con «on call»',
    ],
  ])('with terms in %s', (locale, text) => {
    const terms = [
      'level: senior, staff',
      'not company: Acme',
      'rather region: EU, US time zones',
      'posted: 7',
      'rather remote',
      'pay: 70k EUR/year',
      'not words: on call',
    ];
    expect(describeFilter(parseFilter({ tags: ['rust'], terms }), locale)).toBe(text);
  });

  test.each(Object.entries(LANGUAGES))(
    'every value of a term has a name in %s',
    (_code, { describe: words }) => {
      const names = {
        level: words.levels,
        contract: words.contracts,
        role: words.roles,
        region: words.regions,
      };
      for (const [term, table] of Object.entries(names))
        expect(() => parseFilter({ terms: [`${term}: x y z`] })).toThrow(
          new RegExp(`wanted .*: ${Object.keys(table).join(', ')}\\.$`, 'u'),
        );
    },
  );

  test('has a name for every country in every language', () => {
    for (const country of COUNTRY_SLUGS)
      for (const locale of ['en', 'de', 'es'])
        expect(describeFilter(parseFilter({ country }), locale)).toMatch(/ \p{Lu}/u);
  });
});

test.each<[Partial<Cadence>, string, string]>([
  [{ every: 'immediate' }, 'en', 'as soon as they appear'],
  [{ every: 'hourly' }, 'en', 'hourly'],
  [{ every: 'daily', at: '08:30' }, 'en', 'daily at 08:30 Europe/Berlin'],
  [{ every: 'weekly', day: 'monday', at: '09:00' }, 'en', 'weekly on Monday 09:00 Europe/Berlin'],
  [{ every: 'weekly', day: 'sunday', at: '09:00' }, 'de', 'wöchentlich am Sonntag um 09:00 Europe/Berlin'],
  [
    { every: 'weekly', day: 'friday', at: '09:00' },
    'es',
    'cada semana, el viernes a las 09:00 Europe/Berlin',
  ],
  [{ every: 'weekly', cron: '* * * * *' }, 'en', 'on the schedule "* * * * *" Europe/Berlin'],
])('the cadence %j in %s', (cadence, locale, text) => {
  expect(describeCadence({ timezone: 'Europe/Berlin', every: 'daily', ...cadence }, locale)).toBe(text);
});

describe('a period', () => {
  const at = (text: string) => Date.parse(text);
  test.each([
    ['a week', '2026-11-16T09:00+01:00', '2026-11-23T09:00+01:00', 'en', '16–22 Nov'],
    ['the week after it', '2026-11-23T09:00+01:00', '2026-11-30T09:00+01:00', 'en', '23–29 Nov'],
    ['a week in German', '2026-11-16T09:00+01:00', '2026-11-23T09:00+01:00', 'de', '16.–22. Nov.'],
    ['a week in Spanish', '2026-11-16T09:00+01:00', '2026-11-23T09:00+01:00', 'es', '16–22 nov'],
    ['over a month', '2026-11-30T09:00+01:00', '2026-12-07T09:00+01:00', 'en', '30 Nov – 6 Dec'],
    ['over a year', '2026-12-28T09:00+01:00', '2027-01-04T09:00+01:00', 'en', '28 Dec 2026 – 3 Jan 2027'],
    ['a day', '2026-11-16T09:00+01:00', '2026-11-17T09:00+01:00', 'en', '16 Nov'],
    ['a day of 23 hours', '2026-03-28T09:00+01:00', '2026-03-29T09:00+02:00', 'en', '28 Mar'],
    ['a week that loses an hour', '2026-03-23T09:00+01:00', '2026-03-30T09:00+02:00', 'en', '23–29 Mar'],
    ['an hour', '2026-11-16T09:00+01:00', '2026-11-16T10:00+01:00', 'en', '16 Nov'],
    ['a first night', '2026-11-15T15:00+01:00', '2026-11-16T09:00+01:00', 'en', '15–16 Nov'],
    ['the last hour of a day', '2026-11-16T23:00+01:00', '2026-11-17T00:00+01:00', 'en', '16 Nov'],
    ['nothing', '2026-11-16T09:00+01:00', '2026-11-16T09:00+01:00', 'en', '16 Nov'],
    ['a clock that went back', '2026-11-16T09:00+01:00', '2026-11-15T09:00+01:00', 'en', '16 Nov'],
  ])('%s', (_what, from, to, locale, text) => {
    expect(periodOf(at(from), at(to), 'Europe/Berlin', locale)).toBe(text);
  });

  test('is in the zone of the reader', () => {
    const [from, to] = [at('2026-11-15T23:00Z'), at('2026-11-22T23:00Z')];
    expect(periodOf(from, to, 'Europe/Berlin', 'en')).toBe('16–22 Nov');
    expect(periodOf(from, to, 'UTC', 'en')).toBe('15–21 Nov');
  });
});
