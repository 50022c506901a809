// The views of mails without an edition: the request to confirm an address, links that work once, a notice to an owner,
// and a reminder of a posting.
import type { Reminder } from '../domain/reminders.js';
import { oneLine } from '../domain/text.js';
import { plainCommands } from './commands.js';
import { jobName } from './notice.js';
import { textsFor } from './texts.js';

export interface ConfirmView {
  readonly lang: string;
  readonly subject: string;
  readonly preheader: string;
  readonly title: string;
  readonly intro: string;
  readonly about: string | null;
  readonly url: string;
  readonly button: string;
  readonly hours: string;
  readonly ignore: string;
}

/** `url`: the confirm page; `hours`: how long it works. Contains no link to a posting (mail rules, confirmation). */
export function confirmView(of: {
  locale: string;
  source: string;
  about?: string | undefined;
  url: string;
  hours: number;
}): ConfirmView {
  const texts = textsFor(of.locale);
  const { confirm } = texts.mail;
  return {
    lang: texts.intl,
    subject: confirm.subject({ source: of.source }),
    preheader: confirm.preheader,
    title: confirm.title,
    intro: confirm.intro({ source: of.source }),
    about: of.about ? confirm.about({ about: oneLine(of.about) }) : null,
    url: of.url,
    button: confirm.button,
    hours: confirm.hours({ hours: of.hours }),
    ignore: confirm.ignore,
  };
}

/** What a mailed link that works once is for: the export or deletion of all data, or the page with all subscriptions. */
export type LinkMail = 'export' | 'erase' | 'manage';

/** The same mail for such a link. `minutes`: how long it works, whole hours if it is longer than an hour. */
export function linkView(of: {
  what: LinkMail;
  locale: string;
  source: string;
  url: string;
  minutes: number;
}): ConfirmView {
  const texts = textsFor(of.locale);
  const { minutes } = of;
  const words = texts.mail.dataRequest;
  const { subject, title, intro, button } = words[of.what];
  return {
    lang: texts.intl,
    subject: subject({ source: of.source }),
    preheader: words.preheader,
    title,
    intro: intro({ source: of.source }),
    about: null,
    url: of.url,
    button,
    hours: minutes < 60 ? words.minutes({ minutes }) : words.hours({ hours: minutes / 60 }),
    ignore: words.ignore,
  };
}

export interface NoticeView {
  readonly lang: string;
  readonly subject: string;
  readonly preheader: string;
  readonly title: string;
  readonly about: string | null;
  readonly text: string;
  readonly url: string | null;
}

/** `url`: the apply link, byte for byte; null if the reminder has none. */
export interface ReminderView {
  readonly lang: string;
  readonly subject: string;
  readonly preheader: string;
  readonly title: string;
  readonly text: string;
  readonly url: string | null;
  readonly note: string;
  readonly foot: string;
  readonly settings: string | null;
  /** The posting with its link, for the check of the link rules. */
  readonly groups: readonly {
    readonly cards: readonly { readonly title: string; readonly link: string }[];
  }[];
}

/** `text`: what it reminds of; `settings`: the page on which a reader without an account turns reminders off. */
export function reminderView(
  { kind, posting }: Reminder,
  { locale, text, settings }: { readonly locale: string; readonly text: string; readonly settings?: string },
): ReminderView {
  const texts = textsFor(locale);
  const { reminder } = texts.mail;
  const job = jobName(posting, texts);
  const { applyUrl } = posting;
  return {
    lang: texts.intl,
    subject: kind === 'deadline' ? reminder.subjectDeadline({ job }) : reminder.subjectReply({ job }),
    preheader: reminder.preheader,
    title: reminder.title,
    text: oneLine(text),
    url: applyUrl ?? null,
    note: texts.card.note,
    foot: settings === undefined ? plainCommands(reminder.foot, texts) : reminder.footReader,
    settings: settings ?? null,
    groups: applyUrl === undefined ? [] : [{ cards: [{ title: job, link: applyUrl }] }],
  };
}

/** `text`: one sentence with the fix; `about`: the subscription in words. */
export function noticeView(of: {
  locale: string;
  source: string;
  text: string;
  about?: string | undefined;
  url?: string | undefined;
}): NoticeView {
  const texts = textsFor(of.locale);
  const { notice } = texts.mail;
  return {
    lang: texts.intl,
    subject: notice.subject({ source: of.source }),
    preheader: notice.preheader,
    title: notice.title,
    about: of.about ? oneLine(of.about) : null,
    text: oneLine(of.text),
    url: of.url ?? null,
  };
}
