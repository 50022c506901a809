// The mail about a week without a posting: that nothing matched, what nearly did, and which change would let it through.

import { shortPay } from '../domain/pay.js';
import { readTerm } from '../domain/rules/index.js';
import { ellipsis, oneLine } from '../domain/text.js';
import type { QuietWeek } from '../ports/sink.js';
import { type CardView, cardView } from './card-view.js';
import { describeCadence, describeTerm, listOf, periodOf } from './describe.js';
import type { PageLinks } from './digest-view.js';
import { viewPosting } from './posting-view.js';
import { type Texts, textsFor } from './texts.js';

interface QuietView {
  readonly lang: string;
  readonly subject: string;
  readonly preheader: string;
  readonly headline: string;
  readonly via: string;
  readonly text: string;
  /** Null without a near miss. */
  readonly near: string | null;
  /** `why`: the rule that removed the posting, and the change that would let it through. */
  readonly misses: readonly { readonly card: CardView; readonly why: string }[];
  /** Where the filter can be changed. */
  readonly links: PageLinks;
  readonly why: string;
  readonly note: string;
}

export function quietView(week: QuietWeek, links: PageLinks): QuietView {
  const { locale, source, destination, from, slot } = week;
  const texts = textsFor(locale);
  const { quiet, whyThis } = texts.mail;
  const about = oneLine(week.about);
  const { timezone } = destination.cadence;
  const period = periodOf(from, slot, timezone, locale);
  const misses = week.misses.map(({ posting, rule }) => {
    const view = viewPosting(
      { ...posting, matched: [] },
      { locale, source, timezone, now: slot, snippet: 0 },
    );
    return { card: cardView(view, texts, false), why: reasonOf(rule, texts) };
  });
  return {
    lang: texts.intl,
    subject: quiet.subject({ about: ellipsis(about, 60) }),
    preheader: quiet.preheader,
    headline: quiet.headline({ period }),
    via: texts.card.via({ source }),
    text: quiet.text({ about }),
    near: misses.length > 0 ? quiet.near({ count: misses.length }) : null,
    misses,
    links,
    why: whyThis({ about, cadence: describeCadence(destination.cadence, locale) }),
    note: texts.card.note,
  };
}

/** A rule as the filter names it ("exclude: intern"), as a sentence with the change that would widen the filter. */
function reasonOf(rule: string, texts: Texts): string {
  const { mail, card, intl, describe } = texts;
  const { quiet } = mail;
  const [kind = '', value = ''] = /^(\w+): (.*)$/su.exec(rule)?.slice(1) ?? [];
  if (kind === 'exclude') return quiet.exclude({ word: value });
  if (kind === 'include') return quiet.include({ words: listOf(value.split(', '), intl, 'disjunction') });
  const term = readTerm(rule);
  if (term) return quiet.rule({ rule: describe.quoted({ phrase: describeTerm(term, texts) }) });
  const least = Number(value);
  if (Number.isNaN(least)) return quiet.payUnknown;
  return quiet.minSalary({ pay: shortPay({ min: least, max: least, currency: 'USD' }, card) });
}
