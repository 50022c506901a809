// The list of subscriptions with its pages.
import type { SubscriptionReport } from '../../ports/services.js';
import type { Texts } from '../../render/language/en.js';
import { type ActionRow, button, menu, row } from '../components.js';
import { customId } from '../custom-id.js';
import type { Reply, Request } from '../request.js';
import { plainWords, subscriptionView } from './subscription.js';

const PER_PAGE = 5;
/** Longest description of a filter, so that a page fits into an embed. */
const WORDS_MAX = 200;

/** Page `page` (0-based; one past the end is the last). */
export function listPage(
  reports: readonly SubscriptionReport[],
  page: number,
  request: Request,
  texts: Texts,
): Reply {
  const { jobs } = texts.bot;
  if (reports.length === 0) return { text: jobs.none };
  const { from, at, pages } = pageOf(reports.length, page, PER_PAGE);
  const shown = reports.slice(from, from + PER_PAGE);
  const lines = shown.map(
    (report) => `- ${subscriptionView(report, request.locale, WORDS_MAX).replaceAll('\n', '\n  ')}`,
  );
  const options = shown.map((report) => ({
    label: plainWords(report, request),
    value: report.subscription.id,
  }));
  return {
    embeds: [
      {
        title: jobs.listTitle(reports.length),
        description: lines.join('\n'),
        ...(pages > 1 ? { footer: { text: jobs.page(at + 1, pages) } } : {}),
      },
    ],
    components: [
      row(menu(customId('open', [], request.user), jobs.open, options)),
      ...pageButtons('list', at, pages, request, texts),
    ],
  };
}

/** Where a page begins; a page past either end is the nearest there is. */
export function pageOf(
  total: number,
  page: number,
  size: number,
): { from: number; at: number; pages: number } {
  const pages = Math.max(1, Math.ceil(total / size));
  const at = Math.min(Math.max(0, page), pages - 1);
  return { from: at * size, at, pages };
}

/** Previous and Next where there is one. */
export function pageButtons(
  action: string,
  at: number,
  pages: number,
  request: Request,
  texts: Texts,
): ActionRow[] {
  const { previous, next } = texts.bot.buttons;
  const to = (page: number) => customId(action, [String(page)], request.user);
  const buttons = [
    ...(at > 0 ? [button(previous, to(at - 1), 'plain', '◀️')] : []),
    ...(at < pages - 1 ? [button(next, to(at + 1), 'plain', '▶️')] : []),
  ];
  return buttons.length > 0 ? [row(...buttons)] : [];
}
