// The jobs API accepts exactly one of these slugs as its `tag` and returns no error for anything else. This file
// contains the list, and finds the slug for a similar input.
import { typos } from './typos.js';

/** The list of filter tags of the jobs API, in its order. A posting may have other tags too. */
export const TAGS = [
  'ai',
  'analyst',
  'backend',
  'bitcoin',
  'blockchain',
  'community-manager',
  'crypto',
  'cryptography',
  'cto',
  'customer-support',
  'dao',
  'data-science',
  'defi',
  'design',
  'developer-relations',
  'devops',
  'discord',
  'economy-designer',
  'entry-level',
  'erc',
  'erc-20',
  'evm',
  'front-end',
  'full-stack',
  'gaming',
  'ganache',
  'golang',
  'hardhat',
  'intern',
  'java',
  'javascript',
  'layer-2',
  'marketing',
  'mobile',
  'moderator',
  'nft',
  'node',
  'non-tech',
  'open-source',
  'openzeppelin',
  'pay-in-crypto',
  'product-manager',
  'project-manager',
  'react',
  'refi',
  'research',
  'ruby',
  'rust',
  'sales',
  'smart-contract',
  'solana',
  'solidity',
  'truffle',
  'web3-py',
  'web3js',
  'zero-knowledge',
] as const;

export type Tag = (typeof TAGS)[number];

/** A part of the work that tags belong to, in the order in which forms show them. */
export const TAG_GROUPS = ['engineering', 'contracts', 'product', 'community', 'other'] as const;
export type TagGroup = (typeof TAG_GROUPS)[number];

const GROUPED: Readonly<Record<Exclude<TagGroup, 'other'>, readonly Tag[]>> = {
  engineering: [
    ...(['ai', 'backend', 'cto', 'data-science', 'devops', 'front-end', 'full-stack', 'golang'] as const),
    ...(['java', 'javascript', 'mobile', 'node', 'react', 'ruby', 'rust', 'web3-py', 'web3js'] as const),
  ],
  contracts: [
    ...(['cryptography', 'erc', 'erc-20', 'evm', 'ganache', 'hardhat', 'layer-2', 'openzeppelin'] as const),
    ...(['smart-contract', 'solana', 'solidity', 'truffle', 'zero-knowledge'] as const),
  ],
  product: ['analyst', 'design', 'economy-designer', 'product-manager', 'project-manager', 'research'],
  community: [
    ...(['community-manager', 'customer-support', 'developer-relations', 'discord', 'marketing'] as const),
    ...(['moderator', 'sales'] as const),
  ],
};

/** The tags of a group, in the order of {@link TAGS}. Every tag belongs to exactly one group. */
export function tagsOf(group: TagGroup): readonly Tag[] {
  if (group !== 'other') return GROUPED[group];
  const grouped = new Set<Tag>(Object.values(GROUPED).flat());
  return TAGS.filter((tag) => !grouped.has(tag));
}

const TAG_SET: ReadonlySet<string> = new Set(TAGS);

// Keys are compact spellings (see `compact`), so "Front End", "front_end" and "FrontEnd" are one entry.
const ALIASES: Readonly<Record<string, Tag>> = {
  artificialintelligence: 'ai',
  machinelearning: 'ai',
  ml: 'ai',
  llm: 'ai',
  analytics: 'analyst',
  dataanalyst: 'analyst',
  server: 'backend',
  btc: 'bitcoin',
  community: 'community-manager',
  cm: 'community-manager',
  cryptocurrency: 'crypto',
  chieftechnologyofficer: 'cto',
  support: 'customer-support',
  helpdesk: 'customer-support',
  customersuccess: 'customer-support',
  governance: 'dao',
  datascientist: 'data-science',
  data: 'data-science',
  decentralizedfinance: 'defi',
  decentralisedfinance: 'defi',
  designer: 'design',
  ux: 'design',
  ui: 'design',
  uiux: 'design',
  uxui: 'design',
  productdesign: 'design',
  devrel: 'developer-relations',
  developeradvocate: 'developer-relations',
  sre: 'devops',
  infrastructure: 'devops',
  kubernetes: 'devops',
  tokenomics: 'economy-designer',
  gameeconomy: 'economy-designer',
  junior: 'entry-level',
  graduate: 'entry-level',
  erc20: 'erc-20',
  ethereum: 'evm',
  eth: 'evm',
  frontend: 'front-end',
  fe: 'front-end',
  be: 'backend',
  fullstack: 'full-stack',
  games: 'gaming',
  game: 'gaming',
  gamefi: 'gaming',
  go: 'golang',
  internship: 'intern',
  js: 'javascript',
  ts: 'javascript',
  typescript: 'javascript',
  l2: 'layer-2',
  layertwo: 'layer-2',
  rollup: 'layer-2',
  rollups: 'layer-2',
  growth: 'marketing',
  android: 'mobile',
  ios: 'mobile',
  mod: 'moderator',
  nfts: 'nft',
  nonfungibletoken: 'nft',
  nodejs: 'node',
  notech: 'non-tech',
  nontechnical: 'non-tech',
  oss: 'open-source',
  foss: 'open-source',
  oz: 'openzeppelin',
  paidincrypto: 'pay-in-crypto',
  product: 'product-manager',
  pm: 'product-manager',
  productowner: 'product-manager',
  projectmanagement: 'project-manager',
  productmanagement: 'product-manager',
  reactjs: 'react',
  reactnative: 'react',
  nextjs: 'react',
  regenerativefinance: 'refi',
  researcher: 'research',
  rubyonrails: 'ruby',
  rails: 'ruby',
  rustlang: 'rust',
  bizdev: 'sales',
  businessdevelopment: 'sales',
  smartcontracts: 'smart-contract',
  contracts: 'smart-contract',
  sol: 'solana',
  anchor: 'solana',
  web3python: 'web3-py',
  python: 'web3-py',
  zk: 'zero-knowledge',
  zkp: 'zero-knowledge',
  zkproofs: 'zero-knowledge',
  snark: 'zero-knowledge',
  zksnark: 'zero-knowledge',
  stark: 'zero-knowledge',
};

