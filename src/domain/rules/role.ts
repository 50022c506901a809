// The family of a role, read from the title. A title may name several ("Sales Engineer"). Where one word only says what
// another one is about ("Engineering Recruiter", "Product Designer"), the family is that of the other one.
import { compare, fromList, type Rule } from './rule.js';

const ROLES = [
  'engineering',
  'data',
  'research',
  'security',
  'design',
  'product',
  'marketing',
  'sales',
  'devrel',
  'community',
  'support',
  'operations',
  'finance',
  'legal',
  'people',
] as const;
export type Role = (typeof ROLES)[number];

const word = (pattern: string) => new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern})(?![\\p{L}\\p{N}])`, 'giu');

/**
 * Families by the words of their titles. Those above come first: the words that they match are not read again, so
 * "Product Designer" is design and not product.
 */
const WORDS: readonly (readonly [Role, RegExp])[] = [
  [
    'people',
    word(
      '(?:[\\p{L}]+ )?(?:recruiter|recruiting|recruitment|talent acquisition|sourcer)|(?:people|talent|hr)(?: (?:operations|ops|partner|manager))?|human resources|hr business partner',
    ),
  ],
  [
    'devrel',
    word(
      '(?:developer|dev) (?:relations|advocate|evangelist|experience advocate)|devrel|developer marketing',
    ),
  ],
  [
    'support',
    word(
      '(?:technical |customer |product |it )?support(?: (?:engineer|specialist|agent|manager|representative|analyst))?|customer (?:success|service|experience)(?: (?:manager|engineer|specialist))?|help ?desk',
    ),
  ],
  ['community', word('community(?: [\\p{L}]+)?|(?:discord |telegram )?moderator|ambassador')],
  [
    'marketing',
    word(
      '(?:product |growth |content |performance |digital |brand )?marketing(?: (?:manager|operations|analyst|designer))?|growth|seo|content (?:writer|creator|strategist|lead|manager)|copywriter|social media(?: manager)?|brand|communications?|public relations|pr manager|kol [\\p{L}]+',
    ),
  ],
  [
    'sales',
    word(
      'sales(?: (?:operations|ops|development|representative|manager))?|account (?:executive|manager|director)|business development(?: [\\p{L}]+)?|bizdev|bd|partnerships?|(?:sdr|bdr)|lead gen(?:eration)?(?: [\\p{L}]+)?',
    ),
  ],
  [
    'design',
    word(
      '(?:product |ux |ui |ui/ux |ux/ui |web |graphic |visual |motion |brand |game |3d )?design(?:er)?|ux(?: research(?:er)?)?|ui|illustrator|animator|artist|art director|creative director',
    ),
  ],
  ['product', word('(?:technical )?product(?: (?:manager|owner|lead|management|operations))?|pm')],
  [
    'legal',
    word(
      'legal(?: [\\p{L}]+)?|counsel|lawyer|attorney|paralegal|compliance(?: (?:officer|manager|analyst))?|regulatory|aml(?: [\\p{L}]+)?',
    ),
  ],
  [
    'finance',
    word(
      '(?<!(?:decentrali[sz]ed|on-chain|open) )finance(?: [\\p{L}]+)?|financial (?:analyst|controller|planning)|account(?:ant|ing)|controller|treasury|tax|bookkeeper|payroll|auditor(?<!(?:contract|security|protocol) auditor)|fp&a',
    ),
  ],
  [
    'security',
    word(
      'security|(?:smart contract|protocol) auditor|pentester|penetration tester|infosec|appsec|red team(?:er)?',
    ),
  ],
  [
    'data',
    word(
      'data|analytics|machine learning|ml|business intelligence|(?:data |business |research |quantitative )analyst|ai',
    ),
  ],
  ['research', word('research(?:er)?|scientist|cryptographer|economist|quant')],
  [
    'engineering',
    word(
      'engineer(?:ing)?|developer|dev|programmer|architect|devops|sre|front-?end|back-?end|full-?stack|cto|software|blockchain|qa|tester|hacker|entwickler(?:in)?|desarrollador(?:a)?|ingenier[oa]',
    ),
  ],
  [
    'operations',
    word(
      'operations?|ops|chief of staff|office manager|(?:project|program|programme) manager|(?:executive|personal|virtual|administrative|office) assistant|administrator|coo|procurement|supply chain|logistics',
    ),
  ],
];

/** Returns the families that a title names. */
export function rolesOf(title: string): readonly Role[] {
  let left = title.slice(0, 300);
  const found = new Set<Role>();
  for (const [role, pattern] of WORDS) {
    const next = left.replace(pattern, ' | ');
    if (next !== left) found.add(role);
    left = next;
  }
  return ROLES.filter((role) => found.has(role));
}

export const role: Rule = {
  parse: fromList(ROLES, {
    engineer: 'engineering',
    developer: 'engineering',
    development: 'engineering',
    tech: 'engineering',
    'data science': 'data',
    analytics: 'data',
    designer: 'design',
    'product management': 'product',
    growth: 'marketing',
    'business development': 'sales',
    'developer relations': 'devrel',
    'customer support': 'support',
    ops: 'operations',
    accounting: 'finance',
    compliance: 'legal',
    hr: 'people',
    recruiting: 'people',
  }),
  values: ROLES,
  wanted: 'a role family',
  match: (values, { title }) => compare(rolesOf(title ?? ''), values),
};
