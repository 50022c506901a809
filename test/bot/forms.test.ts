// Typed input of any form becomes a filter, a time, a zone, or one sentence that helps.
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { countryChoices, formOf, readFilter, tagChoices } from '../../src/bot/forms/filter.js';
import {
  cadenceForm,
  parseAt,
  pollSchedule,
  readQuiet,
  readWhen,
  readZone,
} from '../../src/bot/forms/when.js';
import { nearestZones, resolveZone, zoneChoices } from '../../src/bot/forms/zones.js';
import { CADENCE } from '../../src/domain/cadence.js';
import { UserError } from '../../src/domain/errors.js';
import { parseFilter } from '../../src/domain/filter.js';
import { isTimezone } from '../../src/domain/schedule.js';
import { textsFor } from '../../src/render/texts.js';

const en = textsFor('en');
const de = textsFor('de');

function faultOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('a filter', () => {
  test('translates clear input', () => {
    const form = { tags: 'ZK, Front End,rust, rust', country: 'USA', minSalary: '$80k', remote: true };
    expect(parseFilter(readFilter(form, en))).toMatchObject({
      tags: ['zero-knowledge', 'front-end', 'rust'],
      country: 'united-states',
      minSalary: 80_000,
      remote: true,
    });
  });

  test.each([
    ['80000', 80_000],
    ['80', 80_000],
    ['80k', 80_000],
    ['€95,000', 95_000],
    ['120.000 USD', 120_000],
    ['80.5k', 80_500],
    ['80,5k', 80_500],
    ['0', undefined],
    ['', undefined],
  ])('reads pay %j as %j', (minSalary, amount) => {
    expect(readFilter({ minSalary }, en).minSalary).toBe(amount);
  });

  test('reports every fault together, with the nearest choice, in the requested language', () => {
    const form = { tags: 'rusty, solidty', country: 'germny', minSalary: 'lots', include: 'x'.repeat(61) };
    const fault = faultOf(() => readFilter(form, en));
    expect(fault).toMatch(/“rusty”.*rust/u);
    expect(fault).toMatch(/“solidty”.*solidity/u);
    expect(fault).toMatch(/“germny”.*Germany/u);
    expect(fault).toMatch(/“lots” is not a yearly pay/u);
    expect(fault).toMatch(/at most 20 words/u);
    expect(faultOf(() => readFilter(form, de))).toMatch(/Meintest du.*Deutschland/su);
  });

  test.each(['11 tags', '-1', 'free text with 12 numbers 13'])('refuses %j as pay', (minSalary) => {
    expect(faultOf(() => readFilter({ minSalary }, en))).toContain('yearly pay');
  });

  test('refuses an eleventh tag, because each is a request', () => {
    const tags = 'ai,backend,bitcoin,crypto,cto,dao,defi,design,devops,erc,evm';
    expect(faultOf(() => readFilter({ tags }, en))).toContain('at most 10');
  });

  test.each([
    ['a comma, and more', 'C++'],
    ['say "hi", twice', '"quoted"'],
    ['a; b', '“curly”, „low“'],
    ['6" disks'],
  ])('keeps words with commas and quotes whole when a form is saved: %j', (...words) => {
    const filter = parseFilter({ include: words, exclude: words });
    expect(parseFilter(readFilter(formOf(filter), en))).toEqual(filter);
  });

  test.each([
    ['"San Francisco, CA", remote', ['San Francisco, CA', 'remote']],
    ['“San Francisco, CA”, remote', ['San Francisco, CA', 'remote']],
    ['„Köln, Bonn“; rust', ['Köln, Bonn', 'rust']],
    ['6" disks, "open, rust', ['6" disks', '"open', 'rust']],
    ['"a" b, c', ['"a" b', 'c']],
    [' ,, a ,\n a', ['a']],
  ])('reads the words %j', (include, words) => {
    expect(readFilter({ include }, en).include).toEqual(words);
  });

  test('is the same after it was shown in a form and read again', () => {
    const filter = parseFilter({
      tags: ['rust', 'zero-knowledge'],
      country: 'germany',
      include: ['proof', 'smart contract'],
      exclude: ['intern'],
      minSalary: 90_000,
    });
    expect(parseFilter(readFilter(formOf(filter), en))).toEqual(filter);
  });
});

