// German texts of the mails.
import type { MailTexts } from './mail-en.js';

export const mailDe: MailTexts = {
  digestSubject: (count, about, period) => `${count}: ${about}, ${period}`,
  alertSubject: (count, about) => `${count}: ${about}`,
  alertSubjectOne: (title, company) => `${title} bei ${company}`,
  alertSubjectBare: (title) => `Neue Stelle: ${title}`,
  partSubject: (subject, part) => `${subject} (${part})`,
  among: (titles) => `Darunter: ${titles}.`,
  fill: (source) => `Neue Stellen, die zu deiner Suche passen, über ${source}.`,
  newCount: (count) => `${count} neu`,
  remoteCount: (count) => `${count} remote`,
  medianPay: (pay) => `mittleres angegebenes Gehalt ${pay}`,
  otherGroup: 'Weitere Stellen',
  moreFrom: (company) => `Mehr von ${company}`,
  chartTitle: 'Stellen pro Woche',
  chartAlt: (title, counts) => `${title}: ${counts}.`,
  weekFrom: (date) => `Woche vom ${date}`,
  lastWeek: 'letzte 7 Tage',
  seeAll: 'Alle im Browser ansehen',
  whyThis: (about, cadence) => `Du bekommst diese Mail, weil du darum gebeten hast: ${about}; ${cadence}.`,
  operatorStops:
    'Eingerichtet hat das der Betreiber dieses Dienstes; zum Abbestellen genügt eine Antwort auf diese Mail.',
  browser: 'Im Browser ansehen',
  preferences: 'Einstellungen ändern',
  unsubscribe: 'Abbestellen',
  confirm: {
    subject: (source) => `Bitte bestätigen: Stellenmails über ${source}`,
    preheader: 'Klick auf den Knopf, damit die Mails kommen. Ohne den Klick wird nichts verschickt.',
    title: 'Möchtest du diese Mails bekommen?',
    intro: (source) =>
      `Jemand, hoffentlich du, möchte neue Stellen über ${source} an diese Adresse bekommen.`,
    about: (about) => `Gewünscht: ${about}.`,
    button: 'Ja, bitte schicken',
    hours: (hours) => `Der Link gilt einmal und ${hours} Stunden lang.`,
    ignore: 'Warst du es nicht, tu nichts: ohne den Klick kommt keine weitere Mail an diese Adresse.',
  },
  dataRequest: {
    preheader: 'Der Link gilt einmal; ohne ihn geschieht nichts.',
    export: {
      subject: (source) => `Deine Daten zum Herunterladen, ${source}`,
      title: 'Deine Daten herunterladen?',
      intro: (source) =>
        `Jemand mit einem Link aus deinen Stellenmails über ${source} möchte alles haben, was über dich gespeichert ist.`,
      button: 'Zum Herunterladen',
    },
    erase: {
      subject: (source) => `Alle deine Daten löschen? ${source}`,
      title: 'Alle deine Daten löschen?',
      intro: (source) =>
        `Jemand mit einem Link aus deinen Stellenmails über ${source} möchte alles löschen lassen, was über dich gespeichert ist.`,
      button: 'Zum Löschen',
    },
    hours: (hours) => `Der Link gilt einmal und ${hours === 1 ? 'eine Stunde' : `${hours} Stunden`} lang.`,
    ignore:
      'Warst du es nicht, tu nichts. Vielleicht war es jemand, dem du eine Mail weitergeleitet hast: Dabei wurde nichts herausgegeben und nichts geändert.',
  },
  notice: {
    subject: (source) => `Problem mit deinen Stellenmails über ${source}`,
    preheader: 'Bei deinem Abo gibt es ein Problem; diese Mail erklärt, was du tun kannst.',
    title: 'Bei deinem Abo gibt es ein Problem',
    button: 'Einstellungen öffnen',
    once: 'Du bekommst diese Mail nur einmal. Das Problem besteht, bis du es behebst.',
  },
};
