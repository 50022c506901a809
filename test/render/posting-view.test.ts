// What a reader sees of a posting, in any language and with any missing field; and what programs get.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attributionFaults } from '../../src/domain/attribution.js';
import type { EditionPosting } from '../../src/domain/edition.js';
import type { Reason } from '../../src/domain/fit.js';
import { parsePosting } from '../../src/domain/posting.js';
import { cardView } from '../../src/render/card-view.js';
import { digestView } from '../../src/render/digest-view.js';
import { cardText } from '../../src/render/discord/card.js';
import { digestLine } from '../../src/render/discord/digest.js';
import { machineEdition, toMachine } from '../../src/render/machine.js';
import {
  matchedWords,
  type PostingView,
  type ViewOptions,
  viewPosting,
} from '../../src/render/posting-view.js';
import { SAMPLE_LINKS, sampleDelivery } from '../../src/render/samples.js';
import { renderTerminalEdition } from '../../src/render/terminal-edition.js';
import { en, textsFor } from '../../src/render/texts.js';
import { renderTelegram } from '../../src/sinks/telegram/message.js';
import { anyCharacter } from '../helpers/any-character.js';
import { testTemplates } from '../helpers/mail.js';
import { runs } from '../helpers/runs.js';

const NOW = Date.parse('2026-11-18T10:00:00Z');
const LINK = 'https://board.example/r/x?a=1&b=2&amp;c';

function view(fields: Partial<EditionPosting>, options: Partial<ViewOptions> = {}): PostingView {
  const posting = { key: 'id:1', matched: [], ...fields };
  return viewPosting(posting, { locale: 'en', source: 'Example Board', now: NOW, ...options });
}

test('the same day is written in the language of each reader', () => {
  const ages = ['en', 'de', 'es', 'en'].map((locale) => view({ postedAt: '2026-10-19' }, { locale }).age);
  expect(ages).toEqual(['19 Oct 2026', '19. Okt. 2026', '19 oct 2026', '19 Oct 2026']);
});

test('what was wanted and is met is a reason, in the language of the reader', () => {
  const matched = ['rust', 'rather level: senior', 'rather region: eu', 'rather good', 'zk'];
  const why = (locale: string) => matchedWords({ key: 'id:1', matched }, textsFor(locale));
  expect(why('en')).toBe('Rust, senior, in the EU, rather good and zk');
  expect(why('de')).toBe('Rust, Senior, Region: EU, rather good und zk');
  expect(view({ matched }).fits).toBe('matches: senior and in the EU');
});

test('the last day to apply is quoted, in the words of the posting, until it has passed', () => {
  const applyBy = { day: '2026-11-18', words: 'Bewerbungsschluss: 18.11.2026' };
  expect(view({ applyBy }).applyBy).toBe('“Bewerbungsschluss: 18.11.2026”');
  expect(view({ applyBy }, { locale: 'de' }).applyBy).toBe('„Bewerbungsschluss: 18.11.2026“');
  expect(view({ applyBy }, { now: NOW + 86_400_000 }).applyBy).toBeUndefined();
  const late = Date.parse('2026-11-19T05:00:00Z');
  expect(view({ applyBy }, { now: late, timezone: 'America/Los_Angeles' }).applyBy).toBeDefined();
  expect(view({}).applyBy).toBeUndefined();
});

test('the last day to apply is on cards, in lists, in mails and on a terminal', () => {
  const delivery = sampleDelivery();
  const [first] = delivery.postings;
  const applyBy = { day: '2026-12-11', words: 'Apply by 11 December 2026' };
  const posting = { ...first, key: 'id:1', matched: [], applyBy };
  const options = { locale: 'en', source: 'Example Board', now: NOW, timezone: 'UTC' };
  const card = cardView(viewPosting(posting, options), en, true);
  for (const text of [
    cardText(posting, options),
    digestLine(posting, options),
    card.plain,
    card.plainRow,
    card.remark,
    card.line,
    renderTelegram({ ...delivery, postings: [posting] }).text,
    renderTelegram({ ...delivery, postings: [posting], every: 'immediate' }).text,
    renderTerminalEdition({ ...delivery, ...options, postings: [posting], columns: 100, color: false }),
  ])
    expect(text).toContain('“Apply by 11 December 2026”');
});