describe('suggestions', () => {
  test('for tags complete the last word and keep the earlier ones', () => {
    const choices = tagChoices('solidity, rus');
    expect(choices[0]).toEqual({ name: 'Solidity, Rust', value: 'solidity, rust' });
    expect(choices.length).toBeLessThanOrEqual(25);
    expect(tagChoices('rust, ').map((choice) => choice.value)).not.toContain('rust, rust');
    expect(tagChoices('zk, sol')[0]?.value).toMatch(/^zero-knowledge, sol/u);
  });

  test('are the usual ones before typing, 25 at most', () => {
    expect(tagChoices('')).toHaveLength(25);
    expect(tagChoices('').map((choice) => choice.value)).toContain('solidity');
    expect(countryChoices('', en)).toHaveLength(25);
    expect(zoneChoices('', [], 0)).toHaveLength(25);
  });

  test('are never longer than Discord accepts', () => {
    const long = `${'customer-support, community-manager, developer-relations, economy-designer, project-manager'}, `;
    for (const { name, value } of tagChoices(long)) {
      expect(name.length).toBeLessThanOrEqual(100);
      expect(value.length).toBeLessThanOrEqual(100);
    }
    expect(tagChoices('x'.repeat(3000))).toEqual([]);
  });

  test('for countries are in the language of the reader', () => {
    expect(countryChoices('deutsch', de)[0]).toEqual({ name: 'Deutschland', value: 'germany' });
    expect(countryChoices('usa', en)[0]?.value).toBe('united-states');
  });

  test.each([
    ['Grossbritanien', 'united-kingdom'],
    ['Großbritannien', 'united-kingdom'],
    ['Grosbritannien', 'united-kingdom'],
    ['Gran Bretaña', 'united-kingdom'],
    ['Германия', 'germany'],
    ['герман', 'germany'],
    ['Україна', 'ukraine'],
    ['США', 'united-states'],
    ['Tschechien', 'czech-republic'],
    ['Reino Unido', 'united-kingdom'],
    ['Ελλάδα', 'greece'],
    ['韓国', 'south-korea'],
  ])('for countries find %j', (typed, slug) => {
    expect(countryChoices(typed, de)[0]?.value).toBe(slug);
    const free = (() => {
      try {
        return readFilter({ country: typed }, en).country;
      } catch {
        return faultOf(() => readFilter({ country: typed }, en)).match(/Did you mean (.*)\?/u)?.[1];
      }
    })();
    expect([slug, countryChoices(slug, en)[0]?.name]).toContain(free);
  });

  test.each(['UTC+2', 'Remote', 'weltweit', 'Берлин', 'qqqqqq', '🇩🇪🇩🇪', 'EU', 'Программист'])(
    'for countries find nothing for %j',
    (typed) => {
      expect(countryChoices(typed, en)).toEqual([]);
      expect(faultOf(() => readFilter({ country: typed }, en))).toContain('Pick one from the list');
    },
  );

  test.each(['раст', 'Программист', 'Германия', '日本', '🦀', 'UTC+2', '.net', 'lawyer', 'Buchhalter'])(
    'for tags find nothing for %j',
    (typed) => {
      expect(tagChoices(typed)).toEqual([]);
      expect(tagChoices(`rust, ${typed}`)).toEqual([]);
      expect(faultOf(() => readFilter({ tags: typed }, en))).toContain('Pick one from the list');
    },
  );

  test('for zones find cities, with the current time there', () => {
    const noon = Date.UTC(2026, 0, 1, 12);
    expect(zoneChoices('berl', [], noon)[0]).toEqual({
      name: 'Europe/Berlin (13:00)',
      value: 'Europe/Berlin',
    });
    expect(zoneChoices('', ['Asia/Tokyo'], noon)[0]?.value).toBe('Asia/Tokyo');
    expect(nearestZones('new york', 5)[0]).toBe('America/New_York');
  });
});

