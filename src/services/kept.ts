// What is kept for an account: the postings that its own polls found and that it marked. Searches them, and sums up a
// week.
import { defined } from '../domain/defined.js';
import type { EditionPosting } from '../domain/edition.js';
import { wouldMatch } from '../domain/filter.js';
import { fitOf, wishesOf } from '../domain/fit.js';
import type { Posting } from '../domain/posting.js';
import { ranked } from '../domain/ranking.js';
import type { Pipeline } from '../pipeline/context.js';
import { keptIn } from '../pipeline/prepare.js';
import type { KeptPosting, Services } from '../ports/services.js';
import { owned } from './subscriptions.js';

const DAY = 86_400_000;
const WEEK = 7 * DAY;

/** Without case and accents. */
function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

function hasWords(
  { title, company, location, tags, description }: Posting,
  words: readonly string[],
): boolean {
  if (words.length === 0) return true;
  const text = folded([title, company, location, ...(tags ?? []), description].join('\n'));
  return words.every((word) => text.includes(word));
}

export function createKeptService(p: Pipeline): Pick<Services, 'search' | 'pulse'> {
  const { marks, subscriptions } = p.stores;

  /** Newest first. */
  async function keptFor(account: string, { days, mark }: Parameters<Services['search']>[1]) {
    const now = p.clock.now();
    const marked = (await marks.get(account))?.postings ?? {};
    if (mark)
      return Object.values(marked)
        .filter((one) => one.mark === mark && now - one.at <= days * DAY)
        .sort((a, b) => b.at - a.at)
        .map(({ card, before: _before, ...one }) => ({
          ...one,
          ...defined({
            elsewhere: card !== undefined && one.posting.applyUrl === undefined ? true : undefined,
          }),
        }));
    const archived = await p.history.archived(account, days, now);
    return archived
      .toReversed()
      .map(({ at, posting }) => ({ at, posting, ...defined({ mark: marked[posting.key]?.mark }) }));
  }

  return {
    async search(account, wanted) {
      const filter =
        wanted.subscription === undefined
          ? undefined
          : (await owned(p, { account }, wanted.subscription)).filter;
      const words = folded(wanted.words ?? '')
        .split(/\s+/u)
        .filter(Boolean);
      const found: KeptPosting[] = [];
      for (const one of await keptFor(account, wanted)) {
        const verdict = filter ? wouldMatch(filter, one.posting, one.at) : ANY;
        if (verdict.ok && hasWords(one.posting, words))
          found.push({ ...one, posting: { ...one.posting, matched: verdict.matched } });
      }
      return { total: found.length, postings: found.slice(0, wanted.limit) };
    },
    async pulse(account) {
      const to = p.clock.now();
      const from = to - WEEK;
      const mine = await subscriptions.byAccount(account);
      const kept = keptIn(await marks.get(account));
      const wanted = mine.map(({ filter }) => ({ filter, wishes: wishesOf(filter, kept) }));
      const postings: EditionPosting[] = [];
      for (const { posting, at } of await p.history.archived(account, 7, to)) {
        const matches = wanted.flatMap(({ filter, wishes }) => {
          const verdict = wouldMatch(filter, posting, at);
          if (!verdict.ok) return [];
          const { matched } = verdict;
          return { matched, fit: fitOf({ ...posting, matched }, wishes, to) };
        });
        const [best] = matches.toSorted((a, b) => b.fit.score - a.fit.score);
        if (!best) continue;
        const matched = [...new Set(matches.flatMap((one) => one.matched))];
        postings.push({ ...posting, matched, fit: best.fit });
      }
      return {
        from,
        to,
        subscriptions: await Promise.all(
          mine.map(async (one) => {
            const counts = await p.stores.ledgers.matches(one.id);
            const { since, hours } = counts ?? { since: to, hours: [] };
            const between = (start: number, end: number) =>
              hours.reduce((sum, [at, count]) => (at >= start && at < end ? sum + count : sum), 0);
            return {
              id: one.id,
              about: p.describe(one),
              matched: between(from, to),
              ...defined({ before: since <= from - WEEK ? between(from - WEEK, from) : undefined }),
            };
          }),
        ),
        postings: ranked(postings, to),
      };
    },
  };
}

const ANY = { ok: true, matched: [] } as const;