test.each([
  ['en', 'matches: Rust; pays at least $90k', 'like 1 of your saved postings; names its pay'],
  ['de', 'passt: Rust; zahlt mindestens $90k', 'ähnlich wie 1 deiner gemerkten Stellen; nennt das Gehalt'],
  ['es', 'coincide: Rust; paga al menos $90k', 'parecida a 1 de tus ofertas guardadas; indica el salario'],
])('the two strongest reasons are said in %s', (locale, first, second) => {
  const fits = (...reasons: readonly Reason[]) => view({ fit: { score: 80, reasons } }, { locale }).fits;
  expect(fits({ term: 'pay', values: ['90000 USD/year'] }, { term: 'tag', values: ['rust'] })).toBe(first);
  expect(fits({ saved: 1 }, { named: 'pay' })).toBe(second);
  expect(fits()).toBeUndefined();
});

test('text of a posting becomes no link in a mail, a feed or a terminal; the apply link is unchanged', () => {
  const applyUrl = 'https://t.me/r/x?call=15551234567&m=a@b.example';
  const posting: EditionPosting = {
    key: 'id:1',
    matched: ['t.me/why'],
    title: 'Apply at t.me/title',
    company: 'acme.company',
    location: 'call 555 123 4567',
    salary: '$100k at bit.ly/pay',
    description: 'Write to jobs@acme.example',
    tags: ['a.example'],
    applyUrl,
  };
  const LINKS = /t\.me\/(?:why|title)|acme\.company|123 4567|bit\.ly|jobs@|acme\.example|\ba\.example/u;
  const delivery = { ...sampleDelivery('immediate'), postings: [posting, { ...posting, key: 'id:2' }] };
  const templates = testTemplates();
  const mail = templates.render('alert', 'en', digestView(delivery, { now: NOW, links: SAMPLE_LINKS }));
  const shared = { more: 0, source: 'x', about: 'y', locale: 'en', timezone: 'UTC', now: NOW };
  const terminal = renderTerminalEdition({ ...shared, postings: [posting], columns: 100, color: false });
  // The title of the page is the subject, in which no program makes links.
  const html = mail.html.replace(/<title>[^<]*/u, '');
  for (const output of [html, mail.text, terminal, JSON.stringify(view(posting))]) {
    const bare = output.replaceAll(applyUrl, '').replaceAll(applyUrl.replaceAll('&', '&amp;'), '');
    expect(bare.length).toBeLessThan(output.length);
    expect(bare).not.toMatch(LINKS);
    // It looks the same.
    expect(bare.replaceAll('\u200c', '')).toMatch(/t\.me\/title/u);
  }
});

test('shows all fields of a posting', () => {
  expect(
    view({
      title: 'Rust Developer',
      company: 'Acme',
      location: ' , Berlin, ',
      remote: true,
      salary: '$80k - 120k',
      pay: { min: 1 },
      estimatedPay: { min: 2 },
      tags: ['rust', 'defi', 'zero-knowledge', 'a', 'b', 'c', 'd', 'e'],
      description: '<p>Build it.</p><p>When applying, mention the word KOALA to show you read it.</p>',
      postedAt: '2026-11-16',
      matched: ['rust', 'zero-knowledge', 'zk proofs'],
      seenBefore: '2026-09-02',
      applyUrl: LINK,
      url: 'https://board.example/jobs/1',
    }),
  ).toEqual({
    key: 'id:1',
    title: 'Rust Developer',
    company: 'Acme',
    place: 'Berlin · Remote',
    pay: '$80k - 120k',
    tags: ['Rust', 'DeFi', 'ZK', 'A', 'B', 'C'],
    moreTags: 2,
    age: '2 days ago',
    snippet: 'Build it.',
    fits: 'matches: Rust; names its pay',
    reasons: ['Rust'],
    seenBefore: 'seen before, first on 2 Sept 2026',
    applyUrl: LINK,
  });
});