describe('a time', () => {
  test.each([
    ['09:00', { at: '09:00' }],
    ['9', { at: '09:00' }],
    ['9am', { at: '09:00' }],
    ['9:30 pm', { at: '21:30' }],
    ['12am', { at: '00:00' }],
    ['12 p.m.', { at: '12:00' }],
    ['21.15 Uhr', { at: '21:15' }],
    ['monday 9:00', { day: 'monday', at: '09:00' }],
    ['Fri', { day: 'friday' }],
    ['Montag um 8', { day: 'monday', at: '08:00' }],
    ['lunes a las 10', { day: 'monday', at: '10:00' }],
    ['miercoles 10:00', { day: 'wednesday', at: '10:00' }],
  ])('%j is understood', (text, wanted) => {
    expect(parseAt(text, 'en-GB')).toEqual(wanted);
  });

  test('with a day abbreviation of two meanings is read in the language of the reader', () => {
    expect(parseAt('do 9', 'de-DE')).toMatchObject({ day: 'thursday' });
    expect(parseAt('do 9', 'es-ES')).toMatchObject({ day: 'sunday' });
  });

  test.each(['25:00', '9:61', '13pm', 'soon', 'monday tuesday', '', '9:00:00', 'at'])(
    '%j is refused',
    (text) => {
      expect(parseAt(text, 'en-GB')).toBeUndefined();
    },
  );

  test('alone means daily, a day means weekly, and both replace what was left out', () => {
    expect(readWhen({ at: '9am' }, en, 'live')).toEqual({ every: 'daily', at: '09:00' });
    expect(readWhen({ at: 'tuesday' }, en, 'live')).toEqual({ every: 'weekly', at: '09:00', day: 'tuesday' });
    expect(readWhen({ every: 'weekly' }, en, 'live')).toEqual({
      every: 'weekly',
      at: '09:00',
      day: 'monday',
    });
    expect(readWhen({}, en, 'live')).toEqual({ every: 'live' });
  });

  test('that does not fit is refused', () => {
    expect(faultOf(() => readWhen({ every: 'live', at: '9' }, en, 'live'))).toContain('daily or weekly');
    expect(faultOf(() => readWhen({ every: 'daily', at: 'monday 9' }, en, 'live'))).toContain('weekday');
    expect(faultOf(() => readWhen({ at: 'whenever' }, de, 'live'))).toContain('verstehe ich nicht');
    expect(faultOf(() => readWhen({ every: 'often' }, en, 'live'))).toContain('often');
  });

  test('becomes a cadence that the domain accepts', () => {
    const weekly = readWhen({ every: 'wöchentlich', at: 'Mo 8:30' }, de, 'live');
    expect(v.parse(CADENCE, cadenceForm(weekly))).toEqual({ every: 'weekly', day: 'monday', at: '08:30' });
    expect(v.parse(CADENCE, cadenceForm({ every: 'live' }))).toEqual({ every: 'immediate' });
  });

  test('of a digest is polled like a live subscription, hourly at the least', () => {
    expect(pollSchedule({ every: 'weekly' }, '*/15 * * * *', 0)).toBe('live');
    expect(pollSchedule({ every: 'weekly' }, '0 9 * * *', 0)).toBe('hourly');
    expect(pollSchedule({ every: 'live' }, '0 9 * * *', 0)).toBe('live');
  });
});

