// Sample data for templates. `mail preview` and `mail lint` show it where there is no real data, and every edited
// template must render it before it is used. It has each field at least once, and a posting without any.
import type { EditionPosting } from '../domain/edition.js';
import { parseFilter } from '../domain/filter.js';
import type { Delivery } from '../ports/sink.js';
import type { Week } from './chart.js';
import { describeFilter, describeTags } from './describe.js';
import { digestView, type PageLinks } from './digest-view.js';
import { confirmView, dataRequestView, noticeView } from './mail-views.js';
import type { Samples } from './templates.js';

const DAY = 86_400_000;
const FILTER = parseFilter({ tags: ['solidity', 'rust'], remote: true, minSalary: 80_000 });
const NOW = Date.UTC(2026, 10, 23, 8);

const ROWS: readonly (readonly [string, string, string, boolean | undefined, string, number?, number?])[] = [
  ['Senior Solidity Engineer', 'Meridian Labs', 'Berlin, Germany', true, 'solidity', 110_000, 150_000],
  ['Smart Contract Auditor', 'Halyard Security', 'Lisbon, Portugal', true, 'solidity', 130_000, 180_000],
  ['Protocol Engineer (Rust)', 'Basalt', 'Zürich, Switzerland', false, 'rust', 140_000, 190_000],
  ['Zero-Knowledge Researcher', 'Basalt', 'Remote', true, 'rust', 160_000, 220_000],
  ['Rust Developer, Light Clients', 'Basalt', 'Remote', true, 'rust'],
  ['Rust Developer, Networking', 'Basalt', 'Remote', true, 'rust'],
  ['DeFi Backend Engineer', 'Tidewater', 'London, United Kingdom', undefined, 'solidity', 90_000, 120_000],
  ['Junior Solidity Developer', 'Copperfield', 'Madrid, Spain', false, 'solidity', 45_000, 60_000],
];

/** Realistic postings. Links use the reserved domain example.org. */
export function samplePostings(): readonly EditionPosting[] {
  const full = ROWS.map(([title, company, location, remote, tag, min, max], index): EditionPosting => {
    return {
      key: `id:sample-${index}`,
      title,
      company,
      location,
      ...(remote === undefined ? {} : { remote }),
      description: 'You will work in a small team on code that many people trust with their money.',
      tags: [tag, 'defi', 'backend'],
      matched: [tag],
      applyUrl: `https://jobs.example.org/r/sample${index}__partner?utm_source=board&ref=${index}`,
      ...(min === undefined ? {} : { pay: { min, ...(max ? { max } : {}), currency: 'USD', unit: 'year' } }),
      postedAt: new Date(NOW - index * DAY).toISOString().slice(0, 10),
      ...(index === 3 ? { seenBefore: '2026-09-01' } : {}),
    };
  });
  const estimatedPay = { min: 80_000, max: 95_000, currency: 'USD', unit: 'year' } as const;
  return [
    ...full,
    { key: 'id:sample-guess', title: 'Community Manager', matched: [], estimatedPay, badLink: true },
    { key: 'id:sample-bare', matched: [] },
  ];
}

/**
 * Links that a template may break although it renders plain ones correctly: long, in upper and lower case, with
 * encoded characters, with characters that mean something in HTML, and with nothing after the path.
 */
const HARD_LINKS: readonly string[] = [
  'https://jobs.example.org/r/plain__Partner',
  `https://Jobs.example.org/R/Long__Partner?utm_source=board&ref=${'Aa0-'.repeat(150)}`,
  'https://jobs.example.org/r/signs__p?a=%2Fx%20y+z&b=~(1)&c=\'2\'&d="3"&e=&copy=1#Apply',
  'https://jobs.example.org/r/%C3%BCber__p/?q=é&lt=1',
];

/** Postings of one company, so that some of them are folded under "More from …". */
function hardPostings(): readonly EditionPosting[] {
  return [...HARD_LINKS, ...HARD_LINKS.map((link) => link.replace('.org/', '.org/x/'))].map(
    (applyUrl, index) => ({
      key: `id:hard-${index}`,
      title: `Engineer ${index}`,
      company: 'Basalt',
      tags: ['rust'],
      matched: ['rust'],
      applyUrl,
    }),
  );
}

export function sampleWeeks(): readonly Week[] {
  return [9, 14, 7, 18, 12, 22, 16, 27].map((count, index) => ({
    from: NOW - (8 - index) * 7 * DAY,
    count,
  }));
}

/** A delivery of {@link samplePostings}; `every` decides which kind of mail it becomes. */
export function sampleDelivery(every: Delivery['every'] = 'weekly', locale = 'en'): Delivery {
  const timezone = 'Europe/Berlin';
  const cadence =
    every === 'weekly'
      ? { every, day: 'monday' as const, at: '09:00', timezone }
      : { every, timezone, ...(every === 'daily' ? { at: '09:00' } : {}) };
  return {
    edition: 'sampleedition0000001',
    subscription: 'sample',
    account: 'sample',
    destination: { id: 'sample', sink: 'email', target: 'reader@example.org', cadence },
    every,
    from: NOW - 7 * DAY,
    slot: NOW,
    part: 0,
    parts: 1,
    postings: every === 'immediate' ? samplePostings().slice(0, 2) : samplePostings(),
    more: 0,
    source: 'Example Jobs',
    about: describeFilter(FILTER, locale),
    tags: FILTER.tags,
    locale,
    attempt: 1,
  };
}

const PAGE = 'https://crier.example.org';

export const SAMPLE_LINKS: PageLinks = {
  unsubscribe: `${PAGE}/unsubscribe/sample`,
  preferences: `${PAGE}/preferences/sample`,
  browser: `${PAGE}/editions/sample`,
};

const NO_LINKS: PageLinks = { unsubscribe: null, preferences: null, browser: null };

/** Every kind of mail, once with all fields and once with as few as possible. */
export function sampleMails(locale = 'en'): Samples['mails'] {
  const source = 'Example Jobs';
  const full = { now: NOW, links: SAMPLE_LINKS, weeks: sampleWeeks(), chartSrc: 'cid:chart' };
  const bare = { now: NOW, links: NO_LINKS };
  const pages = (every: Delivery['every']) => {
    const delivery = sampleDelivery(every, locale);
    const least: Delivery = { ...delivery, postings: samplePostings().slice(-1), more: 3, part: 1, parts: 2 };
    const hard: Delivery = { ...delivery, postings: hardPostings() };
    return [digestView(delivery, full), digestView(least, bare), digestView(hard, full)];
  };
  const { about } = sampleDelivery('weekly', locale);
  return {
    digest: pages('weekly'),
    alert: pages('immediate'),
    confirm: [
      confirmView({
        locale,
        source,
        about: describeTags(FILTER.tags, locale),
        url: `${PAGE}/confirm/sample`,
        hours: 48,
      }),
      confirmView({ locale, source, url: `${PAGE}/confirm/sample`, hours: 48 }),
      ...(['export', 'erase'] as const).map((what) =>
        dataRequestView({ what, locale, source, url: `${PAGE}/confirm/sample`, hours: 1 }),
      ),
    ],
    notice: [
      noticeView({
        locale,
        source,
        about,
        text: 'The API token was refused.',
        url: `${PAGE}/preferences/sample`,
      }),
      noticeView({ locale, source, text: 'The API token was refused.' }),
    ],
  };
}
