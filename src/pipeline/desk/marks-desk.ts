// Saved, applied, not for me: what a person does with postings, kept per person and nobody else's business.
import { UserError } from '../../domain/errors.js';
import type { Desk } from '../../ports/desk.js';
import type { Marks } from '../../ports/stores.js';
import type { Pipeline } from '../context.js';
import { createLines } from '../lines.js';

const NONE: Marks = { postings: {}, hiddenCompanies: [], hiddenTags: [] };
/** Marks kept per person; the oldest go first. */
const MOST = 500;

type MarksDesk = Pick<Desk, 'marks' | 'mark' | 'hide'>;

export function createMarksDesk(p: Pipeline): MarksDesk {
  const { marks } = p.stores;
  const serially = createLines();

  /** Two buttons pressed at once must not undo each other. */
  function change(account: string, edit: (marks: Marks) => Marks): Promise<void> {
    return serially(account, async () => marks.set(account, edit((await marks.get(account)) ?? NONE)));
  }

  return {
    async marks(account) {
      const { postings } = (await marks.get(account)) ?? NONE;
      return Object.entries(postings)
        .map(([key, entry]) => ({ key, ...entry }))
        .sort((a, b) => b.at - a.at);
    },
    async mark(account, editionId, index, mark) {
      const edition = await p.history.edition(editionId);
      const posting = [...(edition?.postings ?? []), ...(edition?.rest ?? [])][index];
      if (!edition || !posting)
        throw new UserError(
          'This card is too old: what it showed is no longer kept. Newer cards still work.',
        );
      // The card's link belongs to the account that was sent it; another reader's list gets the posting without it.
      const { applyUrl: _theirs, ...bare } = posting;
      const kept = edition.account === account ? posting : bare;
      await change(account, (before) => {
        const { [posting.key]: _former, ...others } = before.postings;
        const next = mark ? { ...others, [posting.key]: { mark, at: p.clock.now(), posting: kept } } : others;
        const newest = Object.entries(next)
          .sort((a, b) => b[1].at - a[1].at)
          .slice(0, MOST);
        return { ...before, postings: Object.fromEntries(newest) };
      });
      return kept;
    },
    hide: (account, { company, tag }) =>
      change(account, (before) => ({
        ...before,
        hiddenCompanies: [...new Set([...before.hiddenCompanies, ...(company ? [company] : [])])].slice(-200),
        hiddenTags: [...new Set([...before.hiddenTags, ...(tag ? [tag] : [])])].slice(-50),
      })),
  };
}
