// The views of mails without postings: the request to confirm an address, the request to confirm an export or
// deletion of data, and a notice to an owner.
import { oneLine } from '../domain/text.js';
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

/** The same mail for a data request: asks to confirm that everything stored is exported or deleted. */
export function dataRequestView(of: {
  what: 'export' | 'erase';
  locale: string;
  source: string;
  url: string;
  hours: number;
}): ConfirmView {
  const texts = textsFor(of.locale);
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
    hours: words.hours({ hours: of.hours }),
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
