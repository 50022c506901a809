// The page behind *Save* and *Not for me* of a mail: one posting, what its reader did with it, and the buttons.
import type { Mark } from '../domain/account.js';
import type { EditionPosting } from '../domain/edition.js';
import { cardView } from './card-view.js';
import { viewPosting } from './posting-view.js';
import { type Texts, textsFor } from './texts.js';

/** What the buttons of the page do. `undo` removes the mark. */
export const FEEDBACK = ['saved', 'dismissed', 'undo'] as const;
export type FeedbackAction = (typeof FEEDBACK)[number];

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
  /** Where the buttons post `value` as the field `do`. */
  readonly url: string;
  readonly actions: readonly {
    readonly value: FeedbackAction;
    readonly label: string;
    readonly quiet: boolean;
  }[];
  /** The apply link, byte for byte. */
  readonly link: string | null;
  readonly apply: string;
  readonly noLink: string | null;
}

/** `mark`: what the reader did before; `wanted`: what the link in the mail offers, whose button comes first. */
export function feedbackView(of: {
  readonly posting: EditionPosting;
  readonly mark: Mark | undefined;
  readonly wanted: FeedbackAction | undefined;
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
  const first = of.wanted ?? (mark ? undefined : 'saved');
  return {
    lang: texts.intl,
    service: service({ source }),
    title,
    about: meta,
    text: mark ? feedback[mark] : feedback.ask,
    marked: mark !== undefined,
    url: of.url,
    actions: offered(mark, first).map((value) => ({
      value,
      label: labelOf(value, texts),
      quiet: value !== first,
    })),
    link,
    apply: texts.card.apply,
    noLink,
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
