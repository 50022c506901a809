// What programs read: the JSON form of a posting on the console off a terminal and in webhooks. It is a contract,
// so it says nothing that is not known: absent means absent, and the board's guess is never called a salary.
import type { EditionPosting } from '../domain/edition.js';
import { renderPay } from '../domain/pay.js';
import { oneLine, withoutAddresses } from '../domain/text.js';
import { en } from './language/en.js';
import { textsFor } from './language/index.js';

/** A posting as JSON. `salary` is the employer's words, or the employer's figure in words. */
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
  /** Byte for byte as received; the listing address never stands in for it. */
  readonly applyUrl?: string;
  readonly matched: readonly string[];
  readonly source: string;
}

/** Gives a posting its JSON form; `source` is the board's name. */
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
    ...(company === undefined ? {} : { company }),
    ...(location === undefined ? {} : { location }),
    ...(remote === undefined ? {} : { remote }),
    ...(tags === undefined || tags.length === 0 ? {} : { tags }),
    ...(salary === undefined ? {} : { salary }),
    ...(postedAt === undefined ? {} : { postedAt }),
    ...(applyUrl === undefined ? {} : { applyUrl }),
    matched: matched.flatMap((reason) => words(reason) ?? []),
    source,
  };
}

/** Programs pass these on to people, for whom an address in them would be a link beside the apply link. */
function words(text: string | undefined): string | undefined {
  return oneLine(withoutAddresses(text ?? '')) || undefined;
}

/** An edition as JSON: what console lines and webhook bodies have in common. */
export interface MachineEdition {
  readonly edition: string;
  readonly subscription: string;
  readonly postings: readonly MachinePosting[];
  /** Goes along with the links wherever they go (jobs API, Link attribution 5). */
  readonly note: string;
}

/** Gives an edition its JSON form. */
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
