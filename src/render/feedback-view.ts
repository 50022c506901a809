// The page behind *Save* and *Not for me* of a mail: one posting, what its reader did with it, what the posting suggests
// to change in the rule, and the buttons.

import type { EditionPosting } from '../domain/edition.js';
import type { Filter } from '../domain/filter.js';
import type { Mark } from '../domain/stages.js';
import type { RuleAdvice, RuleOffer } from '../ports/services.js';
import { cardView } from './card-view.js';
import { describeEffect, describeFilter, describeTerm } from './describe.js';
import { viewPosting } from './posting-view.js';
import { type Texts, textsFor } from './texts.js';

/** What the buttons of the page do. `undo` brings back the mark before, if there was one. */
export const FEEDBACK = ['saved', 'dismissed', 'undo'] as const;
export type FeedbackAction = (typeof FEEDBACK)[number];

/** What the buttons of the changes do. */
export const RULE_ACTIONS = ['change', 'restore'] as const;

/** A change of the rule as the page shows it. `choice` is posted as a field. */
interface Offer {
  readonly action: (typeof RULE_ACTIONS)[number];
  readonly choice: string;
  readonly label: string;
  /** Its effect, or what the rule says since it was made. */
  readonly text: string;
  readonly made: boolean;
}

interface FeedbackView {
  readonly lang: string;
  readonly service: string;
  /** The posting's title. */
  readonly title: string;
  /** Company and place. */
  readonly about: string | null;
  /** What the reader did with the posting, or what the buttons do. */
  readonly text: string;
  readonly marked: boolean;
  /** The present mark, which the form that undoes it names. */
  readonly mark: Mark | null;
  /** Where the buttons post `value` as the field `do`. */
  readonly url: string;
  readonly actions: readonly {
    readonly value: FeedbackAction;
    readonly label: string;
    readonly quiet: boolean;
  }[];
  /** The reader asked what to get more of, so the changes of the rule come before the marks. */
  readonly wantsLike: boolean;
  /** The question before the changes of the rule; null if there are none. */
  readonly question: string | null;
  readonly offers: readonly Offer[];
  /** Why there is no change of the rule to choose. */
  readonly locked: string | null;
  /** A link to what the reader may want more of; null on the page that shows it. */
  readonly like: { readonly label: string; readonly url: string } | null;
  /** The apply link, byte for byte. */
  readonly link: string | null;
  readonly apply: string;
  readonly noLink: string | null;
}

/**
 * `mark`: what the reader did before; `wanted`: what the link in the mail offers, whose button comes first; `advice`:
 * how the rule can change, if the page asks for it.
 */
export function feedbackView(of: {
  readonly posting: EditionPosting;
  readonly mark: Mark | undefined;
  readonly wanted: FeedbackAction | 'like' | undefined;
  readonly advice?: RuleAdvice | undefined;
  readonly url: string;
  readonly locale: string;
  readonly source: string;
  readonly now: number;
}): FeedbackView {
  const { posting, mark, locale, source, now } = of;
  const texts = textsFor(locale);
  const { feedback, service } = texts.page;
  const view = viewPosting(posting, { locale, source, now, snippet: 0 });
  const { title, meta, link, noLink } = cardView(view, texts, false);
  const isLike = of.wanted === 'like';
  const first = of.wanted === 'like' ? undefined : (of.wanted ?? (mark ? undefined : 'saved'));
  const offers = (of.advice?.offers ?? [])
    .filter(({ id }) => id.startsWith(isLike ? 'rather-' : 'not-'))
    .map((offer) => offerOf(offer, of.advice?.subscription.filter, texts, locale));
  const question = isLike ? texts.rule.like : texts.rule.why;
  return {
    lang: texts.intl,
    service: service({ source }),
    title,
    about: meta,
    text: mark ? feedback[mark] : feedback.ask,
    marked: mark !== undefined,
    mark: mark ?? null,
    url: of.url,
    actions: offered(mark, first).map((value) => ({
      value,
      label: labelOf(value, texts),
      quiet: value !== first,
    })),
    wantsLike: isLike,
    question: offers.length > 0 ? question : null,
    offers,
    locked: of.advice?.locked
      ? texts.bot.fault[of.advice.locked]
      : isLike && offers.length === 0
        ? texts.rule.nothing
        : null,
    like: isLike || mark === 'dismissed' ? null : { label: texts.card.like, url: `${of.url}?do=like` },
    link,
    apply: texts.card.apply,
    noLink,
  };
}

function offerOf(offer: RuleOffer, filter: Filter | undefined, texts: Texts, locale: string): Offer {
  const { rule, page } = texts;
  const { id, reason, says, isMade } = offer;
  const words = describeTerm(says, texts);
  if (isMade && filter)
    return {
      action: 'restore',
      choice: id,
      label: rule.offer({ reason: page.feedback.undo, words }),
      text: rule.made({ words: describeFilter(filter, locale) }),
      made: true,
    };
  return {
    action: 'change',
    choice: id,
    label: rule.offer({ reason: rule.reasons[reason], words }),
    text: describeEffect(offer, texts),
    made: false,
  };
}

/** The actions that change something, `first` before all others. */
function offered(mark: Mark | undefined, first: FeedbackAction | undefined): readonly FeedbackAction[] {
  const order: readonly FeedbackAction[] = mark ? ['undo', 'saved', 'dismissed'] : ['saved', 'dismissed'];
  const useful = order.filter((one) => one !== mark);
  return [...useful.filter((one) => one === first), ...useful.filter((one) => one !== first)];
}

function labelOf(action: FeedbackAction, { card, page }: Texts): string {
  return { saved: card.save, dismissed: card.dismiss, undo: page.feedback.undo }[action];
}
