// German notices to owners.
import type { NoticeTexts } from './notice-en.js';

export const noticeDe: NoticeTexts = {
  left: (count, days) =>
    `Ich wurde von einem Discord-Server entfernt, deshalb stehen die Abos still, die dort posten (${count}). Lädst du mich wieder ein, laufen sie weiter; mit /jobs edit verlegst du sie; nach ${days} Tagen werden sie gelöscht.`,
  token: (source) =>
    `Die Jobbörse nimmt deinen API-Token nicht mehr an, deshalb warten deine Abos. Erneuere ihn auf der Token-Seite von ${source} und setze den neuen mit /token set; inzwischen geht nichts verloren.`,
  destination: (sink) =>
    `Zustellungen über ${sink} stehen still. /jobs list sagt, warum; beheb es, dann /jobs resume.`,
  posting: (sink) =>
    `Eine Stelle ließ sich über ${sink} nach fünf Versuchen nicht zustellen und wurde beiseitegelegt; die anderen gingen weiter. Mehr sagt /jobs history.`,
  expired: (count, sink) =>
    `${sink} war drei Tage nicht erreichbar, deshalb wurden ${count} Stelle(n) nicht zugestellt. Mehr sagt /jobs history.`,
  gap: 'Seit dem letzten Blick haben alle Stellen eines Abos gewechselt, einige können also fehlen. Ich sehe nun einen Tag lang öfter nach; ein engerer Filter beugt vor.',
  silence: (days) =>
    `Zu einem Abo hat seit ${days} Tagen nichts gepasst. Ein weiterer Filter hilft vielleicht: weniger Wörter, mehr Tags oder kein Land. /jobs preview zeigt, was er fände.`,
};
