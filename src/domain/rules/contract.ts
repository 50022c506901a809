// The kind of contract: from the title, the tags and the fields of a posting, otherwise from a plain statement in its
// text. "Contract" in "Smart Contract" or "Contract Manager" is no kind of contract.
import type { Posting } from '../posting.js';
import { plainText } from '../text.js';
import { compare, fromList, type Rule } from './rule.js';

const CONTRACTS = [
  'full-time',
  'part-time',
  'permanent',
  'contract',
  'temporary',
  'internship',
  'volunteer',
] as const;
type Contract = (typeof CONTRACTS)[number];

const word = (pattern: string) => new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern})(?![\\p{L}\\p{N}])`, 'iu');

/** What a contract is about in the names of jobs that deal with contracts. */
const TRAPS =
  /smart[\s-]*contracts?|contracts? (?:manage\p{L}*|admin\p{L}*|negotiat\p{L}*|specialist|counsel|lawyer|attorney|analyst|auditor|review\p{L}*|law|compliance|operations|officer|coordinator|security)|contractors? (?:manage\p{L}*|compliance|payment\p{L}*|relations|success)|(?:temp|temporary) (?:work|staff\p{L}*) (?:agency|manager)|freelance(?:r)? (?:platform|marketplace|community|network)|volunteer (?:manager|coordinator|management|program\p{L}*)|intern(?:ship)?s? (?:program\p{L}*|coordinator|manager|recruit\p{L}*)|full[\s-]?time equivalent/giu;

const WORDS: readonly (readonly [Contract, RegExp])[] = [
  ['full-time', word('full[\\s_-]?time|vollzeit|(?:a )?tiempo completo|jornada completa|festanstellung')],
  ['part-time', word('part[\\s_-]?time|teilzeit|(?:a )?tiempo parcial|media jornada')],
  ['permanent', word('permanent|unbefristet|indefinid[oa]|cdi')],
  [
    'contract',
    word(
      'contract|contractor|freelancer?|freiberuflich|freie[rn]? mitarbeit\\p{L}*|autónom[oa]|b2b contract|c2c|corp[\\s-]to[\\s-]corp|contract[\\s-]to[\\s-]hire',
    ),
  ],
  [
    'temporary',
    word('temporary|temp|fixed[\\s-]term|interim|seasonal|befristet|maternity cover|parental leave cover'),
  ],
  [
    'internship',
    word(
      'intern|internship|praktik(?:ant(?:in)?|um)|werkstudent(?:in)?|working student|becari[oa]|prácticas',
    ),
  ],
  ['volunteer', word('volunteer|unpaid|ehrenamt\\p{L}*|voluntari[oa]')],
];

function kindsIn(text = ''): readonly Contract[] {
  const plain = text.replace(TRAPS, ' ');
  return WORDS.filter(([, pattern]) => pattern.test(plain)).map(([kind]) => kind);
}

/** A statement about the job, not a word in passing: "Employment type: full-time", "This is a full-time role". */
const STATEMENTS =
  /(?:(?:employment|job|contract|position|work|engagement) ?(?:type|status|kind)|type of (?:employment|contract)|(?:beschäftigungs|anstellungs|vertrags)art|tipo de (?:contrato|empleo|jornada))\s*[:–-]\s*([^\n.;]{1,60})|(?:this is an?|it is an?|it’s an?|it's an?|we offer an?|as an?|hiring an?|looking for an?)\s+((?:[\p{L}-]+,? ){0,2}(?:full[\s-]?time|part[\s-]?time|permanent|contract|freelance|temporary|fixed[\s-]term)[\s,/-][^\n.;]{0,40}?(?:role|position|job|contract|opportunity|engagement|basis))/giu;

/** Fields that boards use for it. The jobs API names none, and keeps unknown fields as they come. */
const FIELDS = [
  'employment_type',
  'employmentType',
  'job_type',
  'jobType',
  'contract_type',
  'contractType',
  'type',
  'commitment',
];
/** As many characters of a title, of the fields or of the tags are read. */
const LINE_MAX = 500;
/** As many characters of a description are searched for a statement. */
const READ_MAX = 20_000;

/** Returns the kinds a posting names, from the most reliable of its parts that names any. */
function contractsOf({ title, tags, extra, description }: Posting): readonly Contract[] {
  const fields = FIELDS.flatMap((name) => {
    const value = extra?.[name];
    return typeof value === 'string' ? value.slice(0, 100) : [];
  });
  for (const text of [fields.join(' | '), title, tags?.join(' | ')]) {
    const found = kindsIn(text?.slice(0, LINE_MAX));
    if (found.length > 0) return found;
  }
  const text = plainText((description ?? '').slice(0, READ_MAX));
  return kindsIn([...text.matchAll(STATEMENTS)].flatMap(([, ...said]) => said).join(' | '));
}

export const contract: Rule = {
  parse: fromList(CONTRACTS, {
    fulltime: 'full-time',
    parttime: 'part-time',
    contractor: 'contract',
    freelance: 'contract',
    freelancer: 'contract',
    b2b: 'contract',
    temp: 'temporary',
    'fixed term': 'temporary',
    intern: 'internship',
    employed: 'permanent',
  }),
  values: CONTRACTS,
  wanted: 'a kind of contract',
  match: (values, posting) => compare(contractsOf(posting), values),
};