const COMPACT: ReadonlyMap<string, Tag> = new Map<string, Tag>([
  ...Object.entries(ALIASES),
  ...TAGS.map((tag): [string, Tag] => [compact(tag), tag]),
]);

// Names that are not just their slug with a capital: products as they spell themselves, and abbreviations.
const DISPLAY: Readonly<Record<string, string>> = {
  ai: 'AI',
  aws: 'AWS',
  csharp: 'C#',
  cto: 'CTO',
  dao: 'DAO',
  defi: 'DeFi',
  devops: 'DevOps',
  erc: 'ERC',
  'erc-20': 'ERC-20',
  evm: 'EVM',
  'front-end': 'Front-end',
  'full-stack': 'Full-stack',
  graphql: 'GraphQL',
  ios: 'iOS',
  javascript: 'JavaScript',
  'layer-2': 'Layer 2',
  nft: 'NFT',
  node: 'Node.js',
  'non-tech': 'Non-tech',
  openzeppelin: 'OpenZeppelin',
  php: 'PHP',
  postgresql: 'PostgreSQL',
  refi: 'ReFi',
  sql: 'SQL',
  typescript: 'TypeScript',
  'web3-py': 'web3.py',
  web3js: 'web3.js',
  'zero-knowledge': 'ZK',
};

/** The names of all tags. Not an object, because a posting's tags can be any text, including `constructor`. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ...TAGS.map((tag) => [tag, spelled(tag)] as const),
  ...Object.entries(DISPLAY),
]);

/** True for a slug that the API's `tag` parameter accepts, spelled exactly (lower case, hyphens). */
export function isTag(value: unknown): value is Tag {
  return typeof value === 'string' && TAG_SET.has(value);
}

/**
 * Returns the one slug that an input clearly means ("Front End", "zk", "golang"); undefined if there is none. Does
 * not correct typing errors.
 */
export function resolveTag(input: string): Tag | undefined {
  return COMPACT.get(compact(input));
}

/**
 * Returns up to `n` slugs closest to the input, best first; empty if nothing is close. An empty input returns the
 * first `n` of the list, which an autocomplete shows before you type.
 */
export function nearestTags(input: string, n = 5): Tag[] {
  const wanted = compact(input);
  if (wanted === '') return input.trim() === '' ? TAGS.slice(0, n) : [];
  const scores = new Map<Tag, number>();
  for (const [spelling, tag] of COMPACT) {
    const score = scoreOf(wanted, spelling, compact(tag) === spelling);
    const best = scores.get(tag);
    if (score !== undefined && (best === undefined || score < best)) scores.set(tag, score);
  }
  return [...scores.entries()]
    .sort(([, a], [, b]) => a - b)
    .slice(0, n)
    .map(([tag]) => tag);
}

/** Returns the name of a tag slug: "TypeScript", "Smart contract". An unknown slug has spaces for its hyphens. */
export function displayTag(slug: string): string {
  return NAMES.get(slug) ?? spelled(slug);
}

function spelled(slug: string): string {
  return slug.slice(0, 1).toUpperCase() + slug.slice(1).replaceAll('-', ' ');
}

// Lower is closer: equal < starts with < contains < few typing errors. An alias ranks just behind the slug itself.
function scoreOf(wanted: string, spelling: string, isSlug: boolean): number | undefined {
  const handicap = isSlug ? 0 : 0.5;
  if (spelling === wanted) return 0;
  if (spelling.startsWith(wanted)) return 1 + handicap;
  // An alias is long and rarely the word that is searched: "net" is in "kubernetes".
  if (wanted.length >= (isSlug ? 3 : 5) && spelling.includes(wanted)) return 2 + handicap;
  if (spelling.length >= 4 && wanted.startsWith(spelling)) return 3 + handicap;
  const errors = typos(wanted, spelling);
  if (errors > Math.floor(Math.min(wanted.length, spelling.length) / 4)) return undefined;
  return 3 + errors + handicap;
}

/** Keeps letters of other scripts. Otherwise a word in Cyrillic would become empty, and close to everything. */
function compact(text: string): string {
  return text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
