// English, and the shape every other language must have. A text is a string, or a function that does no more
// than put its values in place: that keeps a translation free to order them and lets a test compare languages.
import { ATTRIBUTION_NOTE } from '../../domain/attribution.js';
import { botEn } from '../words/bot-en.js';
import { mailEn } from '../words/mail-en.js';
import { noticeEn } from '../words/notice-en.js';
import { pageEn } from '../words/page-en.js';
export const en = {
    /** The locale numbers and dates are written in; unlike the one a reader asks for, always a valid one. */
    intl: 'en-GB',
    card: {
        note: ATTRIBUTION_NOTE,
        via: (source) => `via ${source}`,
        apply: 'Apply',
        remote: 'Remote',
        onSite: 'On site',
        noTitle: 'Untitled posting',
        noLink: 'No apply link was given.',
        linkWithheld: 'Apply link withheld: what was given is no usable web address.',
        estimated: (pay, source) => `${pay}, estimated by ${source}`,
        payUpTo: (pay) => `up to ${pay}`,
        payUnits: { year: 'year', month: 'month', week: 'week', day: 'day', hour: 'hour' },
        seenBefore: (date) => `seen before, first on ${date}`,
        twice: 'Comes twice: another member’s subscription announces it here too, with a link of its own.',
        someTwice: (count) => `${count} of them come twice: another member’s subscription announces them here too, with links of its own.`,
        matched: (reasons) => `matched ${reasons}`,
        posted: (age) => `posted ${age}`,
        today: 'today',
        yesterday: 'yesterday',
        daysAgo: (days) => `${days} days ago`,
        postings: (count) => (count === 1 ? '1 new posting' : `${count} new postings`),
        more: (count) => `and ${count} more`,
        part: (number, of) => `part ${number} of ${of}`,
        save: 'Save',
        applied: 'Applied',
        dismiss: 'Not for me',
        pick: 'Save, applied or not for me: pick a posting',
        otherTags: 'Other',
        ownerWanted: 'The owner of a job subscription in this channel is needed, but does not accept direct messages: {/jobs list} shows what to do.',
    },
    describe: {
        everything: 'All postings',
        remote: 'remote',
        country: (country) => /^(?:united|netherlands|philippines|bahamas|maldives|gambia)/iu.test(country)
            ? `in the ${country}`
            : `in ${country}`,
        quoted: (phrase) => `“${phrase}”`,
        include: (words) => `mentioning ${words}`,
        exclude: (words) => `without ${words}`,
        minSalary: (pay) => `from ${pay}`,
        payKnown: 'only with pay stated',
        immediate: 'as soon as they appear',
        hourly: 'hourly',
        daily: (at, zone) => `daily at ${at} ${zone}`,
        weekly: (day, at, zone) => `weekly on ${day} ${at} ${zone}`,
        cron: (cron, zone) => `at "${cron}" ${zone}`,
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
//# sourceMappingURL=en.js.map