test('says that the reader applied to the same job, rather than that it was seen before', () => {
  const both = { appliedOn: '2026-03-03', seenBefore: '2026-02-01' };
  expect(view(both).seenBefore).toBe('you applied to this on 3 Mar 2026');
});

test('shows no missing field of an empty one', () => {
  expect(view({})).toEqual({
    key: 'id:1',
    title: 'Untitled posting',
    tags: [],
    moreTags: 0,
    reasons: [],
    noLink: en.card.noLink,
  });
  expect(view({ badLink: true, url: 'https://board.example/jobs/1' })).toMatchObject({
    noLink: en.card.linkWithheld,
  });
});

test.each<[Partial<EditionPosting>, string | undefined]>([
  [{ location: 'Berlin' }, 'Berlin'],
  [{ location: 'Berlin', remote: false }, 'Berlin'],
  [{ location: 'Remote', remote: true }, 'Remote'],
  [{ location: 'Remote, EU', remote: true }, 'EU · Remote'],
  [{ location: ' Remote, Lisbon Portugal', remote: true }, 'Lisbon Portugal · Remote'],
  [{ location: 'Remote (US)', remote: true }, 'US · Remote'],
  [{ location: 'Remote in Europe' }, 'Europe · Remote'],
  [{ location: 'Fully Remote' }, 'Remote'],
  [{ location: 'Berlin (Remote)', remote: true }, 'Berlin · Remote'],
  [{ location: 'Berlin, Berlin, Germany;' }, 'Berlin, Germany'],
  [{ location: 'Anywhere', remote: true }, 'Remote'],
  [{ location: 'Anywhere' }, 'Anywhere'],
  // Not the meaning of the word alone.
  [{ location: 'Berlin (no remote)' }, 'Berlin (no remote)'],
  [{ location: 'Remote-friendly, Berlin', remote: true }, 'Remote-friendly, Berlin'],
  [{ location: 'Remote, Berlin', remote: false }, 'Remote, Berlin'],
  [{ remote: true }, 'Remote'],
  [{ remote: false }, 'On site'],
  [{ location: ' ,;- ' }, undefined],
  // Without flags, with the country that the posting has in a separate field.
  [{ location: '🇩🇪 Berlin' }, 'Berlin'],
  [{ location: '🇺🇸', remote: true }, 'United States · Remote'],
  [{ location: '🏴󠁧󠁢󠁳󠁣󠁴󠁿 Edinburgh' }, 'Edinburgh'],
  [{ location: 'Berlin', country: 'germany' }, 'Berlin, Germany'],
  [{ location: 'Berlin, germany' }, 'Berlin, Germany'],
  [{ location: 'united-states' }, 'United States'],
  [{ location: 'Berlin, DE', country: 'germany' }, 'Berlin, DE'],
  [{ location: 'Lisbon Portugal', country: 'portugal' }, 'Lisbon Portugal'],
  [{ location: 'Austin, US', country: 'usa' }, 'Austin, US'],
  [{ location: 'London', country: 'germany' }, 'London'],
  [{ location: 'Remote', country: 'germany' }, 'Germany · Remote'],
  [{ location: 'Worldwide', country: 'germany', remote: true }, 'Remote'],
  [{ country: 'germany', remote: true }, 'Germany · Remote'],
  [{ location: 'Berlin', country: 'nowhere' }, 'Berlin'],
  [{}, undefined],
])('the place of %j is %s', (fields, place) => {
  expect(view(fields).place).toBe(place);
});

test('names a country in the language of the reader', () => {
  const posting = { location: 'Berlin', country: 'germany' };
  expect(view(posting, { locale: 'de' }).place).toBe('Berlin, Deutschland');
  expect(view({ ...posting, location: 'Berlin, Germany' }, { locale: 'es' }).place).toBe('Berlin, Germany');
});

