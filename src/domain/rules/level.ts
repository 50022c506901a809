// The level of a posting, read from its title. Words for levels have other meanings too ("Lead Generation", "Staff
// Accountant", "Executive Assistant to the CEO"), which are removed before the title is read. A title that names no level
// has none: it is never guessed.
import { compare, fromList, type Rule } from './rule.js';

/** From the lowest to the highest. */
export const LEVELS = [
  'intern',
  'junior',
  'mid',
  'senior',
  'staff',
  'lead',
  'principal',
  'head',
  'director',
  'c-level',
] as const;
type Level = (typeof LEVELS)[number];

/** A word must begin and end where letters and digits do: "intern" is not in "international". */
const word = (pattern: string, flags = 'giu') =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern})(?![\\p{L}\\p{N}])`, flags);

/** Work that has levels in which "staff" is above "senior". Elsewhere it only says that a person is employed. */
const CRAFT =
  'engineer(?:ing)?|developer|dev|designer|scientist|researcher|architect|programmer|sre|swe|sde|tpm|pm|cryptographer|' +
  'technologist|mathematician|technical writer|advocate|' +
  '(?:product|program|programme|project|engineering|product marketing) manager|' +
  '(?:data|security|product|research|intelligence|threat|blockchain|quantitative) analyst|' +
  '(?:smart contract|security|protocol) auditor';
/** Up to four words before the craft: "Staff Machine Learning Engineer". A dash or comma ends the name of the job. */
const TO_CRAFT = `(?:[\\p{L}\\p{N}+#.&/()]+(?:-[\\p{L}\\p{N}]+)*\\s+){0,4}?\\(?(?:${CRAFT})(?![\\p{L}\\p{N}])`;
const OTHER_LEVEL = 'senior|sr\\.?|principal|lead|director|distinguished|junior|mid';
const OR = '(?:/|\\||,|&|\\+|–|-|or|to|and|oder|bis|und|hasta)';
const TOP = 'ceo|cto|cfo|coo|cmo|cio|cpo|cso|ciso|cro|cdo|chro|cbo|cco|cao|founders?';

/** Phrases in which the word for a level means something other than the level of the job. */
const TRAPS: readonly RegExp[] = [
  // The person that the job works for: "Executive Assistant to the CEO", "Engineer, Office of the CTO".
  word(
    '(?<=(?:assistant|(?<!\\p{L})[ep]a|advis[oe]r|aide|liaison|secretary|partner|associate|support|staff|reporting|reports)\\s+(?:to|for)\\s).*',
  ),
  word(`office of (?:the )?(?:${TOP}|chief [\\p{L} ]+? officer|director|head|president)`),
  word(
    `(?:${TOP})(?:['’]s|s['’])?[\\s-]+(?:office|assistant|associate|staff|advisory|advis[oe]r|network|community|relations|success)`,
  ),
  word("(?:director|president|head)(?:['’]s office|(?:['’]s)? assistant)"),
  word(
    `(?<=(?:executive|personal|administrative|virtual) assistants?(?!\\p{L}).*)(?:${TOP}|chief [\\p{L} ]+? officer|director|head|president|c-level)`,
  ),
  word('(?<!(?:senior|mid|junior|staff|sr\\.?)\\s)(?:to|will|you.ll) (?:lead|head|direct)'),
  word('chief of staff'),
  word('(?:founder|entrepreneur|[ce][etxi]o)[\\s-]in[\\s-]residence'),
  word('cro(?= (?:specialist|manager|analyst|strategist|lead|consultant|expert|executive))'),
  // Lead: a possible customer.
  word(
    'leads?[\\s-]+(?:gen(?:eration|erator)?|qualification|qualifier|nurtur\\p{L}+|capture|conversion|scoring|routing|sourcing|' +
      'magnet|funnel|flow|handling|management|prospecting|enrichment|distribution|to[\\s-]cash|time|poisoning)',
  ),
  word(
    'lead (?:development|acquisition) (?:rep|representative|specialist|associate|executive|agent|manager)',
  ),
  word('(?:inbound|outbound|warm|cold|qualified|online|web) leads?'),
  // Staff: everyone who works somewhere.
  word('members? of (?:the )?(?:[\\p{L}]+ )?staff'),
  word('staff (?:augmentation|training|scheduling|onboarding|relations|wellbeing|engagement)'),
  word('(?:support|technical support|medical|kitchen|bar|event|wait|nursing|teaching|office) staff'),
  // Principal: of a school, of a study, of money.
  word('principal investigator'),
  word('(?:vice|assistant|school|elementary|deputy) principal'),
  word('principal (?:protect\\p{L}*|amount|place)'),
  // Head, director: part of a place or of a craft.
  word('head[\\s-]*(?:office|quarters?|count|hunt\\p{L}*|start|to[\\s-]head)'),
  word('(?:art|funeral|casting|music) directors?'),
  word('directors? (?:and|&) officers?'),
  // Senior, junior: the age of people, or those that the job serves.
  word(
    'seniors?[\\s-]+(?:living|care|citizens?|housing|community|communities|cent(?:er|re)s?|year|high|secondary|leadership|management|stakeholders?|students?)',
  ),
  word('junior[\\s-]+(?:college|high|achievement|enterprise)'),
  word('(?:junior|senior)s?[\\s/]+(?:or |and )?(?:junior|senior)s? (?:year|students?)'),
  // People who are hired, not the one who hires them.
  word(
    '(?:graduate|new grads?|early[\\s-]careers?|entry[\\s-]level|university|campus|intern(?:ship)?s?|apprentice(?:ship)?|trainee|student)s?' +
      '[\\s-]+(?:and [\\p{L}]+ )?(?:recruit\\p{L}*|talent|programs?|programmes?|hiring|coordinator|manager|mentor|supervisor|admissions|acquisition|success|experience|school|relations|ambassador)',
  ),
  // Mid, middle: of a market, a place, a firm.
  word('mid[\\s-]*(?:market|atlantic|west|size|sized|stage|cap|office|term|year|day|town|touch|funnel)'),
  word('middle[\\s-]*(?:office|east(?:ern)?|school|market|mile|tier|class|management|manager)'),
];

/**
 * The words of each level. A title is searched for all of them. Semi-senior is the level below senior (Latin America).
 */
const WORDS: readonly (readonly [Level, RegExp])[] = [
  [
    'c-level',
    word(
      "c[etfom]o|ciso|chief(?: [\\p{L}&,/-]+){1,4}? officer|president(?!\\p{L}|[’'])|co-?founder|(?<!non[\\s-])founder(?!s)|c-level|geschäftsführer(?:in)?",
    ),
  ],
  ['c-level', word('C[IPSRDBCA]O|CHRO', 'gu')],
  [
    'director',
    word('director(?:a|in)?|direktor(?:in)?|[se]?vp|avp|vice[\\s-]president|vicepresident(?:e|a)'),
  ],
  ['head', word('head|leiter(?:in)?|abteilungsleiter(?:in)?|(?:jefe|jefa|responsable) de')],
  ['principal', word('principal')],
  [
    'lead',
    word(
      '(?:(?:team|tech|technical|squad|group|shift|chapter)[\\s-]?)?lead|(?:team|squad|group|shift)[\\s-]?leader|teamleiter(?:in)?',
    ),
  ],
  [
    'staff',
    word(
      `staff\\+?(?=(?:[\\s-]*(?:level)?[\\s-]*${OR}\\s*(?:${OTHER_LEVEL}))*[\\s-]+(?:level\\s+)?${TO_CRAFT})|(?<=(?:${CRAFT})\\s*[,(–-]\\s*)staff(?!\\s+\\p{L})`,
    ),
  ],
  ['senior', word('senior|sénior|sr|snr')],
  [
    'mid',
    word(
      `mid(?:dle)?(?:[\\s-]?level|[\\s-]?weight|[\\s-]?career)|intermediate|medior|semi[\\s-]?(?:senior|sr|snr)|ssr|mid(?:dle)?(?=\\s*(?:${OR}\\s*(?:senior|sr|lead|staff)|[,)]|$))|(?<=(?:junior|jr\\.?)\\s*${OR}\\s*)mid(?:dle)?|mid(?:dle)?(?=[\\s-]+${TO_CRAFT})`,
    ),
  ],
  [
    'junior',
    word(
      `junior|júnior|jr|jnr|entry[\\s-]level|new[\\s-]?grad(?:uate)?|graduate|early[\\s-]career|trainee|apprentice(?:ship)?|auszubildende[rn]?|` +
        `associate(?=[\\s-]+(?!(?:general|director|partner|principal|vice|vp|head|dean|professor|counsel)(?!\\p{L}))${TO_CRAFT})`,
    ),
  ],
  [
    'intern',
    word(
      'intern(?:ship)?|co-op(?= (?:student|position|program|term)|$|\\)|,)|working student|werkstudent(?:in)?|(?:pflicht)?praktik(?:ant(?:in)?|um)|' +
        'becari[oa]|pasante|prácticas|stagiaire|summer (?:analyst|associate)',
    ),
  ],
];

interface Found {
  readonly level: Level;
  readonly start: number;
  readonly end: number;
}

/** Only a joining word between two levels: "Junior to Mid", "Mid-Senior", "Senior/Staff". */
const ONLY_JOINED = new RegExp(`^[.)]?\\s*(?:level\\s*)?${OR}\\s*\\(?$`, 'iu');
/** A name between them, but the second one follows a slash or an "or": "Senior Engineer / Tech Lead". */
const JOINED_AGAIN = /[/|;]\s*$|\sor\s+$/iu;

/**
 * Returns the levels that a title names. Words beside each other are one level, the highest ("Senior Director" is a
 * director, "Senior Staff Engineer" is staff); an intern is one in any department. Words that are joined are
 * alternatives ("Senior/Staff Engineer").
 */
export function levelsOf(title: string): readonly Level[] {
  const text = TRAPS.reduce(
    (left, trap) => left.replace(trap, (phrase) => '_'.repeat(phrase.length)),
    title.slice(0, 300).normalize('NFC'),
  );
  const found = WORDS.flatMap(([level, pattern]): Found[] =>
    [...text.matchAll(pattern)].map(({ 0: { length }, index }) => ({
      level,
      start: index,
      end: index + length,
    })),
  ).sort((a, b) => a.start - b.start);
  const groups: Level[][] = [];
  let end = 0;
  for (const one of found) {
    // A word within another one, such as "president" in "vice president", is part of it.
    if (one.start < end) continue;
    const between = text.slice(end, one.start);
    const isApart = ONLY_JOINED.test(between) || JOINED_AGAIN.test(between);
    const group = isApart ? undefined : groups.at(-1);
    if (group) group.push(one.level);
    else groups.push([one.level]);
    end = one.end;
  }
  const tops = groups.map((group) =>
    group.includes('intern') ? 'intern' : LEVELS.findLast((one) => group.includes(one)),
  );
  return LEVELS.filter((one) => tops.includes(one));
}

export const level: Rule = {
  parse: fromList(LEVELS, {
    internship: 'intern',
    'working student': 'intern',
    jr: 'junior',
    'entry level': 'junior',
    graduate: 'junior',
    middle: 'mid',
    'mid level': 'mid',
    intermediate: 'mid',
    sr: 'senior',
    'tech lead': 'lead',
    'team lead': 'lead',
    vp: 'director',
    'vice president': 'director',
    executive: 'c-level',
    founder: 'c-level',
    cxo: 'c-level',
  }),
  values: LEVELS,
  wanted: 'a level',
  match: (values, { title }) => compare(levelsOf(title ?? ''), values),
};
