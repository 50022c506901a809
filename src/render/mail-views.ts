// The views of mails without postings: the request to confirm an address, links that work once, and a notice to an
// owner.
import type { Reminder } from '../domain/reminders.js';
import { oneLine } from '../domain/text.js';
import { plainCommands } from './commands.js';
import { jobOf } from './notice.js';
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
  readonly button: string;
  /** The note that an apply link requires. */
  readonly note: string | null;
  readonly foot: string;
}

/** A reminder of a posting; `text`: what it reminds of. */
export function reminderView(
  { kind, posting }: Reminder,
  of: { readonly locale: string; readonly text: string },
): NoticeView {
  const texts = textsFor(of.locale);
  const { reminder } = texts.mail;
  const job = jobOf(posting, texts);
  const { applyUrl } = posting;
  return {
    lang: texts.intl,
    subject: kind === 'deadline' ? reminder.subjectDeadline({ job }) : reminder.subjectReply({ job }),
    preheader: reminder.preheader,
    title: reminder.title,
    about: null,
    text: oneLine(of.text),
    url: applyUrl ?? null,
    button: reminder.button,
    note: applyUrl === undefined ? null : texts.card.note,
    foot: plainCommands(reminder.foot, texts),
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
    button: notice.button,
    note: null,
    foot: notice.once,
  };
}