test.each<[Partial<EditionPosting>, string | undefined, true | undefined]>([
  [{ salary: 'Competitive' }, 'Competitive', undefined],
  [{ pay: { min: 80_000, max: 90_000, currency: 'EUR', unit: 'year' } }, '€80k–90k', undefined],
  [{ pay: { min: 2000, max: 2000, currency: 'EUR', unit: 'month' } }, '€2k/Monat', undefined],
  [{ pay: { max: 90_000 } }, 'bis zu 90k', undefined],
  [{ estimatedPay: { min: 80_000, currency: 'USD' } }, '$80k+, geschätzt von Example Board', true],
  [{ pay: {}, estimatedPay: {} }, undefined, undefined],
])('the pay of %j is %s', (fields, pay, estimated) => {
  const shown = view(fields, { locale: 'de' });
  expect([shown.pay, shown.payEstimated]).toEqual([pay, estimated]);
});

test.each<[string, string | undefined, string | undefined]>([
  ['$140,000 - $180,000 plus tokens', '$140k–180k + tokens', '$140,000 - $180,000 plus tokens'],
  ['$80k - $120k', '$80k–120k', undefined],
  ['CHF 120,000 - 150,000 per year', '120k–150k CHF', undefined],
  ['$52,728 – $98,134', '$52.7k–98.1k', '$52,728 – $98,134'],
  ['€70k (about $75k)', '€70k', '€70k (about $75k)'],
  ['€70k ($75k)', '€70k', '€70k ($75k)'],
  // No short form is certain.
  ['80k - 120k', '80k - 120k', undefined],
  ['20 days off, competitive', '20 days off, competitive', undefined],
])('%s is shown as %s, with the words %s', (salary, pay, words) => {
  const { posting } = parsePosting({ title: 'x', salary })!;
  expect(view(posting)).toMatchObject({ pay });
  expect(view(posting).payWords).toBe(words);
});

test('shortens a description to the available space', () => {
  const description = 'Build bridges that many people trust.';
  const shown = (room: Partial<ViewOptions>) => view({ description }, room).snippet;
  expect([shown({}), shown({ snippet: 20 })]).toEqual([description, 'Build bridges that…']);
  expect(view({ description }, { snippet: 0 })).not.toHaveProperty('snippet');
});

test.each([
  ['2026-11-18', 'today'],
  ['2026-11-19', 'today'],
  ['2026-11-17', 'yesterday'],
  ['2026-10-20', '29 days ago'],
  ['2026-10-19', '19 Oct 2026'],
  ['2026-12-24', '24 Dec 2026'],
])('%s is %s', (postedAt, age) => {
  expect(view({ postedAt }).age).toBe(age);
});

test('today is the day of the reader', () => {
  const late = { now: Date.parse('2026-11-18T23:30:00Z') };
  expect(view({ postedAt: '2026-11-18' }, late).age).toBe('today');
  expect(view({ postedAt: '2026-11-18' }, { ...late, timezone: 'Asia/Tokyo' }).age).toBe('yesterday');
});

test('uses English for an unknown language', () => {
  const shown = (locale: string) => view({ remote: true, postedAt: '2026-11-16' }, { locale });
  expect([shown('de').age, shown('es-MX').age, shown('fr').age]).toEqual([
    'vor 2 Tagen',
    'hace 2 días',
    '2 days ago',
  ]);
  expect(shown('es').title).toBe('Oferta sin título');
});

test('addresses in the text do not become links beside the apply link', () => {
  const shown = view({
    title: 'Dev https://board.example/jobs/1',
    company: 'www.evil.example',
    location: 'https://evil.example Berlin',
    salary: 'see https://x.example/pay',
    description: 'Read https://board.example/jobs/1 and apply',
    tags: ['https://x.example/', 'rust'],
  });
  expect(shown).toMatchObject({
    title: 'Dev',
    place: 'Berlin',
    pay: 'see',
    snippet: 'Read and apply',
    tags: ['Rust'],
  });
  expect(shown).not.toHaveProperty('company');
});

