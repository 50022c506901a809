// Sample data for templates. `mail preview` and `mail lint` show it where there is no real data, and every edited
// template must render it before it is used. It has each field at least once, and a posting without any.
import { defined } from '../domain/defined.js';
import type { EditionPosting } from '../domain/edition.js';
import { parseFilter } from '../domain/filter.js';
import type { Reminder, ReminderKind } from '../domain/reminders.js';
import type { Delivery, QuietWeek } from '../ports/sink.js';
import type { Week } from './chart.js';
import { describeFilter, describeTags } from './describe.js';
import { digestView, type PageLinks } from './digest-view.js';
import { confirmView, linkView, noticeView, type ReminderView, reminderView } from './mail-views.js';
import { renderNotice } from './notice.js';
import { quietView } from './quiet-view.js';
import type { Samples } from './templates.js';

const DAY = 86_400_000;
const FILTER = parseFilter({ tags: ['solidity', 'rust'], remote: true, minSalary: 80_000 });
const NOW = Date.UTC(2026, 10, 23, 8);

/** Best first, one a day. */
const ROWS: readonly Partial<EditionPosting>[] = [
  {
    title: 'Senior Solidity Engineer',
    company: 'Meridian Labs',
    location: 'Berlin, Germany',
    remote: true,
    tags: ['solidity', 'defi', 'typescript'],
    pay: { min: 140_000, max: 180_000, currency: 'USD' },
    salary: '$140,000 - $180,000 plus tokens',
    description:
      'Write and test the contracts of a lending market that has settled 600,000 loans without a loss. You join a team of six.',
  },
  {
    title: 'Smart Contract Auditor',
    company: 'Halyard Security',
    location: 'Remote in Europe',
    remote: true,
    tags: ['solidity', 'smart-contract', 'evm'],
    pay: { min: 130_000, max: 180_000, currency: 'USD', unit: 'year' },
    description:
      'Read code that other people wrote, find what they missed, and explain it so that they can fix it. Two auditors look at each contract.',
  },
  {
    title: 'Protocol Engineer (Rust)',
    company: 'Basalt',
    location: 'Zürich, Switzerland',
    remote: true,
    tags: ['rust', 'zero-knowledge', 'layer-2'],
    pay: { min: 140_000, max: 190_000, currency: 'USD', unit: 'year' },
    applyBy: { day: '2026-12-11', words: 'Apply by 11 December 2026' },
    description:
      'Work on the client that orders blocks for eleven rollups. You own a part of it by your third month, from the design to the pager.',
  },
  {
    title: 'Zero-Knowledge Researcher',
    company: 'Basalt',
    location: 'Remote',
    remote: true,
    tags: ['rust', 'zero-knowledge', 'research'],
    pay: { min: 160_000, max: 220_000, currency: 'USD', unit: 'year' },
  },
  {
    title: 'Rust Developer, Light Clients',
    company: 'Basalt',
    location: 'Remote',
    remote: true,
    tags: ['rust', 'mobile'],
    pay: { min: 120_000, currency: 'USD', unit: 'year' },
  },
  {
    title: 'Rust Developer, Networking',
    company: 'Basalt',
    location: ' , Lisbon, Portugal',
    remote: true,
    tags: ['rust', 'backend'],
  },
  {
    title: 'DeFi Backend Engineer',
    company: 'Tidewater',
    location: 'Bengaluru, India',
    tags: ['solidity', 'defi', 'backend'],
    pay: { min: 3_000_000, max: 4_500_000, currency: 'INR' },
    salary: '₹30,00,000 – ₹45,00,000',
  },
  {
    title: 'Junior Solidity Developer',
    company: 'Copperfield',
    location: 'Madrid, Spain',
    remote: false,
    tags: ['solidity', 'entry-level'],
    pay: { min: 2000, max: 2000, currency: 'EUR', unit: 'month' },
  },
];

