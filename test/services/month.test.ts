// A month of 20 readers who begin with a wide rule and, at most once a day, say why a posting is not for them. Each of
// them has a taste that the program does not know. Their rules must learn it without losing a posting they want, and
// `why` must explain every decision. PRINT=1 shows the rules and the figures of each reader.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../src/board/job.js';
import { printTerm } from '../../src/domain/rules/index.js';
import { secret } from '../../src/domain/secret.js';
import type { Delivery } from '../../src/ports/sink.js';
import { DAY, job, type Lab, openLab } from '../helpers/lab.js';
import { put } from '../helpers/put.js';

const LONG = { tags: 'long', timeout: 60_000 };
const READERS = 20;
const DAYS = 30;
const PER_DAY = 10;
/** The figures before and after are those of the first and of the last of these days. */
const SPAN = 7;

const TAGS = ['rust', 'solidity', 'defi', 'design'] as const;
const SIDE_TAGS = ['nft', 'gaming', 'dao', 'evm'] as const;
const COMPANIES = ['Cobalt', 'Acme', 'Lanternfish', 'Quarry', 'Tidal', 'Umbra', 'Vexel', 'Wren'] as const;
const LEVELS = ['Intern', 'Junior', '', 'Senior', 'Staff'] as const;
const PLACES = ['germany', 'portugal', 'united-states', 'india'] as const;

/** Deterministic, so that every run is the same month. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface Facts {
  readonly id: number;
  readonly day: number;
  readonly tag: string;
  readonly side: string;
  readonly company: string;
  readonly level: string;
  readonly country: string;
}

function factsOf(random: (below: number) => number): readonly Facts[] {
  const one = <T>(list: readonly T[]) => list[random(list.length)] as T;
  return Array.from({ length: DAYS * PER_DAY }, (_, n) => ({
    id: 1000 + n,
    day: Math.floor(n / PER_DAY),
    tag: one(TAGS),
    side: one(SIDE_TAGS),
    company: one(COMPANIES),
    level: one(LEVELS),
    country: one(PLACES),
  }));
}

const jobOf = ({ id, tag, side, company, level, country }: Facts): Job =>
  job(id, {
    title: `${level} Engineer ${id}`.trim(),
    company,
    tags: [tag, side],
    country,
  });

/** What a reader never wants, by the aspect that the program offers to leave out. */
interface Taste {
  readonly company: readonly string[];
  readonly level: readonly string[];
  readonly country: readonly string[];
  readonly side: readonly string[];
}

interface Reader {
  readonly id: string;
  readonly tags: readonly string[];
  readonly taste: Taste;
  readonly edits: string[];
}

function readersOf(random: (below: number) => number): readonly Reader[] {
  const some = <T>(list: readonly T[], count: number) => {
    const at = random(list.length);
    return Array.from({ length: count }, (_, n) => list[(at + n) % list.length] as T);
  };
  return Array.from({ length: READERS }, (_, n) => ({
    id: `reader${n}`,
    tags: some(TAGS, 2),
    taste: {
      company: some(COMPANIES, 1 + random(2)),
      level: some(['Intern', 'Junior', 'Staff'], 1),
      country: some(PLACES, random(2)),
      side: some(SIDE_TAGS, 1),
    },
    edits: [],
  }));
}

const isAsked = ({ tags }: Reader, { tag }: Facts) => tags.includes(tag);
/** Why a reader does not want a posting, as the beginning of the choice's id and a value that it names. */
function dislikes({ taste }: Reader, facts: Facts): readonly (readonly [choice: string, value: string])[] {
  return [
    ['not-company', 'company'],
    ['not-level', 'level'],
    ['not-country', 'country'],
    ['not-tag', 'side'],
  ].flatMap(([choice, aspect]) => {
    const value = facts[aspect as keyof Taste];
    return taste[aspect as keyof Taste].includes(value) ? [[choice as string, value] as const] : [];
  });
}

const facts = factsOf(createRandom(20));
const readers = readersOf(createRandom(7));
const factOf = new Map(facts.map((one) => [String(one.id), one]));
/** Ids of postings by reader, in the order in which they came. */
const shown = new Map<string, string[]>(readers.map(({ id }) => [id, []]));
let lab: Lab;

/** The reader says of one posting of the day why it is not for them. */
async function respond(reader: Reader, edition: Delivery): Promise<void> {
  for (const { id = '', key } of edition.postings) {
    const reasons = dislikes(reader, factOf.get(id) as Facts);
    if (reasons.length === 0) continue;
    const { offers } = await lab.services.ruleAdvice(reader.id, edition.edition, key);
    const choice = offers.find(
      (offer) =>
        !offer.isMade &&
        reasons.some(
          ([name, value]) =>
            offer.id.startsWith(name) &&
            offer.says.values.some((one) => one.toLowerCase() === value.toLowerCase()),
        ),
    );
    if (!choice) throw new Error(`${reader.id} can't say why posting ${id} is not wanted`);
    await lab.services.changeRule(reader.id, edition.edition, key, choice.id);
    reader.edits.push(printTerm(choice.says));
    return;
  }
}

