// What programs read: the JSON form of a posting in webhooks, and on the console when that is not a terminal. It is a
// contract and holds only known facts: an unknown field is absent, and the board's estimate is never called a salary.
import type { ApplyBy } from '../domain/apply-by.js';
import { defined } from '../domain/defined.js';
import type { EditionPosting } from '../domain/edition.js';
import { renderPay } from '../domain/pay.js';
import { oneLine, withoutAddresses } from '../domain/text.js';
import { en, textsFor } from './texts.js';

/** A posting as JSON. `salary` is the employer's words, or the employer's figure as text. */
export interface MachinePosting {
  readonly key: string;
  readonly title: string;
  readonly company?: string;
  readonly location?: string;
  readonly remote?: boolean;
  readonly tags?: readonly string[];
  readonly salary?: string;
  /** YYYY-MM-DD. */
  readonly postedAt?: string;
  /** The last day to apply, and the words of the posting that say so. */
  readonly applyBy?: ApplyBy;
  /** Byte for byte as received. The listing address never replaces it. */
  readonly applyUrl?: string;
  readonly matched: readonly string[];
  readonly source: string;
}

/** Returns a posting's JSON form; `source` is the board's name. */
export function toMachine(posting: EditionPosting, source: string): MachinePosting {
  const { key, remote, postedAt, applyUrl, matched } = posting;
  const title = words(posting.title) ?? en.card.noTitle;
  const company = words(posting.company);
  const location = words(posting.location);
  const salary = words(posting.salary ?? (posting.pay && renderPay(posting.pay)));
  const tags = posting.tags?.filter((tag) => words(tag) === tag);
  return {
    key,
    title,
    ...defined({
      company,
      location,
      remote,
      tags: tags === undefined || tags.length === 0 ? undefined : tags,
      salary,
      postedAt,
      applyBy: deadline(posting.applyBy),
      applyUrl,
    }),
    matched: matched.flatMap((reason) => words(reason) ?? []),
    source,
  };
}

/** Words with an address in them can not be quoted whole, so the deadline is left out. */
function deadline(applyBy: ApplyBy | undefined): ApplyBy | undefined {
  return applyBy && words(applyBy.words) === applyBy.words ? applyBy : undefined;
}

/**
 * Removes addresses: programs pass the text on to people, for whom an address would be a link beside the apply link.
 */
function words(text: string | undefined): string | undefined {
  return oneLine(withoutAddresses(text ?? '')) || undefined;
}

/** An edition as JSON: the common part of console lines and webhook bodies. */
export interface MachineEdition {
  readonly edition: string;
  readonly subscription: string;
  readonly postings: readonly MachinePosting[];
  /** Must accompany the links wherever they are shown (jobs API, Link attribution 5). */
  readonly note: string;
}

/** Returns an edition's JSON form. */
export function machineEdition(edition: {
  readonly edition: string;
  readonly subscription: string;
  readonly postings: readonly EditionPosting[];
  readonly source: string;
  readonly locale: string;
}): MachineEdition {
  return {
    edition: edition.edition,
    subscription: edition.subscription,
    postings: edition.postings.map((posting) => toMachine(posting, edition.source)),
    note: textsFor(edition.locale).card.note,
  };
}