/** Realistic postings. Links use the reserved domain example.org. */
export function samplePostings(): readonly EditionPosting[] {
  const full = ROWS.map((row, index): EditionPosting => {
    return {
      ...row,
      key: `id:sample-${index}`,
      matched: (row.tags ?? []).slice(0, 1),
      applyUrl: `https://jobs.example.org/r/sample${index}__partner?utm_source=board&ref=${index}`,
      postedAt: new Date(NOW - index * DAY).toISOString().slice(0, 10),
      ...defined({ seenBefore: index === 3 ? '2026-09-01' : undefined }),
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

/**
 * Postings of one company, so that some of them are folded under "More from …". The first, a pick, and the last, a row,
 * are in two places.
 */
function hardPostings(): readonly EditionPosting[] {
  const links = ['', 'x/'].flatMap((folder) =>
    HARD_LINKS.map((link) => link.replace('.org/', `.org/${folder}`)),
  );
  const hard = (applyUrl: string, index: number, name = '', location = 'Berlin'): EditionPosting => ({
    key: `id:hard-${index}${name}`,
    title: `Engineer ${index}`,
    company: 'Basalt',
    location,
    tags: ['rust'],
    matched: ['rust'],
    applyUrl,
  });
  const [first = '', ...others] = links.map((link) => link.replace('.org/', '.org/y/'));
  const last = others.at(-1) ?? '';
  return [
    ...links.map((link, index) => hard(link, index)),
    hard(first, 0, '-y', 'Lisbon, Portugal'),
    hard(last, links.length - 1, '-y', 'Porto'),
  ];
}

/** A reminder of a sample posting. */
export function sampleReminder(kind: ReminderKind): Reminder {
  const applyBy = { day: '2026-11-27', words: 'Apply by 27 November 2026' };
  const { applyUrl, ...posting } = samplePostings()[0] as EditionPosting;
  const link = kind === 'deadline' ? defined({ applyUrl }) : {};
  return { kind, at: Date.UTC(2026, 10, 17), timezone: 'UTC', posting: { ...posting, ...link, applyBy } };
}

/** What the reminder says. */
export function sampleReminderText(reminder: Reminder, locale: string): string {
  return renderNotice({ kind: 'reminder', subject: '', account: '', text: '', reminder }, locale);
}

function sampleReminderView(kind: ReminderKind, locale: string): ReminderView {
  const reminder = sampleReminder(kind);
  return reminderView(reminder, { locale, text: sampleReminderText(reminder, locale) });
}

export function sampleWeeks(): readonly Week[] {
  return [9, 14, 7, 18, 12, 22, 16, 10].map((count, index) => ({
    from: NOW - (8 - index) * 7 * DAY,
    count,
  }));
}

/** A week in which `misses` postings nearly matched, 0 to 2. */
export function sampleQuietWeek(misses: number, locale = 'en'): QuietWeek {
  const { account, subscription, destination, from, slot, about, source } = sampleDelivery('weekly', locale);
  const rules = ['minSalary: 80000', 'exclude: mobile'];
  const near = [samplePostings()[7], samplePostings()[4]].flatMap((posting) => posting ?? []);
  return {
    ...{ account, subscription, destination, from, slot, about, source, locale },
    misses: near.slice(0, misses).map((posting, index) => ({ posting, rule: rules[index] ?? '' })),
  };
}

/** A delivery of {@link samplePostings}; `every` decides which kind of mail it becomes. */
export function sampleDelivery(every: Delivery['every'] = 'weekly', locale = 'en'): Delivery {
  const timezone = 'Europe/Berlin';
  const cadence =
    every === 'weekly'
      ? { every, day: 'monday' as const, at: '09:00', timezone }
      : { every, timezone, ...defined({ at: every === 'daily' ? '09:00' : undefined }) };
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

/** The page that saves or hides a posting. */
const sampleFeedback = () => `${PAGE}/feedback/sample`;

const NO_LINKS: PageLinks = { unsubscribe: null, preferences: null, browser: null };

/** Every kind of mail, once with all fields and once with as few as possible. */
export function sampleMails(locale = 'en'): Samples['mails'] {
  const source = 'Example Jobs';
  const full = {
    now: NOW,
    links: SAMPLE_LINKS,
    feedback: sampleFeedback,
    weeks: sampleWeeks(),
    chartSrc: 'cid:chart',
  };
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
    quiet: [
      quietView(sampleQuietWeek(2, locale), { ...SAMPLE_LINKS, browser: null }),
      quietView(sampleQuietWeek(0, locale), NO_LINKS),
    ],
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
        linkView({ what, locale, source, url: `${PAGE}/confirm/sample`, minutes: 60 }),
      ),
      linkView({ what: 'manage', locale, source, url: `${PAGE}/manage/sample`, minutes: 15 }),
    ],
    reminder: (['deadline', 'reply'] as const).map((kind) => sampleReminderView(kind, locale)),
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
