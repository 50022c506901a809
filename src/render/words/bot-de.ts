// German answers of the bot.
import type { BotTexts } from './bot-en.js';
import { commandsDe } from './commands-de.js';
import { faultsDe } from './faults-de.js';

export const botDe: BotTexts = {
  commands: commandsDe,
  ...faultsDe,
  where: {
    channel: (channel) => `in ${channel}`,
    dm: 'als Direktnachricht',
    email: 'per E-Mail',
    other: (sink) => `über ${sink}`,
    mention: (role) => `mit Erwähnung von ${role}`,
  },
  buttons: {
    preview: 'Vorschau',
    edit: 'Ändern',
    pause: 'Pausieren',
    resume: 'Fortsetzen',
    remove: 'Entfernen',
    move: 'Anderer Ort',
    list: 'Meine Abos',
    correct: 'Korrigieren',
    withoutMention: 'Ohne Erwähnung',
    undo: 'Rückgängig',
    history: 'Verlauf',
    back: 'Zurück',
    previous: 'Vorige',
    next: 'Nächste',
    goOn: 'Weiter',
    setToken: 'Token setzen',
    typeZone: 'Andere Zeitzone eintippen',
    what: 'Was: Tags, Wörter, Gehalt',
    remoteOn: 'Nur remote: an',
    remoteOff: 'Nur remote: aus',
    toDm: 'Als Direktnachricht',
    toEmail: 'Per E-Mail',
    eraseAll: 'Alles löschen',
    keepAll: 'Behalten',
    hideCompany: (company) => `${company} ausblenden`,
    hideTag: (tag) => `${tag} ausblenden`,
    unmark: 'Zurücknehmen',
  },
  token: {
    modalTitle: 'Dein API-Token',
    field: 'API-Token',
    placeholder: 'Kopiert von der Token-Seite der Jobbörse',
    saved: (last) =>
      `✅ Der Token mit dem Ende \`${last}\` funktioniert und ist verschlüsselt gespeichert; angezeigt werden immer nur diese vier Zeichen.`,
    savedUntried: (last: string) =>
      `🔑 Der Token mit dem Ende \`${last}\` ist verschlüsselt gespeichert, konnte aber nicht geprüft werden: Die Jobbörse antwortet gerade nicht. {/token status} sagt später, ob er gilt.`,
    savedNext: 'Weiter: {/jobs preview} zeigt, was ein Filter findet, {/jobs subscribe} meldet es.',
    savedAgain: 'Deine Abos laufen automatisch weiter.',
    missing:
      'Du hast hier keinen API-Token. Kopiere einen von der Token-Seite der Jobbörse und setze ihn mit {/token set}.',
    ok: (last) =>
      `🔑 Dein Token mit dem Ende \`${last}\` ist gesetzt und gilt. {/jobs list} zeigt, wofür er dient.`,
    rejected: (last) =>
      `⚠️ Die Jobbörse nimmt deinen Token mit dem Ende \`${last}\` nicht mehr an. Erneuere ihn auf ihrer Token-Seite, dann {/token set}.`,
    removed:
      '🗑️ Dein Token ist gelöscht. Deine Abos warten, bis du mit {/token set} einen anderen setzt; {/privacy erase} löscht auch den Rest.',
    none: 'Es gab keinen Token zu löschen. {/token set} setzt einen.',
  },
  email: {
    sent: 'Wenn diese Adresse Mails empfängt, ist eine Bestätigung unterwegs; sonst wird nichts geschickt, bis du ihren Link anklickst. Wähle dann E-Mail in {/jobs subscribe}.',
    none: 'Du hast hier keine E-Mail-Adresse. Setze eine mit {/email set}.',
    unconfirmed: (address) =>
      `📨 ${address} wartet auf Bestätigung: klick auf den Link in der Mail, oder setze die Adresse mit {/email set} noch einmal für einen neuen.`,
    confirmed: (address) => `✅ ${address} ist bestätigt. Wähle E-Mail in {/jobs subscribe}.`,
    suppressed: (address) =>
      `⚠️ Mails an ${address} kamen zurück oder wurden als Spam gemeldet, deshalb geht nichts dorthin. Setze eine andere mit {/email set}.`,
    removed: '🗑️ Deine E-Mail-Adresse ist gelöscht. Abos dorthin brauchen einen anderen Ort: {/jobs edit}.',
  },
  hello: (about) =>
    `👋 Neue Stellen zu ${about} kommen hier zu dir. Erste Schritte: {/jobs preview} zeigt, was jetzt passt, {/jobs list} zeigt und ändert, was du hast, {/jobs pause} hält es eine Weile an, und mit den Knöpfen unter einer Stelle speicherst du sie oder blendest ähnliche aus.`,
  jobs: {
    subscribed: (words) => `✅ Verstanden: ${words}`,
    already: (id) =>
      `ℹ️ Das hast du schon, als \`${id}\`: derselbe Filter am selben Ort. Es kam nichts dazu; mit den Knöpfen änderst du es.`,
    matchesNow: (count) =>
      count === 0
        ? `Im Moment passen ${count} Stellen; sobald die erste erscheint, hörst du davon.`
        : count === 1
          ? `Jetzt passt ${count} Stelle. Gemeldet wird nur, was von jetzt an neu ist.`
          : `Jetzt passen ${count} Stellen. Gemeldet wird nur, was von jetzt an neu ist.`,
    nextCheck: (when) => `nächste Prüfung ${when}`,
    nextDigest: (when) => `nächste Sammelnachricht ${when}`,
    keptToContinue:
      'Was du eingegeben hast, bleibt einen Tag lang erhalten: Mit „Weiter“ versuchst du es noch einmal.',
    keptForToken:
      'Was du eingegeben hast, bleibt einen Tag lang erhalten: Sobald der Token gesetzt ist, geht es von selbst weiter.',
    goOnThere: (channel) =>
      `Weiter geht es in ${channel}: Drück dort „Token setzen“; was du eingegeben hast, ist noch da.`,
    askZone: 'In welcher Zeitzone? Ich merke sie mir für das nächste Mal.',
    zonePlaceholder: 'Zeitzone wählen',
    zoneTitle: 'Deine Zeitzone',
    zoneField: 'Stadt oder Zone, etwa Europe/Berlin',
    none: 'Du hast keine Abos. {/jobs preview} zeigt, was ein Filter findet, {/jobs subscribe} meldet es.',
    listTitle: (count) => (count === 1 ? `${count} Abo` : `${count} Abos`),
    open: 'Eines öffnen',
    page: (number, of) => `Seite ${number} von ${of}`,
    state: {
      active: '🟢 läuft',
      paused: '⏸️ pausiert',
      'no-token': '🔑 wartet auf einen Token: {/token set}',
      'token-rejected': '🔑 Token abgelehnt: setze einen neuen mit {/token set}',
      parked: '⚠️ kann nicht zustellen',
      waiting: '🟡 wartet mit der Zustellung',
    },
    nextTry: (when) => `nächster Versuch ${when}`,
    lastCheck: (when) => `letzte Prüfung ${when}`,
    owed: (count) => (count === 1 ? `${count} wartet auf Zustellung` : `${count} warten auf Zustellung`),
    leftServer: (when) =>
      `Ich wurde von seinem Server entfernt. Lädst du mich wieder ein, läuft es weiter; {/jobs edit} verlegt es; sonst wird es ${when} gelöscht.`,
    paused:
      '⏸️ Pausiert. Was inzwischen erscheint, wird nicht nachgemeldet; {/jobs resume} beendet die Pause.',
    resumed: '▶️ Fortgesetzt. {/jobs history} zeigt, was zugestellt wird.',
    removed: (words) => `🗑️ Entfernt: ${words}. {/jobs subscribe} beginnt ein neues.`,
    restored: '↩️ Wiederhergestellt.',
    changed: '✅ Geändert.',
    editHint: 'Was möchtest du ändern?',
    editInServer: 'Einen Kanal wählst du auf seinem Server: nimm dort {/jobs edit}.',
    editWhat: 'Was du suchst',
    editWhen: 'Wie oft',
    editWhenTitle: 'Wann',
    fieldAt: 'Zeit, etwa 9:00 oder Montag 9:00',
    fieldZone: 'Zeitzone, etwa Europe/Berlin',
    fieldTags: 'Tags, mit Kommas',
    fieldCountry: 'Land',
    fieldInclude: 'Wörter, eines muss vorkommen',
    fieldExclude: 'Wörter, keines darf vorkommen',
    fieldPay: 'Mindestgehalt im Jahr',
    editLanguage: 'Sprache der Meldungen',
    editWhere: 'Anderer Kanal',
  },
  preview: {
    title: (words) => `🔎 ${words}`,
    now: (count, looked) => `**${count}** von ${looked} aktuellen Stellen passen.`,
    weeks: (bars, counts) => `Treffer je Woche, letzte 30 Tage: ${bars} (${counts})`,
    noHistory:
      'Wie oft es in den letzten 30 Tagen passte, weiß ich, sobald eines deiner Abos eine Weile lief.',
    removedBy: (rule, count) => `Am meisten siebt die Regel ${rule} aus (${count}).`,
    cards: 'So würden sie gepostet:',
    nothing: 'Im Moment passt nichts. Mit weniger Wörtern, mehr Tags oder ohne Land findest du mehr.',
    next: 'Mit denselben Angaben abonnieren: {/jobs subscribe}',
    rules: {
      exclude: (words) => `ohne ${words}`,
      include: (words) => `mit ${words}`,
      minSalary: 'Mindestgehalt',
      payUnknown: 'Gehalt muss angegeben sein, in einer mit Dollar vergleichbaren Währung',
      tags: (words) => `Tags ${words}`,
      country: (words) => `Land ${words}`,
      remote: 'nur remote',
    },
  },
  why: {
    unseen: (job) =>
      `👻 ${job} war nie unter dem, was die Jobbörse zu diesem Filter lieferte. Vielleicht fehlt ihr Tag, Land oder Remote-Angabe, oder sie ist älter als die neuesten 100.`,
    baseline: (when) =>
      `📦 Sie war schon da, als das Abo begann (${when}), und wurde deshalb nicht gemeldet.`,
    paused: (when) => `⏸️ Sie erschien während der Pause (${when}) und wurde deshalb nicht gemeldet.`,
    repost: (when) =>
      `♻️ Sie ist die Wiederholung einer schon gesehenen (${when}) und wurde nicht noch einmal gemeldet.`,
    filtered: (when, rule) =>
      `🚫 Gesehen ${when} und von der Regel ${rule} ausgesiebt. {/jobs edit} ändert sie.`,
    matched: (when) => `✅ Gesehen ${when}, und sie passte.`,
    next: (when) => `als Nächstes: ${when}`,
    movedHere: (when) => `${when} von einem anderen Ort hierher verlegt`,
    states: {
      moved: 'wurde an einen anderen Ort verlegt',
      owed: 'wartet auf die nächste Zustellung',
      underway: 'wird gerade zugestellt',
      parked: 'kann nicht zugestellt werden',
      sent: 'wurde zugestellt',
      more: 'steht auf der Seite einer vollen Sammelnachricht',
      elsewhere: 'kam hier durch ein anderes Abo',
      expired: 'ließ sich nicht rechtzeitig zustellen und wurde aufgegeben',
      dropped: 'blieb weg: du hast sie, ihre Firma oder ihr Tag ausgeblendet',
      none: 'war nicht für diesen Ort',
    },
  },
  history: {
    title: (words) => `Verlauf: ${words}`,
    none: 'Noch wurde nichts zugestellt. {/jobs preview} zeigt, was passen würde.',
    baseline: 'begonnen',
    sent: (count) => (count === 1 ? `${count} Stelle zugestellt` : `${count} Stellen zugestellt`),
    failed: 'eine Zustellung misslang und wird wiederholt',
    parked: 'Zustellung steht still',
    expired: (count) => `${count} nach drei Tagen aufgegeben`,
    gap: 'es gab mehr neue Stellen, als eine Antwort fasst: einige können fehlen',
    rejected: 'die Jobbörse lehnte deinen Token ab',
    resumed: 'fortgesetzt',
    unnamed: 'etwas anderes geschah',
  },
  saved: {
    title: (count) => `Von dir markiert: ${count}`,
    none: 'Du hast noch nichts gemerkt. Drück unter einer Stelle „Merken“, „Beworben“ oder „Nichts für mich“, dann steht sie hier.',
    states: { saved: '🔖 gemerkt', applied: '✅ beworben', dismissed: '🙈 nichts für mich' },
    card: 'zur Karte',
    noLink: 'der Bewerbungslink steht auf der Karte, von der sie gemerkt wurde',
    hidden: (count) => `Ausgeblendet: ${count}. Wähle, was du wieder sehen willst`,
  },
  marks: {
    saved: (title) => `🔖 Gemerkt: ${title}. {/jobs saved} führt sie auf.`,
    applied: (title) => `✅ Als beworben markiert: ${title}. Viel Glück! {/jobs saved} führt sie auf.`,
    dismissed: (title) => `🙈 Nichts für dich: ${title}. Sie bleibt aus deinen Direktnachrichten und Mails.`,
    hideMore: 'Du kannst mehr davon ausblenden:',
    unmarked: (title) => `↩️ Zurückgenommen: ${title}.`,
    pick: (title) => `Was ist mit ${title}?`,
    hidden: (words) =>
      `🙈 ${words} bleibt von nun an aus deinen Direktnachrichten und Mails; Kanäle zeigen es weiter allen. {/jobs saved} macht das rückgängig.`,
  },
  privacy: {
    exported:
      'In dieser Datei steht alles über dich Gespeicherte, nur dein Token nicht, der verlässt mich nie. {/privacy erase} löscht alles.',
    eraseAsk:
      'Das löscht deinen Token, deine E-Mail-Adresse, deine Abos samt Verlauf und was du gemerkt hast. Es lässt sich nicht rückgängig machen; {/privacy export} gibt dir vorher eine Kopie.',
    erased: '🗑️ Alle deine Daten sind gelöscht. Mit {/help} fängst du neu an.',
    kept: 'Nichts wurde gelöscht.',
  },
  help: {
    title: 'Drei Schritte zur ersten Stelle',
    one: '**1. Dein Token** · Kopiere deinen API-Token von der Token-Seite der Jobbörse und setze ihn: {/token set}. Niemand sonst sieht ihn.',
    two: '**2. Erst schauen** · {/jobs preview} zeigt, was ein Filter jetzt findet und wie oft er zuletzt etwas fand.',
    three:
      '**3. Abonnieren** · {/jobs subscribe} meldet neue Stellen hier (mit „Kanäle verwalten“), als Direktnachricht oder per E-Mail ({/email set}).',
    after:
      'Später: {/jobs list} zeigt und ändert, was du hast, {/jobs why} erklärt, warum eine Stelle kam oder nicht, {/jobs saved} hält, was du markiert hast.',
    done: 'erledigt',
  },
};
