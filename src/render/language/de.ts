// German.

import { botDe } from '../words/bot-de.js';
import { mailDe } from '../words/mail-de.js';
import { noticeDe } from '../words/notice-de.js';
import { pageDe } from '../words/page-de.js';
import type { Texts } from './en.js';

export const de: Texts = {
  intl: 'de-DE',
  card: {
    note: 'Bewerbungslinks tragen eine Herkunftskennung: bitte genau so verwenden, wie sie sind.',
    via: (source) => `über ${source}`,
    apply: 'Bewerben',
    remote: 'Remote',
    onSite: 'Vor Ort',
    noTitle: 'Stelle ohne Titel',
    noLink: 'Kein Bewerbungslink angegeben.',
    linkWithheld: 'Bewerbungslink zurückgehalten: keine brauchbare Webadresse.',
    estimated: (pay, source) => `${pay}, geschätzt von ${source}`,
    payUpTo: (pay) => `bis zu ${pay}`,
    payUnits: { year: 'Jahr', month: 'Monat', week: 'Woche', day: 'Tag', hour: 'Stunde' },
    seenBefore: (date) => `schon gesehen, zuerst am ${date}`,
    twice: 'Kommt doppelt: Auch das Abo eines anderen Mitglieds meldet diese Stelle hier, mit eigenem Link.',
    someTwice: (count) =>
      `${count} davon kommen doppelt: Auch das Abo eines anderen Mitglieds meldet sie hier, mit eigenen Links.`,
    matched: (reasons) => `passt zu ${reasons}`,
    posted: (age) => `veröffentlicht ${age}`,
    today: 'heute',
    yesterday: 'gestern',
    daysAgo: (days) => `vor ${days} Tagen`,
    postings: (count) => (count === 1 ? '1 neue Stelle' : `${count} neue Stellen`),
    more: (count) => `und ${count} weitere`,
    part: (number, of) => `Teil ${number} von ${of}`,
    save: 'Merken',
    applied: 'Beworben',
    dismiss: 'Nichts für mich',
    pick: 'Merken, beworben, nichts für mich: Stelle wählen',
    otherTags: 'Sonstige',
    ownerWanted:
      'Wer in diesem Kanal Stellen abonniert hat, wird gebraucht, nimmt aber keine Direktnachrichten an: {/jobs list} zeigt, was zu tun ist.',
  },
  describe: {
    everything: 'Alle Stellen',
    remote: 'remote',
    country: (country) => `Land: ${country}`,
    quoted: (phrase) => `„${phrase}“`,
    include: (words) => `mit ${words}`,
    exclude: (words) => `ohne ${words}`,
    minSalary: (pay) => `ab ${pay}`,
    payKnown: 'nur mit Gehaltsangabe',
    immediate: 'sobald sie erscheinen',
    hourly: 'stündlich',
    daily: (at, zone) => `täglich um ${at} ${zone}`,
    weekly: (day, at, zone) => `wöchentlich am ${day} ${at} ${zone}`,
    cron: (cron, zone) => `nach „${cron}“ ${zone}`,
    days: {
      sunday: 'Sonntag',
      monday: 'Montag',
      tuesday: 'Dienstag',
      wednesday: 'Mittwoch',
      thursday: 'Donnerstag',
      friday: 'Freitag',
      saturday: 'Samstag',
    },
  },
  mail: mailDe,
  page: pageDe,
  bot: botDe,
  notice: noticeDe,
};