beforeAll(async () => {
  lab = await openLab({ jobs: [job(1)] });
  await lab.board.setTokens(
    readers.map(({ id }) => ({ token: `token-of-${id}`, permissions: ['jobs:read'], partner: id })),
  );
  for (const { id, tags } of readers) {
    await put(lab.stores.accounts, {
      id,
      token: secret(`token-of-${id}`),
      createdAt: lab.clock.now(),
    });
    await lab.add({
      id,
      account: id,
      filter: { tags },
      schedule: '0 6 * * *',
      destinations: [{ sink: 'capture', target: id }],
    });
  }
  await lab.advance(DAY);
  for (let day = 0; day < DAYS; day++) {
    const before = lab.sink.messages.length;
    await lab.post(...facts.filter((one) => one.day === day).map(jobOf));
    await lab.advance(DAY);
    for (const edition of lab.sink.messages.slice(before)) {
      const reader = readers.find(({ id }) => id === edition.destination.target) as Reader;
      shown.get(reader.id)?.push(...edition.postings.map(({ id = '' }) => id));
      await respond(reader, edition);
    }
    // A changed rule asks at once. Otherwise, such a request would find a part of the next day's postings.
    await lab.settled();
  }
}, 300_000);
afterAll(() => lab.close());

/** Postings shown and wanted, of some days. */
function figures(reader: Reader, from: number, to: number) {
  const within = facts.filter(({ day }) => day >= from && day < to);
  const wanted = within.filter((one) => isAsked(reader, one) && dislikes(reader, one).length === 0);
  const ids = new Set(shown.get(reader.id));
  return {
    shown: within.filter(({ id }) => ids.has(String(id))).length,
    asked: within.filter((one) => isAsked(reader, one)).length,
    wanted: wanted.length,
  };
}

test('the postings shown for each wanted one fall, and no wanted one is lost', LONG, () => {
  const total = (from: number, to: number) =>
    readers
      .map((reader) => figures(reader, from, to))
      .reduce((a, b) => ({
        shown: a.shown + b.shown,
        asked: a.asked + b.asked,
        wanted: a.wanted + b.wanted,
      }));
  const before = total(0, SPAN);
  const after = total(DAYS - SPAN, DAYS);
  const each = (value: number, wanted: number) => (value / wanted).toFixed(2);
  if (process.env.PRINT)
    console.table(
      Object.fromEntries(
        readers.map((reader) => {
          const [first, last] = [figures(reader, 0, SPAN), figures(reader, DAYS - SPAN, DAYS)];
          return [
            reader.id,
            {
              'first week': each(first.shown, first.wanted),
              'last week': each(last.shown, last.wanted),
              'last week, rule unchanged': each(last.asked, last.wanted),
              edits: reader.edits.join('; '),
            },
          ];
        }),
      ),
    );
  console.log(
    `postings shown for each wanted one: ${each(before.shown, before.wanted)} in the first week, ${each(after.shown, after.wanted)} in the last (${each(after.asked, after.wanted)} without the edits)`,
  );
  for (const reader of readers) {
    const ids = shown.get(reader.id) ?? [];
    expect(new Set(ids).size, reader.id).toBe(ids.length);
    const wanted = facts.filter((one) => isAsked(reader, one) && dislikes(reader, one).length === 0);
    for (const { id } of wanted) expect(ids, reader.id).toContain(String(id));
  }
  expect(after.asked / after.wanted).toBeGreaterThan(1.8);
  expect(before.shown / before.wanted).toBeGreaterThan(1.3);
  expect(after.shown / after.wanted).toBeLessThan(1.1);
});

test('why explains every decision of the month', LONG, async () => {
  for (const reader of readers) {
    const ids = new Set(shown.get(reader.id));
    for (const one of facts) {
      const { fate, rules, destinations } = await lab.why(`id:${one.id}`, reader.id);
      const what = `${reader.id}, posting ${one.id}`;
      if (ids.has(String(one.id))) {
        expect([fate, destinations[0]?.state], what).toEqual(['matched', 'sent']);
      } else if (isAsked(reader, one)) {
        expect(fate, what).toBe('filtered');
        const named = (rules ?? []).filter(({ removes }) => removes).flatMap(({ values }) => values);
        const reasons = dislikes(reader, one).map(([, value]) => value.toLowerCase());
        const why = named.filter((value) => reasons.includes(value.toLowerCase()));
        expect(why, what).not.toEqual([]);
      } else expect(fate, what).toBe('unseen');
    }
  }
});
