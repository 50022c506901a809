// The words of a wish in German. See language.ts.
import type { Language } from './language.js';

export const de: Language = {
  code: 'de',
  grammar: {
    not: 'nicht|kein|keine|keinen|keiner|keines|keinem|ohne|außer|ausser|nichts mit|nichts im bereich|nichts mit dem thema|nie|niemals|weder|noch|bitte kein|bitte keine|bloß kein|bloß keine|auf keinen fall|ausgenommen|nichts|überall außer|überall ausser|außerhalb|außerhalb von|ausserhalb|ausserhalb von|überall nur nicht|alles außer|alles ausser|bloß nicht|bloss nicht|keinesfalls',
    rather:
      'am liebsten|lieber|bevorzugt|vorzugsweise|idealerweise|möglichst|gern|gerne|eher|am besten|im idealfall|bestenfalls|bevorzuge|ich bevorzuge|gerne auch|vor allem|zur not|zur not auch|notfalls|notfalls auch|sonst|ansonsten|hätte lieber|würde gern|würde gerne|würde lieber|nicht nur|nicht unbedingt',
    softly:
      'wenn möglich|falls möglich|von vorteil|wäre von vorteil|wäre schön|wäre gut|wäre toll|wäre super|wäre ideal|ist ein plus|ein plus|wenn es geht|nicht erforderlich|nicht nötig|nicht notwendig|kein muss|keine voraussetzung|keine pflicht|optional|willkommen',
    also: 'geht auch|gehen auch|ist auch ok|ist auch okay|wäre auch ok|wäre auch okay|auch ok|auch okay|ist ok|ist okay|ist auch möglich|auch möglich|passt auch|ist auch gut|auch gut|ist in ordnung|auch in ordnung|geht auch in ordnung',
    or: 'oder|bzw|beziehungsweise|oder auch|und oder',
    and: 'und|sowie|plus|u',
    but: 'aber|sondern|jedoch|dafür',
    least:
      'mindestens|mind|wenigstens|ab|ab mindestens|über|mehr als|nicht unter|nicht weniger als|nichts unter|von mindestens|minimum|zumindest|zwischen|nicht unterhalb von|gehalt ab',
    most: 'höchstens|maximal|bis|bis zu|unter|weniger als|nicht mehr als|nicht über',
    company:
      'bei|bei der firma|bei dem unternehmen|der firma|firma|beim unternehmen|firmen wie|unternehmen wie|arbeitgeber wie|stellen von|jobs von|angebote von|anzeigen von',
    words:
      'mit dem Wort|mit den Wörtern|mit den Worten|mit dem Begriff|mit den Begriffen|Stichwort|Stichworte|Stichwörter|erwähnt|erwähnen|mit Stichwort|mit dem Stichwort',
    tagged: 'mit dem Tag|mit den Tags|getaggt|getaggt mit|getaggt als',
    posted:
      'aus den letzten|der letzten|in den letzten|aus der letzten|letzte|letzten|letzter|vom letzten|aus dem letzten|im letzten|nicht älter als|innerhalb der letzten|seit den letzten',
    stated:
      'nur mit Gehaltsangabe|mit Gehaltsangabe|Gehalt muss genannt sein|Gehalt muss angegeben sein|Gehalt muss dabeistehen|mit angegebenem Gehalt|Gehaltsangabe|Gehalt angegeben',
    remote:
      'remote|homeoffice|home office|von zuhause|von zu hause|von zuhause aus|von zu hause aus|ortsunabhängig|100% remote|voll remote|komplett remote|nur remote|remote arbeit|remotearbeit|fernarbeit|mobiles arbeiten|vollständig remote|kein büro|nicht im büro|nicht vor ort|remote job|remote jobs',
    office: 'vor Ort|im Büro|Präsenz|vor Ort im Büro',
    labelled: 'als remote gekennzeichnet',
    upwards: 'oder höher|oder mehr|und mehr|oder darüber|aufwärts|und höher|und aufwärts',
    other:
      'web3|personalverantwortung|führungsverantwortung|mitarbeiterführung|ohne personalverantwortung|ohne führungsverantwortung|keine personalverantwortung|keine führungsverantwortung|quereinsteiger|kleine|kleines|kleiner|kleinere|kleinen|große|großes|großer|größere|großen|teams|team|start up|startup|startups|deutsch|englisch|spanisch|deutschsprachig|englischsprachig|englischsprachige|deutschkenntnisse|visum|nett|nette|nettes|netten|gut|gute|gutes|guten|cool|coole|cooles|spannend|spannende|spannendes|modern|moderne|flexible|flexibel|arbeitszeiten|flexible arbeitszeiten|gleitzeit|hybrid|benefits|sinn|sinnvoll|sinnvolles|erfahrung|berufserfahrung|ohne erfahrung|ohne berufserfahrung|keine erfahrung|jahre|jahre erfahrung|studium|ohne studium|wochen|monate|tage|menschen|leute|mitarbeiter|kollegen|kultur|wachsend|junges|junge|junger|stress|überstunden|urlaub|viertagewoche|4 tage woche|4 tage|fair|faire|familienfreundlich|umzug|test|rest|welt',
    filler:
      'reines|reine|reinen|innerhalb|innerhalb von|veröffentlicht|ausgeschrieben|eingestellt|grundgehalt|fixgehalt|stundensatz|stundenlohn|tagessatz|monatsgehalt|zeitzone|zeitzonen|sehen|arbeite|ich|wir|ihr|habt|habt ihr|mir|mich|uns|suche|suche nach|suchen|such|suchst|möchte|möchten|will|wollen|hätte|hätte gern|hätte gerne|brauche|bitte|danke|hallo|hi|moin|einen|eine|ein|einem|einer|eines|ne|nen|der|die|das|den|dem|des|im|in|am|an|auf|aus|mit|als|für|von|vom|zu|zum|zur|nach|job|jobs|stelle|stellen|arbeit|arbeiten|arbeitsplatz|position|positionen|anzeigen|stellenanzeigen|angebote|jobangebote|etwas|was|irgendwas|alle|alles|nur|auch|ausschließlich|sein|ist|sind|soll|sollte|sollten|muss|müssen|darf|gehalt|jahresgehalt|verdienst|bezahlung|lohn|pro|pro jahr|im jahr|jahr|jährlich|brutto|firmen|unternehmen|projekt|projekte|projekten|branche|bereich|bereiche|themen|thema|zeug|sachen|kram|standort|ort|level|weltweit|überall|egal wo|egal|m w d|w m d|m w x|sitz|land|und zwar|gesucht|gerade|man|kann|könnte|es|sie|so|hier|da|dort|neue|neuen|neuer|neues|werden|wird|haben|hat|mit schwerpunkt|schwerpunkt|programmiersprache|sprache|sprachen|technologie|technologien|zeigen|zeig|zeig mir|schick mir|finde|ganz|voll|komplett|liegen|liegt|gehen|geht|dann|vielleicht|jemand|ja|dazu|bis hin',
  },
  level:
    'intern: Praktikant|Praktikantin|Praktikanten|Trainee|Azubi; junior: Junior|Juniors|Berufseinsteiger|Berufsanfänger|Einsteiger|Absolvent|Absolventen; mid: Mid-Level|Mid Level; senior: Senior|Seniors|erfahren|erfahrene|erfahrener|Seniorentwickler; staff: Staff; lead: Lead|Teamlead|Teamleiter|Teamleitung|leitend; principal: Principal; head: Head|Abteilungsleiter|Abteilungsleitung|Leiter|Leitung; director: Director|Direktor|Direktorin; c-level: C-Level|Geschäftsführer|Geschäftsführung|Gründer|Vorstand',
  contract:
    'full-time: Vollzeit|in Vollzeit|Vollzeitstelle; part-time: Teilzeit|in Teilzeit|Teilzeitstelle; permanent: unbefristet|unbefristete|unbefristeter|Festanstellung|festangestellt|Festanstellungen; contract: freiberuflich|Freiberufler|freie Mitarbeit|freier Mitarbeiter|selbstständig|selbständig|Freelancing; temporary: befristet|befristete|befristeter|Zeitarbeit; internship: Praktikum|Praktika|Werkstudent|Werkstudentin|Werkstudenten|Werkstudentenstelle|Werkstudentenjob|Praktikumsplatz|Praktikumsstelle; volunteer: ehrenamtlich|Ehrenamt|unbezahlt|unbezahlte',
  role: 'engineering: Entwicklung|Entwickler|Entwicklerin|Softwareentwickler|Softwareentwicklerin|Softwareentwicklung|Programmierer|Programmiererin|Ingenieur|Ingenieurin; data: Daten; research: Forschung; security: Sicherheit|IT-Sicherheit|Sicherheitsforscher|Sicherheitsforscherin|Auditor|Auditorin; design: Gestaltung; product: Produkt; marketing: Marketing|Texter|Texterin|Redakteur|Redakteurin; sales: Vertrieb|Leadgenerierung; devrel: Developer Relations; community: Community; support: Support; operations: Betrieb|Assistenz der Geschäftsführung|Geschäftsführungsassistenz|Geschäftsführer-Assistenz|Assistenz|Büroleitung; finance: Finanzen|Buchhaltung|Buchhalter; legal: Recht|Rechtsanwalt|Rechtsanwältin|Anwältin|Jurist|Juristin|Anwalt|Rechtsabteilung; people: Personal|Personalreferent|Personalreferentin|Personalabteilung|Personalwesen',
  region:
    'eu: der EU|EU|Europäische Union|Europäischen Union; eea: dem EWR|EWR; europe: Europa|europäisch|europäische|europäischen|europaweit; emea: EMEA; mena: Nahost und Nordafrika|Naher Osten|Nahen Osten|Nahost; africa: Afrika|Nordafrika; americas: Nord- und Südamerika|Amerika; north-america: Nordamerika; south-america: Südamerika; latam: Lateinamerika|Zentralamerika|Mittelamerika; apac: Asien-Pazifik|Asien und Pazifik; asia: Asien|Südostasien; dach: den DACH-Ländern|DACH Raum|D-A-CH|DACH-Region|DACH; nordics: den nordischen Ländern|Skandinavien|Nordische Länder|skandinavisch; baltics: dem Baltikum|Baltikum|baltische Staaten; benelux: den Benelux-Ländern|Benelux|Beneluxländer',
  posted:
    '1: von heute|heute|gestern|von gestern|seit heute|seit gestern|heute veröffentlicht|in den letzten 24 Stunden|der letzten 24 Stunden|aus den letzten 24 Stunden; 2: in den letzten 48 Stunden|der letzten 48 Stunden; 7: diese Woche|dieser Woche|aus dieser Woche|von dieser Woche|seit letzter Woche; 30: diesen Monat|diesem Monat|aus diesem Monat|seit letztem Monat',
  roleForms: 'Bereich {}|im Bereich {}|Rolle {}',
  tags: {
    ai: 'KI|künstliche Intelligenz|maschinelles Lernen',
    analyst: 'Datenanalyst|Analyst|Analystin',
    backend: 'Backend|Backendentwickler|Backendentwicklung|Backend-Entwickler',
    crypto: 'Krypto|Kryptowährung|Kryptowährungen',
    cryptography: 'Kryptographie|Kryptografie|Kryptographin|Kryptograph',
    'customer-support': 'Kundendienst|Kundensupport|Kundenservice|Kundenbetreuung',
    'data-science':
      'Data Science|Datenwissenschaft|Datenwissenschaftler|Datenwissenschaftlerin|Data Scientist',
    design: 'Designer|Designerin|Produktdesigner|Produktdesignerin|Produktdesign',
    'entry-level': 'Einstiegsposition',
    'front-end': 'Frontend|Frontendentwickler|Frontend-Entwickler',
    gaming: 'Spiele|Games|Computerspiele|Spieleentwicklung',
    mobile: 'Mobil|Mobilentwickler|Mobile',
    moderator: 'Moderator|Moderatorin',
    'open-source': 'quelloffen|quelloffene|Open Source',
    'pay-in-crypto': 'Bezahlung in Krypto|Zahlung in Krypto|Gehalt in Krypto|bezahlt in Krypto',
    'product-manager': 'Produktmanager|Produktmanagerin|Produktmanagement',
    'project-manager':
      'Projektmanager|Projektmanagerin|Projektleiter|Projektleiterin|Projektleitung|Projektmanagement',
    research: 'Forschung|Forscher|Forscherin',
    sales: 'Vertrieb|Verkauf|Vertriebler',
    'smart-contract': 'Smart Contracts|Smart Contract',
  },
  days: 'Tagen|Tag|Tage|Tages',
  weeks: 'Wochen|Woche',
  months: 'Monaten|Monat|Monate|Monats',
  periods:
    'year: Jahr|Jahre|jährlich; month: Monat|monatlich; week: Woche|wöchentlich; day: Tag|täglich; hour: Stunde|Std',
  numbers: 'ein|zwei|drei|vier|fünf|sechs',
  printed: {
    in: 'in {}',
    posted: 'aus den letzten {} Tagen',
    dollars: ['', ' $'],
    thousands: '.',
    without: 'ohne {}',
  },
};