describe('a zone', () => {
  test.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['berlin', 'Europe/Berlin'],
    ['New York', 'America/New_York'],
    ['São Paulo', 'America/Sao_Paulo'],
    ['CET', 'Europe/Berlin'],
    ['pst', 'America/Los_Angeles'],
    ['utc', 'UTC'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
  ])('%j is %s', (text, zone) => {
    expect(resolveZone(text)).toBe(zone);
    expect(isTimezone(zone)).toBe(true);
  });

  const winter = Date.UTC(2026, 0, 15, 12);
  test.each([
    ['UTC+2', ['Europe/Kyiv', 'Europe/Berlin']],
    ['utc +2', ['Europe/Kyiv', 'Europe/Berlin']],
    ['+02:00', ['Europe/Kyiv', 'Europe/Berlin']],
    ['GMT+1', ['Europe/Berlin', 'Europe/Paris']],
    ['UTC−3', ['America/Argentina/Buenos_Aires', 'America/Sao_Paulo']],
    ['-5', ['America/New_York', 'America/Toronto']],
    ['UTC+05:30', ['Asia/Kolkata']],
    ['+5:45', ['Asia/Katmandu']],
    ['Deutschland', ['Europe/Berlin']],
    ['Grossbritanien', ['Europe/London']],
    ['Германия', ['Europe/Berlin']],
    ['London, UK', ['Europe/London']],
    ['Berlin Germany', ['Europe/Berlin']],
    ['Madrd', ['Europe/Madrid']],
  ])('%j is asked for again, with matching places', (text, zones) => {
    expect(resolveZone(text)).toBeUndefined();
    const near = nearestZones(text, 25, [], winter);
    expect(near.map((zone) => (zone === 'Asia/Kathmandu' ? 'Asia/Katmandu' : zone))).toEqual(
      expect.arrayContaining(zones),
    );
    expect(zones).toContain(near[0] === 'Asia/Kathmandu' ? 'Asia/Katmandu' : near[0]);
    expect(faultOf(() => readZone(text, en, winter))).toContain(`Did you mean ${near[0]}`);
    expect(zoneChoices(text, [], winter)[0]?.value).toBe(near[0]);
  });

  test('accepts an offset by the time of year, the present one first', () => {
    const summer = Date.UTC(2026, 6, 15, 12);
    expect(nearestZones('UTC+2', 1, ['Europe/Berlin'], summer)).toEqual(['Europe/Berlin']);
    expect(nearestZones('UTC+2', 1, [], winter)).toEqual(['Europe/Kyiv']);
    for (const zone of nearestZones('UTC+2', 25, [], summer))
      expect(['+02:00', '+01:00', '+03:00']).toContain(
        new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
          .formatToParts(summer)
          .find(({ type }) => type === 'timeZoneName')
          ?.value.slice(3),
      );
    expect(resolveZone('UTC+0')).toBe('UTC');
    expect(resolveZone('GMT')).toBe('UTC');
  });

  test.each(['Берлин', 'Лондон', '東京', 'Remote', 'uhr', 'qqqq', '🕘', 'UTC+25', 'Mitteleuropa', '2'])(
    '%j is near no zone, so none is suggested',
    (text) => {
      expect(nearestZones(text, 25)).toEqual([]);
      expect(zoneChoices(text, ['Europe/Berlin'], 0)).toEqual([]);
      expect(faultOf(() => readZone(text, en))).toMatch(/no time zone|not a time zone.*Write it like/u);
    },
  );

  test('that is not known is answered with the nearest', () => {
    expect(faultOf(() => readZone('Berlinn', en))).toContain('Europe/Berlin');
    expect(faultOf(() => readZone('!!', en))).toContain('Europe/Berlin');
    expect(resolveZone('')).toBeUndefined();
  });
});

describe('quiet hours', () => {
  test.each([
    ['22:00-7:00', '22:00', '07:00'],
    ['22 – 7', '22:00', '07:00'],
    ['10pm to 7am', '22:00', '07:00'],
    ['22 Uhr bis 7 Uhr', '22:00', '07:00'],
    ['22:30 a 6:15', '22:30', '06:15'],
  ])('reads %j', (text, from, to) => {
    expect(readQuiet(text, en)).toEqual({ from, to });
  });

  test.each(['at night', '22', '22-22', '22-7-9', 'monday 22-7', '25-7'])('refuses %j', (text) => {
    expect(faultOf(() => readQuiet(text, en))).toContain('quiet hours');
  });

  test('are none when the text is empty', () => {
    expect(readQuiet(' ', en)).toBeUndefined();
  });
});
