// "Not for me" and "More like this": changes of the rule that brought a posting. Only the owner of the subscription can
// make them. They are stored with the owner's marks, so that one made in chat can be undone on a page, and the other
// way round.
import { defined } from '../domain/defined.js';
import type { EditionPosting } from '../domain/edition.js';
import { refusal } from '../domain/errors.js';
import type { Filter } from '../domain/filter.js';
import {
  changedBy,
  effectOf,
  exclusions,
  isMade,
  type RuleChoice,
  wishes,
  withoutChange,
} from '../domain/rule-change.js';
import type { Subscription } from '../domain/subscription.js';
import type { Pipeline } from '../pipeline/context.js';
import { followSubscription } from '../pipeline/subscription-sync.js';
import type { RuleAdvice, Services } from '../ports/services.js';
import type { EditionRecord, MadeChange } from '../ports/stores.js';
import { cardGone, EMPTY_MARKS } from './marks.js';

/** Changes kept per person; the oldest go first. */
const MOST = 200;
/** The effect of a change is counted over the postings of this many days. */
const DAYS = 30;

type FeedbackService = Pick<Services, 'ruleAdvice' | 'changeRule' | 'undoRule'>;

export function createFeedbackService(p: Pipeline): FeedbackService {
  const { marks, subscriptions } = p.stores;

  async function find(
    editionId: string,
    key: string,
  ): Promise<{ record: EditionRecord; posting: EditionPosting; subscription: Subscription }> {
    const record = await p.history.edition(editionId);
    const posting = [...(record?.postings ?? []), ...(record?.rest ?? [])].find((one) => one.key === key);
    const subscription = record && (await subscriptions.get(record.subscription));
    if (!posting || !subscription) throw cardGone();
    return { record, posting, subscription };
  }

  /** What the reader changed before because of a posting, as far as the rule still is that way. */
  async function madeBy(
    reader: string,
    { id, filter }: Subscription,
    key: string,
  ): Promise<readonly MadeChange[]> {
    const { changes = [] } = (await marks.get(reader)) ?? EMPTY_MARKS;
    return changes.filter(
      (one) => one.subscription === id && one.posting === key && isMade(filter, one.choice.change),
    );
  }

  /** Changes the filter as it is stored now, which may not be the one that the reader saw. */
  async function apply(
    reader: string,
    id: string,
    change: (filter: Filter) => Filter,
  ): Promise<Subscription> {
    const stored = await subscriptions.update(id, (former) => {
      if (!former) throw cardGone();
      mustBeOpen(reader, former);
      const filter = change(former.filter);
      return filter === former.filter ? former : { ...former, filter };
    });
    await followSubscription(p, id);
    return stored as Subscription;
  }

  const choicesOf = (filter: Filter, posting: EditionPosting): readonly RuleChoice[] => [
    ...exclusions(filter, posting, p.clock.now()),
    ...wishes(filter, posting, p.clock.now()),
  ];

  return {
    async ruleAdvice(reader, edition, key) {
      const { posting, subscription } = await find(edition, key);
      const locked = lockOf(reader, subscription);
      if (locked) return { subscription, locked, offers: [] };
      const { id, account, filter } = subscription;
      const now = p.clock.now();
      const former = (await p.history.archived(account, DAYS, now)).map((one) => ({
        ...one,
        own: one.subscription === id,
      }));
      const made = (await madeBy(reader, subscription, key)).map(({ choice }) => ({
        ...choice,
        isMade: true,
        effect: effectOf(withoutChange(filter, choice.change), choice.change, former),
      }));
      const open = choicesOf(filter, posting)
        .filter((one) => !made.some((other) => other.id === one.id))
        .map((one) => ({ ...one, isMade: false, effect: effectOf(filter, one.change, former) }));
      return { subscription, offers: [...made, ...open] };
    },
    async changeRule(reader, edition, key, wanted) {
      const { posting, subscription } = await find(edition, key);
      mustBeOpen(reader, subscription);
      const { id, filter } = subscription;
      // Pressed twice.
      if ((await madeBy(reader, subscription, key)).some(({ choice }) => choice.id === wanted))
        return subscription;
      const choice = choicesOf(filter, posting).find((one) => one.id === wanted);
      if (!choice)
        throw refusal(
          'ruleChanged',
          'The rule has changed since, so this no longer fits. Open the posting again to see what does.',
        );
      // Stored before the rule changes: a change that is stored but not made can do no harm, see isMade.
      const entry: MadeChange = { at: p.clock.now(), subscription: id, posting: key, choice };
      await marks.update(reader, (before = EMPTY_MARKS) => {
        const others = before.changes?.filter((one) => !isSame(one, entry)) ?? [];
        return { ...before, changes: [entry, ...others].slice(0, MOST) };
      });
      return apply(reader, id, (former) => changedBy(former, choice.change));
    },
    async undoRule(reader, edition, key, wanted) {
      const { subscription } = await find(edition, key);
      mustBeOpen(reader, subscription);
      const made = (await madeBy(reader, subscription, key)).find(({ choice }) => choice.id === wanted);
      if (!made) return subscription;
      const next = await apply(reader, subscription.id, (former) =>
        withoutChange(former, made.choice.change),
      );
      await marks.update(
        reader,
        (before) =>
          before && {
            ...before,
            ...defined({ changes: before.changes?.filter((one) => !isSame(one, made)) }),
          },
      );
      return next;
    },
  };
}

function isSame(one: MadeChange, other: MadeChange): boolean {
  return (
    one.subscription === other.subscription &&
    one.posting === other.posting &&
    one.choice.id === other.choice.id
  );
}

/** Why a reader can't change a rule; undefined if the reader can. */
function lockOf(reader: string, { account, origin }: Subscription): RuleAdvice['locked'] {
  if (origin === 'file') return 'ruleInFile';
  return reader === account ? undefined : 'notYourRule';
}

function mustBeOpen(reader: string, subscription: Subscription): void {
  const locked = lockOf(reader, subscription);
  if (locked === 'ruleInFile')
    throw refusal(locked, 'The operator keeps this rule in a file. Only the operator can change it.');
  if (locked)
    throw refusal(locked, 'The rule that brought this posting belongs to another person, who can change it.');
}
