// English, and the shape every other language must have. A text is a string, or a function that does no more
// than put its values in place: that keeps a translation free to order them and lets a test compare languages.
import { ATTRIBUTION_NOTE } from '../../domain/attribution.js';
import { botEn } from '../words/bot-en.js';
import { mailEn } from '../words/mail-en.js';
import { noticeEn } from '../words/notice-en.js';
import { pageEn } from '../words/page-en.js';

/** Everything a reader sees, by where it is shown. A key missing in another language does not compile. */
export type Texts = typeof en;

export const en = {
  /** The locale numbers and dates are written in; unlike the one a reader asks for, always a valid one. */
  intl: 'en-GB',
  card: {
    note: ATTRIBUTION_NOTE,
    via: (source: string) => `via ${source}`,
    apply: 'Apply',
    remote: 'Remote',
    onSite: 'On site',
    noTitle: 'Untitled posting',
    noLink: 'No apply link was given.',
    linkWithheld: 'Apply link withheld: what was given is no usable web address.',
    estimated: (pay: string, source: string) => `${pay}, estimated by ${source}`,
    payUpTo: (pay: string) => `up to ${pay}`,
    payUnits: { year: 'year', month: 'month', week: 'week', day: 'day', hour: 'hour' },
    seenBefore: (date: string) => `seen before, first on ${date}`,
    twice: 'Comes twice: another member’s subscription announces it here too, with a link of its own.',
    someTwice: (count: number) =>
      `${count} of them come twice: another member’s subscription announces them here too, with links of its own.`,
    matched: (reasons: string) => `matched ${reasons}`,
    posted: (age: string) => `posted ${age}`,
    today: 'today',
    yesterday: 'yesterday',
    daysAgo: (days: number) => `${days} days ago`,
    postings: (count: number) => (count === 1 ? '1 new posting' : `${count} new postings`),
    more: (count: number) => `and ${count} more`,
    part: (number: number, of: number) => `part ${number} of ${of}`,
    save: 'Save',
    applied: 'Applied',
    dismiss: 'Not for me',
    pick: 'Save, applied or not for me: pick a posting',
    otherTags: 'Other',
    ownerWanted:
      'The owner of a job subscription in this channel is needed, but does not accept direct messages: {/jobs list} shows what to do.',
  },
  describe: {
    everything: 'All postings',
    remote: 'remote',
    country: (country: string) =>
      /^(?:united|netherlands|philippines|bahamas|maldives|gambia)/iu.test(country)
        ? `in the ${country}`
        : `in ${country}`,
    quoted: (phrase: string) => `“${phrase}”`,
    include: (words: string) => `mentioning ${words}`,
    exclude: (words: string) => `without ${words}`,
    minSalary: (pay: string) => `from ${pay}`,
    payKnown: 'only with pay stated',
    immediate: 'as soon as they appear',
    hourly: 'hourly',
    daily: (at: string, zone: string) => `daily at ${at} ${zone}`,
    weekly: (day: string, at: string, zone: string) => `weekly on ${day} ${at} ${zone}`,
    cron: (cron: string, zone: string) => `at "${cron}" ${zone}`,
    days: {
      sunday: 'Sunday',
      monday: 'Monday',
      tuesday: 'Tuesday',
      wednesday: 'Wednesday',
      thursday: 'Thursday',
      friday: 'Friday',
      saturday: 'Saturday',
    },
  },
  mail: mailEn,
  page: pageEn,
  bot: botEn,
  notice: noticeEn,
};
