// English texts of the mails.

/** Texts of every kind of mail; the other languages have the same keys. */
export type MailTexts = typeof mailEn;

export const mailEn = {
  digestSubject: (count: string, about: string, period: string) => `${count}: ${about}, ${period}`,
  alertSubject: (count: string, about: string) => `${count}: ${about}`,
  alertSubjectOne: (title: string, company: string) => `${title} at ${company}`,
  alertSubjectBare: (title: string) => `New posting: ${title}`,
  partSubject: (subject: string, part: string) => `${subject} (${part})`,
  among: (titles: string) => `Among them: ${titles}.`,
  fill: (source: string) => `New postings that match what you asked for, via ${source}.`,
  newCount: (count: number) => `${count} new`,
  remoteCount: (count: number) => `${count} remote`,
  medianPay: (pay: string) => `median disclosed pay ${pay}`,
  otherGroup: 'Other postings',
  moreFrom: (company: string) => `More from ${company}`,
  chartTitle: 'Postings per week',
  chartAlt: (title: string, counts: string) => `${title}: ${counts}.`,
  weekFrom: (date: string) => `week of ${date}`,
  lastWeek: 'last 7 days',
  seeAll: 'See all of them in the browser',
  whyThis: (about: string, cadence: string) =>
    `You get this mail because you asked for: ${about}; ${cadence}.`,
  operatorStops: 'The operator of this service set it up for you and can stop it: just reply to this mail.',
  browser: 'View in browser',
  preferences: 'Change what you get',
  unsubscribe: 'Unsubscribe',
  confirm: {
    subject: (source: string) => `Please confirm: job mails via ${source}`,
    preheader: 'Press the button to start the emails. Without it, nothing is sent.',
    title: 'Do you want these emails?',
    intro: (source: string) =>
      `Someone, hopefully you, asked for new job postings via ${source} to be sent to this address.`,
    about: (about: string) => `Asked for: ${about}.`,
    button: 'Yes, send them to me',
    hours: (hours: number) => `The link works once, within ${hours} hours.`,
    ignore: 'If it was not you, do nothing: without the click this address gets no further mail.',
  },
  dataRequest: {
    preheader: 'The link works once; without it nothing happens.',
    export: {
      subject: (source: string) => `Your data: the download you asked for, ${source}`,
      title: 'Download your data?',
      intro: (source: string) =>
        `Someone with a link from your job mails via ${source} asked for all that is stored about you.`,
      button: 'Go to the download',
    },
    erase: {
      subject: (source: string) => `Delete all your data? ${source}`,
      title: 'Delete all your data?',
      intro: (source: string) =>
        `Someone with a link from your job mails via ${source} asked to have all that is stored about you deleted.`,
      button: 'Go to the deletion',
    },
    hours: (hours: number) => `The link works once, within ${hours === 1 ? 'an hour' : `${hours} hours`}.`,
    ignore:
      'If it was not you, do nothing. Someone you forwarded a mail to may have pressed it: they got nothing and changed nothing by it.',
  },
  notice: {
    subject: (source: string) => `Your job emails via ${source} need attention`,
    preheader: 'Your subscription needs attention; this email explains what to do.',
    title: 'Your subscription needs attention',
    button: 'Open preferences',
    once: 'You get this email once. The problem remains until you fix it.',
  },
};
