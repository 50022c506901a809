// The posting that a button of a card names, and its title in a text.
import { type EditionPosting, postingRef } from '../../domain/edition.js';
import { UserError } from '../../domain/errors.js';
import type { Posting } from '../../domain/posting.js';
import type { EditionRecord } from '../../ports/stores.js';
import { escaped, plain } from '../../render/discord/escape.js';
import type { Texts } from '../../render/texts.js';
import type { Context } from '../runtime/request.js';

export interface Shown {
  readonly record: EditionRecord;
  /** Index of the posting in the edition. */
  readonly index: number;
  readonly posting: EditionPosting;
}

/**
 * Finds the posting that a button names. The name is a hash of the posting's key, so it does not depend on the
 * order. Throws a UserError when the edition no longer has the posting.
 */
export async function shownBy(context: Context, edition: string, ref: string, texts: Texts): Promise<Shown> {
  const record = await context.services.edition(edition);
  const all = [...(record?.postings ?? []), ...(record?.rest ?? [])];
  const index = all.findIndex((posting) => postingRef(posting.key) === ref);
  const posting = all[index];
  if (!record || !posting) throw new UserError(texts.bot.fault.cardGone);
  return { record, index, posting };
}

export function titleOf(posting: EditionPosting, texts: Texts): string {
  const title = escaped(posting.title ?? texts.card.noTitle, 200);
  return posting.company ? `**${title}** (${escaped(posting.company, 80)})` : `**${title}**`;
}

/** The posting in a menu. */
export function labelOf({ title, company }: Posting, texts: Texts): string {
  return plain([title ?? texts.card.noTitle, company].filter(Boolean).join(' · '), 100) || texts.card.noTitle;
}
