// German notices to owners.
import type { NoticeTexts } from './notice-en.js';

export const noticeDe: NoticeTexts = {
  fix: {
    addressBounces:
      'Mails an deine Adresse kommen als unzustellbar zurück, deshalb geht nichts dorthin. Setze eine andere mit {/email set}.',
    channelGone:
      'Den Discord-Kanal gibt es nicht mehr. Wähle mit {/jobs edit} einen anderen oder entferne das Abo.',
    channelHidden: 'Ich sehe den Discord-Kanal nicht. Gib mir dort „Kanal anzeigen“, dann {/jobs resume}.',
    dmClosed:
      'Discord lässt mich dir nicht schreiben. Erlaube Direktnachrichten von Servermitgliedern, dann {/jobs resume}.',
    forumTag:
      'Das Forum verlangt für jeden Beitrag einen Tag und hat keinen, den ich benutzen darf. Füge einen hinzu oder heb die Regel auf, dann {/jobs resume}.',
    mailPaused:
      'Mails an diesen Anbieter werden eine Weile zurückgehalten, weil sein Server sie abgelehnt hat. Danach geht es automatisch weiter.',
    mailUnconfirmed: 'Klick auf den Link in der Bestätigungsmail; gleich danach kommen deine Sammelmails.',
    mailUnsubscribed:
      'Du hast dich über den Link in einer Mail abgemeldet; auf derselben Seite lässt es sich rückgängig machen.',
    mayNotPost:
      'Ich darf in dem Discord-Kanal nichts posten. Gib mir dort „Nachrichten senden“ und „Links einbetten“ (in Threads „Nachrichten in Threads senden“), dann {/jobs resume}.',
    noMessages:
      'Dieser Discord-Kanal nimmt keine Nachrichten. Wähle mit {/jobs edit} einen Text- oder Ankündigungskanal, ein Forum oder einen Thread.',
    noSharedServer:
      'Ich habe keinen Server mit dir gemeinsam, deshalb lässt Discord mich dir nicht schreiben. Tritt einem bei, auf dem ich bin, oder installiere mich für dich selbst, dann {/jobs resume}.',
    refused: 'Discord lehnt meine Nachrichten dort ab. Prüfe meine Rechte in dem Kanal, dann {/jobs resume}.',
    serverLeft: 'Ich bin nicht mehr auf diesem Discord-Server. Lade mich wieder ein, dann {/jobs resume}.',
    sinkOff:
      'Dieser Weg der Zustellung ist hier ausgeschaltet; was aussteht, wartet bis zu 30 Tage, bis der Betreiber ihn einschaltet.',
    threadArchived:
      'Der Discord-Thread ist archiviert, und ich darf ihn nicht öffnen. Öffne ihn wieder, dann {/jobs resume}.',
    threadLocked:
      'Der Discord-Thread ist gesperrt. Entsperre ihn, dann {/jobs resume}, oder wähle mit {/jobs edit} einen anderen Ort.',
    userGone:
      'An diesen Discord-Nutzer lässt sich nicht schreiben. Wähle mit {/jobs edit} einen anderen Ort.',
  },
  left: (count, days) =>
    `Ich wurde von einem Discord-Server entfernt, deshalb sind die Abos angehalten, die dort posten (${count}). Lädst du mich wieder ein, laufen sie weiter; mit {/jobs edit} verlegst du sie; nach ${days} Tagen werden sie gelöscht.`,
  token: (source) =>
    `Die Jobbörse nimmt deinen API-Token nicht mehr an, deshalb warten deine Abos. Erneuere ihn auf der Token-Seite von ${source} und setze den neuen mit {/token set}; inzwischen geht nichts verloren.`,
  destination: (sink) =>
    `Zustellungen über ${sink} stehen still. {/jobs list} sagt, warum; beheb es, dann {/jobs resume}.`,
  posting: (sink) =>
    `Eine Stelle ließ sich über ${sink} nach fünf Versuchen nicht zustellen und wurde zurückgestellt; die anderen wurden verschickt. Mehr sagt {/jobs history}.`,
  expired: (count, sink) =>
    `${sink} war drei Tage nicht erreichbar, deshalb wurden Stellen nicht zugestellt (${count}). Mehr sagt {/jobs history}.`,
  gap: (tags) =>
    `Es gab mehr neue Stellen${tags && ` für ${tags}`}, als eine Antwort der Jobbörse fasst; einige können also fehlen. Ich frage nun einen Tag lang nach mehr Stellen und öfter; ein engerer Filter beugt vor: {/jobs edit}.`,
  keys: 'Die Jobbörse hat allen ihren Stellen neue Kennungen gegeben. Ich habe sie an Titel und Firma erkannt und schicke sie nicht noch einmal; neue kommen weiterhin. Du musst nichts tun.',
  load: (requests, interval) =>
    `Deine Abos brauchen ${requests} verschiedene Anfragen, mehr als ein API-Token in der vorgesehenen Zeit stellen kann. Ich stelle sie so schnell, wie die Jobbörse es erlaubt; Stellen kommen deshalb später. Weniger Tags oder weniger Abos helfen; bei einem Abstand von ${interval} passen alle hinein.`,
  silence: (days) =>
    `Seit ${days} Tagen hat nichts gepasst. Ein weiterer Filter hilft vielleicht: weniger Wörter, mehr Tags oder kein Land. {/jobs preview} zeigt, was er fände.`,
};
