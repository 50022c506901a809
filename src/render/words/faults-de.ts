// German words for what went wrong or was understood otherwise.
import type { FaultTexts } from './faults-en.js';

export const faultsDe: FaultTexts = {
  fault: {
    unknownTag: (word) => `„${word}“ ist kein Tag, das die Jobbörse kennt.`,
    unknownCountry: (word) => `„${word}“ ist kein Land, das ich kenne.`,
    unknownZone: (word) => `„${word}“ ist keine Zeitzone, die ich kenne.`,
    didYouMean: (words) => `Meintest du ${words}?`,
    seeList: 'Wähle aus der Liste, die beim Tippen erscheint.',
    zoneExample: 'Schreib sie wie Europe/Berlin oder wähle aus der Liste.',
    pay: (text) => `„${text}“ ist kein Jahresgehalt; schreib es wie 80000 oder 80k.`,
    tooManyTags: (most) => `Bitte höchstens ${most} Tags: jedes ist eine eigene Anfrage.`,
    words: (most, length) =>
      `Bitte höchstens ${most} Wörter oder Wendungen mit je höchstens ${length} Zeichen.`,
    every: (text) =>
      `„${text}“ gibt es nicht; es gibt: sobald sie erscheinen, stündlich, täglich, wöchentlich.`,
    at: (text) => `„${text}“ verstehe ich nicht als Zeit; schreib sie wie 9:00, 9 Uhr oder Montag 9:00.`,
    atAlone:
      'Eine Uhrzeit gehört zu täglich oder wöchentlich; wähle eines davon bei „wie_oft“ oder lass die Zeit weg.',
    dayOfDaily: 'Ein Wochentag gehört zu wöchentlich; wähle das bei „wie_oft“ oder lass den Tag weg.',
    noServer:
      'Hier gibt es keinen Kanal. Nutze das auf einem Server oder lass es als Direktnachricht kommen.',
    botNotHere:
      'Ich bin kein Mitglied dieses Servers und kann hier nichts posten. Bitte einen Admin, mich einzuladen, oder nimm die Direktnachricht.',
    channelUnseen: (channel) =>
      `Ich sehe ${channel} nicht. Gib mir dort „Kanal anzeigen“ oder wähle einen anderen Kanal.`,
    channelLocked: (channel) =>
      `${channel} ist gesperrt. Entsperre den Thread oder wähle einen anderen Kanal.`,
    needManage: (channel) =>
      `Du brauchst „Kanäle verwalten“ in ${channel}, um ihn zu abonnieren. Frag jemanden, der es hat, oder nimm die Direktnachricht.`,
    botLacks: (channel, rights) =>
      `In ${channel} fehlt mir: ${rights}. Gib mir das in den Rechten des Kanals und versuch es noch einmal.`,
    channelOnly: 'Ein Kanal gehört zur Zustellung in einen Kanal; lass eines von beiden weg.',
    mentionOnly: 'Eine Rolle lässt sich nur in einem Kanal erwähnen; lass sie weg oder wähle einen Kanal.',
    mentionEveryone: 'Ich erwähne nicht alle. Wähle eine Rolle, die man ablegen kann.',
    notPingable: (role) =>
      `Meine Erwähnung von ${role} würde niemanden erreichen. Erlaube allen, die Rolle zu erwähnen, oder gib mir „Alle erwähnen“.`,
    emailOff:
      'E-Mail ist hier aus; der Betreiber kann sie einschalten. Wähle einen Kanal oder die Direktnachricht.',
    emailNone: 'Du hast noch keine E-Mail-Adresse. Setze eine mit {/email set} und versuch es noch einmal.',
    emailSuppressed:
      'Mails an deine Adresse kamen zurück oder wurden als Spam gemeldet, deshalb geht nichts dorthin. Setze eine andere mit {/email set}.',
    mailAway:
      'Die Mail zum Bestätigen ließ sich gerade nicht senden. Versuch es in ein paar Minuten noch einmal.',
    dmClosed:
      'Discord lässt mich dir nicht schreiben, deshalb wurde nichts gespeichert. Erlaube Direktnachrichten von Mitgliedern eines gemeinsamen Servers (Servername, Privatsphäre-Einstellungen) und versuch es noch einmal, oder wähl einen anderen Ort.',
    dmNoServer:
      'Wir haben keinen Server gemeinsam, deshalb lässt mich Discord dir nicht schreiben, und es wurde nichts gespeichert. Tritt einem Server bei, in dem ich bin, oder installier mich für dich selbst, und versuch es noch einmal.',
    noToken: 'Du hast noch keinen API-Token. Setze ihn mit {/token set} und versuch es noch einmal.',
    tokenRejected:
      'Die Jobbörse nimmt deinen Token nicht mehr an. Setze einen neuen mit {/token set} und versuch es noch einmal.',
    notYours: 'Dieser Knopf gehört jemand anderem. Mit {/help} fängst du selbst an.',
    stale: 'Das ist schon beantwortet oder zu alt. Fang mit {/jobs subscribe} neu an.',
    oldButton: 'Dieser Knopf stammt von einer älteren Fassung von mir. Nimm {/jobs list}.',
    noSubscription: (words) => `Kein Abo von dir heißt „${words}“. {/jobs list} zeigt sie.`,
    severalSubscriptions: (words) =>
      `Zu „${words}“ passen mehrere deiner Abos. Wähle aus der Liste, die beim Tippen erscheint.`,
    cardGone: 'Diese Karte ist zu alt: was sie zeigte, ist nicht mehr gespeichert. Neuere gehen noch.',
    notAToken: 'Das ist kein API-Token. Kopiere ihn ohne Leerzeichen von der Token-Seite der Jobbörse.',
    tokenRefused:
      'Die Jobbörse nimmt diesen Token nicht an. Kopiere einen neuen von ihrer Token-Seite und setze ihn noch einmal; nichts wurde gespeichert.',
    tokenTries: (minutes: number) =>
      `Es wurden zu viele Token ausprobiert. Versuche es in ${minutes === 1 ? 'einer Minute' : `${minutes} Minuten`} wieder; was gespeichert ist, bleibt.`,
    capAccount: (most) =>
      `Du hast ${most} Abos, mehr sind hier nicht erlaubt. Entferne zuerst eines mit {/jobs remove}.`,
    capServer: (most) =>
      `Dieser Server hat ${most} Abos, mehr sind hier nicht erlaubt. Entferne zuerst eines mit {/jobs remove}.`,
    erased: 'Inzwischen wurde alles über dich gelöscht; deshalb wurde nichts gespeichert.',
    boardAway:
      'Die Jobbörse antwortet gerade nicht. Nichts wurde gespeichert; versuch es in ein paar Minuten noch einmal.',
    boardBusy:
      'Die Jobbörse bittet um eine Pause mit deinem Token. Versuch es in ein paar Minuten noch einmal.',
    fromFile: 'Dieses Abo steht in der Datei des Betreibers; pausieren geht hier, ändern nur dort.',
    restarting:
      'jobcrier startet gerade neu. Es wurde nichts gespeichert; versuche es in einer Minute noch einmal.',
    stopping:
      '🔄 jobcrier startet gerade neu; versuche es in einer Minute noch einmal. {/jobs list} zeigt, ob es noch geklappt hat.',
    restarted:
      '🔄 jobcrier wurde mittendrin neu gestartet. {/jobs list} zeigt, ob es noch geklappt hat; wenn nicht, versuche es noch einmal.',
    ownersMove: 'Nur wem dieses Abo gehört, kann es aus dem Server nehmen.',
    noSuch: 'So ein Abo hast du nicht. {/jobs list} zeigt deine.',
    address: 'Das ist keine E-Mail-Adresse. Schreib sie wie ich@example.org.',
    sinkOff: 'Dieser Weg der Zustellung ist hier aus; der Betreiber kann ihn einschalten.',
    badLinks:
      'Ich konnte diese Stellen nicht mit unversehrten Links zeigen, also zeige ich keine. Der Betreiber liest im Protokoll, warum.',
    tooLong: 'Das dauert länger, als es sollte. Sieh später in {/jobs list}, was daraus wurde.',
    unknown: (reference) =>
      `Bei mir ging etwas schief, und du hast nichts falsch gemacht. Versuch es gleich noch einmal; bleibt es so, nenne dem Betreiber diesen Code: ${reference}.`,
  },
  rights: {
    view: 'Kanal anzeigen',
    send: 'Nachrichten senden',
    embed: 'Links einbetten',
    threads: 'Nachrichten in Threads senden',
    files: 'Dateien anhängen',
  },
  note: {
    translated: (typed, understood) => `„${typed}“ habe ich als ${understood} verstanden.`,
    dmInstead: (channel) =>
      `Um ${channel} zu abonnieren, brauchst du „Kanäle verwalten“ (Manage Channels); die Stellen kommen als Direktnachricht.`,
    unconfirmed:
      'Deine E-Mail-Adresse ist noch nicht bestätigt: klick auf den Link in meiner Mail, sonst kommt nichts an.',
  },
};
