// What a forum post needs besides its message: a name, and those of the forum's tags that fit the postings.
import type { EditionPosting } from '../../domain/edition.js';
import { displayTag } from '../../domain/tags.js';
import { withoutAddresses } from '../../domain/text.js';
import type { Delivery } from '../../ports/sink.js';
import { periodOf } from '../describe.js';
import { textsFor } from '../texts.js';
import { plain } from './escape.js';
import { LIMITS } from './payload.js';

/** A tag a forum's owner made. `moderated` ones only moderators may use. */
export interface ForumTag {
  readonly id: string;
  readonly name: string;
  readonly moderated?: boolean;
}

/** Whether each posting gets a forum post to itself. */
export function isPostPerPosting({ destination }: Pick<Delivery, 'destination'>): boolean {
  return destination.options?.forum === 'posting';
}

/** The title of a forum post: the posting's own for a single one, else what the edition is about and its period. */
export function threadName(delivery: Delivery): string {
  const { postings, parts, from, slot, destination, locale, about } = delivery;
  const { card } = textsFor(locale);
  const [only] = postings;
  if (only && postings.length === 1 && (parts === 1 || isPostPerPosting(delivery))) {
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
 * Ids of at most 5 of the forum's tags whose names are tags of the postings, the most frequent first and what the
 * filter asked for counted double. Where a tag is required and none fits, one that says "other" or "jobs", else the first that may be used.
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
