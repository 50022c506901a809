// One posting as one line of a digest: its title as a masked link where that keeps the link whole, else the bare link
// beside it.
import type { EditionPosting } from '../../domain/edition.js';
import { type ViewOptions, viewPosting } from '../posting-view.js';
import { escaped, linkWords, maskable } from './escape.js';

/** `brief`: title, company and link only, for a crowded message. */
export interface LineOptions extends ViewOptions {
  readonly brief?: boolean;
}

/** At most about 2,500 characters, nearly all of them the link's. Never throws. */
export function digestLine(posting: EditionPosting, options: LineOptions): string {
  const view = viewPosting(posting, { ...options, maxTags: 0, snippet: 0 });
  const title = linkWords(view.title, 110) || '—';
  const link = view.applyUrl;
  const masked = link !== undefined && maskable(link);
  const rest = [
    view.company && escaped(view.company, 60),
    !options.brief && view.place && escaped(view.place, 60),
    !options.brief && view.pay && escaped(view.pay, 90),
    view.noLink && `⚠️ ${view.noLink}`,
    link !== undefined && !masked && `<${link}>`,
  ].filter(Boolean);
  return [`- ${masked ? `[${title}](<${link}>)` : `**${title}**`}`, ...rest].join(' · ');
}
