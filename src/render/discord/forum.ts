// What a forum post needs in addition to its message: a name, and the tags of the forum that fit the postings.
import type { EditionPosting } from '../../domain/edition.js';
import { cardsOf } from '../../domain/same-job.js';
import { displayTag } from '../../domain/tags.js';
import { withoutAddresses } from '../../domain/text.js';
import type { Delivery } from '../../ports/sink.js';
import { periodOf } from '../describe.js';
import { textsFor } from '../texts.js';
import { plain } from './escape.js';
import { LIMITS } from './payload.js';

/** A tag of a forum. Only moderators may use a `moderated` one. */
export interface ForumTag {
  readonly id: string;
  readonly name: string;
  readonly moderated?: boolean;
}

/** True when each card gets its own forum post. */
export function isPostPerPosting({ destination }: Pick<Delivery, 'destination'>): boolean {
  return destination.options?.forum === 'posting';
}

/** The title of a forum post: the title of a single posting, otherwise the edition's subject and period. */
export function threadName(delivery: Delivery): string {
  const { parts, from, slot, destination, locale, about } = delivery;
  const { card } = textsFor(locale);
  const [only, ...others] = cardsOf(delivery.postings);
  if (only && others.length === 0 && (parts === 1 || isPostPerPosting(delivery))) {
    const name = [only.title ?? card.noTitle, only.company].filter(Boolean).join(' · ');
    return plain(withoutAddresses(name), LIMITS.threadName) || card.noTitle;
  }
  const period = periodOf(from, slot, destination.cadence.timezone, locale);
  return `${plain(about, LIMITS.threadName - period.length - 3)} · ${period}`;
}

function folded(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * Returns the ids of at most 5 of the forum's tags whose names are tags of the postings, the most frequent first.
 * Tags that the filter asked for count double. If the forum requires a tag and none fits, returns a general one
 * such as "other" or "jobs", otherwise the first usable one.
 */
export function forumTags(
  available: readonly ForumTag[],
  required: boolean,
  postings: readonly Pick<EditionPosting, 'tags' | 'matched' | 'remote'>[],
): readonly string[] {
  const counts = new Map<string, number>();
  for (const posting of postings) {
    const own = [...posting.matched, ...(posting.tags ?? []), ...(posting.remote ? ['remote'] : [])];
    for (const tags of [own, posting.matched]) {
      const names = new Set(tags.flatMap((tag) => [folded(tag), folded(displayTag(tag))]));
      for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  const usable = available.filter((tag) => !tag.moderated);
  const score = (tag: ForumTag) => counts.get(folded(tag.name)) ?? 0;
  const fitting = usable.filter((tag) => score(tag) > 0).sort((a, b) => score(b) - score(a));
  if (fitting.length > 0 || !required) return fitting.slice(0, LIMITS.threadTags).map((tag) => tag.id);
  const general = usable.find((tag) => /other|job|general|misc|sonstig|stelle|otra|empleo/iu.test(tag.name));
  const any = general ?? usable[0] ?? available[0];
  return any ? [any.id] : [];
}
