// Saved, applied, not for me: what a person does with postings. Kept per person, and not shown to others.
import { defined } from '../domain/defined.js';
import type { EditionPosting } from '../domain/edition.js';
import { refusal, type UserError } from '../domain/errors.js';
import { keysMeant } from '../domain/posting.js';
import { remindLater } from '../domain/reminders.js';
import { type Mark, type Marked, moved, undone } from '../domain/stages.js';
import { readerOf } from '../domain/subscription.js';
import type { Pipeline } from '../pipeline/context.js';
import { setReminders, wantsReminders } from '../pipeline/reminders.js';
import type { Hidable, Services } from '../ports/services.js';
import type { Marks } from '../ports/stores.js';

export const EMPTY_MARKS: Marks = { postings: {}, hiddenCompanies: [], hiddenTags: [] };
/** Marks kept per person; the oldest go first, and those of an application that is under way go last. */
const MOST = 500;
const MOST_COMPANIES = 200;
const MOST_TAGS = 50;

/** How far back a posting can be marked by its key. */
const DAYS = 90;

type MarksService = Pick<
  Services,
  | 'marks'
  | 'mark'
  | 'unmark'
  | 'moveMarked'
  | 'markKept'
  | 'hidden'
  | 'hide'
  | 'unhide'
  | 'reminders'
  | 'setReminders'
  | 'remindLater'
>;

export function createMarksService(p: Pipeline): MarksService {
  const { marks } = p.stores;

  async function change(account: string, edit: (marks: Marks) => Marks): Promise<void> {
    await marks.update(account, (before) => edit(before ?? EMPTY_MARKS));
  }

  /** Changes one posting's entry. `edit` gets the entry and returns the next one, undefined for none. */
  async function changeOne(
    account: string,
    key: string,
    edit: (former: Entry | undefined) => Entry | undefined,
  ): Promise<void> {
    await change(account, (before) => {
      const { [key]: former, ...others } = before.postings;
      const next = edit(former);
      if (next === former) return before;
      const kept = Object.entries(next ? { ...others, [key]: next } : others)
        .sort(([, a], [, b]) => Number(isUnderWay(b)) - Number(isUnderWay(a)) || b.at - a.at)
        .slice(0, MOST);
      return { ...before, postings: Object.fromEntries(kept) };
    });
  }

  function put(account: string, posting: EditionPosting, mark: Mark | undefined, card?: string) {
    return changeOne(account, posting.key, (former) => {
      const shownAt = card ?? former?.card;
      return (
        mark && { ...moved(former, mark, p.clock.now()), posting, ...defined({ card: shownAt || undefined }) }
      );
    });
  }

  return {
    async marks(account) {
      const { postings } = (await marks.get(account)) ?? EMPTY_MARKS;
      return Object.entries(postings)
        .map(([key, entry]) => ({ key, ...entry }))
        .sort((a, b) => b.at - a.at);
    },
    async mark(account, editionId, index, mark, card) {
      const edition = await p.history.edition(editionId);
      const posting = [...(edition?.postings ?? []), ...(edition?.rest ?? [])][index];
      if (!edition || !posting) throw cardGone();
      // The link belongs to the reader it was sent to. Another reader's list gets the posting without it.
      const { applyUrl: _theirs, ...bare } = posting;
      const kept = readerOf(edition.account, edition.destination.id) === account ? posting : bare;
      await put(account, kept, mark, card);
      return kept;
    },
    unmark: (account, key, mark) =>
      changeOne(account, key, (former) => {
        if (!former || (mark !== undefined && former.mark !== mark)) return former;
        return withMark(former, undone(former));
      }),
    async moveMarked(account, key, mark) {
      let next: Entry | undefined;
      let found: Entry | undefined;
      await changeOne(account, key, (former) => {
        found = former;
        next = former && withMark(former, mark && moved(former, mark, p.clock.now()));
        return next;
      });
      const shown = next ?? found;
      return shown && { key, ...shown };
    },
    async markKept(account, text, mark) {
      const wanted = text.trim();
      const keys = keysMeant(wanted);
      const archived = await p.history.archived(account, DAYS, p.clock.now());
      const marked = Object.values((await marks.get(account))?.postings ?? {});
      const found = [...marked, ...archived].findLast(
        ({ posting: { key, applyUrl } }) => keys.includes(key) || applyUrl === wanted,
      );
      if (!found) return undefined;
      const posting = { ...found.posting, matched: [] };
      await put(account, posting, mark);
      return posting;
    },
    reminders: (account) => wantsReminders(p, account),
    setReminders: (account, isOn) => setReminders(p, account, isOn),
    async remindLater(account, key) {
      let isAsked = false;
      await changeOne(account, key, (former) => {
        const next = former && remindLater(former, p.clock.now());
        isAsked = next !== former;
        return next;
      });
      return isAsked;
    },
    async hidden(account) {
      const { hiddenCompanies, hiddenTags } = (await marks.get(account)) ?? EMPTY_MARKS;
      return [
        ...hiddenCompanies.toReversed().map((company) => ({ company })),
        ...hiddenTags.toReversed().map((tag) => ({ tag })),
      ];
    },
    hide: (account, what) => change(account, (before) => hiding(before, what, (list, one) => [...list, one])),
    unhide: (account, what) => change(account, (before) => hiding(before, what, (list) => list)),
  };
}

type Entry = Marks['postings'][string];

function withMark({ posting, card }: Entry, marked: Marked | undefined): Entry | undefined {
  return marked && { ...marked, posting, ...defined({ card }) };
}

function isUnderWay({ mark }: Marked): boolean {
  return mark === 'applied' || mark === 'interview' || mark === 'offer';
}

export function cardGone(): UserError {
  return refusal(
    'cardGone',
    'This card is too old: what it showed is no longer kept. Newer cards still work.',
  );
}

/** `put` gets the list without the entry and returns it with or without the entry, newest last. */
function hiding(
  before: Marks,
  what: Hidable,
  put: (list: readonly string[], one: string) => readonly string[],
): Marks {
  const changed = (list: readonly string[], one: string, most: number) =>
    put(
      list.filter((other) => other !== one),
      one,
    ).slice(-most);
  return 'company' in what
    ? { ...before, hiddenCompanies: changed(before.hiddenCompanies, what.company, MOST_COMPANIES) }
    : { ...before, hiddenTags: changed(before.hiddenTags, what.tag, MOST_TAGS) };
}