describe('for programs', () => {
  test('leaves missing fields out, and the estimate is not the salary', () => {
    expect(toMachine({ key: 'id:1', matched: [], estimatedPay: { min: 1, unit: 'year' } }, 'B')).toEqual({
      key: 'id:1',
      title: en.card.noTitle,
      matched: [],
      source: 'B',
    });
  });

  test('has the last day to apply with the words that say so, unless they have an address', () => {
    const applyBy = (words: string) =>
      toMachine({ key: 'id:1', matched: [], applyBy: { day: '2026-12-11', words } }, 'B').applyBy;
    expect(applyBy('Apply by 11 December 2026')).toEqual({
      day: '2026-12-11',
      words: 'Apply by 11 December 2026',
    });
    expect(applyBy('Apply at https://a.example by 11 December 2026')).toBeUndefined();
  });

  test("has the employer's words, otherwise the employer's figure", () => {
    const salary = (fields: Partial<EditionPosting>) =>
      toMachine({ key: 'id:1', matched: [], ...fields }, 'B').salary;
    expect(salary({ salary: 'Competitive', pay: { min: 1 } })).toBe('Competitive');
    expect(salary({ pay: { min: 80_000, max: 90_000, currency: 'USD', unit: 'year' } })).toBe(
      '$80k–$90k / year',
    );
    expect(salary({ pay: {} })).toBeUndefined();
  });
});

describe('for any posting', () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 300 }),
    fc.constantFrom(
      'https://board.example/jobs/1',
      `See ${LINK}.`,
      '<b>x</b>',
      '\u001b[31m',
      'a\r\nb',
      '&amp;',
    ),
  );
  const raws = fc.record(
    {
      id: fc.nat(),
      title: text,
      company: text,
      location: text,
      remote: fc.boolean(),
      description: text,
      tags: fc.array(text, { maxLength: 10 }),
      apply_url: fc.oneof(fc.constant(LINK), text),
      url: fc.oneof(fc.constant('https://board.example/jobs/1'), text),
      salary: text,
      postedAt: fc.oneof(text, fc.constant('2026-11-17')),
    },
    { requiredKeys: ['title'] },
  );
  const postings = fc
    .tuple(raws, fc.array(text, { maxLength: 3 }))
    .map(([raw, matched]) => ({ key: 'id:0', ...parsePosting(raw)?.posting, matched }));

  test('text is clean and limited, and the link is unchanged', () => {
    fc.assert(
      fc.property(postings, (posting) => {
        const { applyUrl, noLink, key: _key, tags, ...words } = view(posting);
        expect(applyUrl).toBe(posting.applyUrl);
        expect(noLink === undefined).toBe(applyUrl !== undefined);
        for (const word of [...Object.values(words), ...tags]) {
          if (typeof word !== 'string') continue;
          expect(word).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e]|https?:\/\/./iu);
          expect(word.trim()).toBe(word);
          expect(word.length).toBeLessThanOrEqual(300);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  test('cards and JSON pass the guard', () => {
    fc.assert(
      fc.property(
        fc.array(postings, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 0, max: 130 }),
        (list, columns) => {
          const edition = {
            edition: 'e',
            subscription: 's',
            postings: list,
            more: 0,
            source: 'B',
            locale: 'en',
          };
          const json = JSON.stringify(machineEdition(edition));
          expect(attributionFaults({ format: 'json', body: json, note: en.card.note }, list)).toEqual([]);
          const body = renderTerminalEdition({
            ...edition,
            about: 'Rust',
            timezone: 'UTC',
            now: NOW,
            columns,
            color: true,
          });
          expect(attributionFaults({ format: 'text', body, note: en.card.note }, list)).toEqual([]);
        },
      ),
      { numRuns: runs(300) },
    );
  });
});
