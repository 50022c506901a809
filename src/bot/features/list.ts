// Lists the caller's subscriptions in pages, with a menu to open one.
import { defined } from '../../domain/defined.js';
import type { SubscriptionReport } from '../../ports/services.js';
import { type Texts, textsFor } from '../../render/texts.js';
import { ONE_SUBSCRIPTION, pickSubscription } from '../forms/pick.js';
import { type ActionRow, button, customId, menu, row } from '../runtime/components.js';
import type { Action, Command, Feature, Reply, Request } from '../runtime/request.js';
import { plainWords, subscriptionView } from '../views/subscription.js';
import { showing } from './manage.js';

const jobsList = {
  path: 'jobs list',
  async run(request, { services }) {
    return listPage(await services.subscriptions(request.caller), 0, request, textsFor(request.locale));
  },
} satisfies Command;

/** Shows one subscription in full, with its buttons. */
const jobsShow = {
  path: 'jobs show',
  ...ONE_SUBSCRIPTION,
  run: async (request, context) => showing(await pickSubscription(request, context), request),
} satisfies Command;

/** Shows another page of the list: `list:<page>`, or `list:of:<subscription>` for the page that it is on. */
const list = {
  name: 'list',
  updates: true,
  async run([page = '0', id = ''], request, { services }) {
    const reports = await services.subscriptions(request.caller);
    const index = reports.findIndex(({ subscription }) => subscription.id === id);
    const at = page === 'of' ? Math.floor(index / PER_PAGE) : Number(page) || 0;
    return { ...listPage(reports, at, request, textsFor(request.locale)), update: true };
  },
} satisfies Action;

/** Shows the list in a new message, for buttons of messages that should stay. */
const mine = {
  name: 'mine',
  async run(_args, request, { services }) {
    return listPage(await services.subscriptions(request.caller), 0, request, textsFor(request.locale));
  },
} satisfies Action;

/** Opens the subscription that was chosen in the menu, in place of the list. */
const open = {
  name: 'open',
  updates: true,
  async run(_args, request, { services }) {
    const report = await services.subscription(request.caller, request.values[0] ?? '');
    return { ...showing(report, request), update: true };
  },
} satisfies Action;

/** Subscriptions on one page. */
const PER_PAGE = 5;
/** Longest description of a filter, so that a page fits into an embed. */
const WORDS_MAX = 200;

/** Renders page `page` (0-based). A page past the end is the last one. */
function listPage(
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
    // Discord reads the signs for small text and quotes only at the start of a line, and not after the indent of a list.
    (report) => `- ${subscriptionView(report, request, WORDS_MAX).replaceAll(/\n(?:-# |> )?/gu, '\n  ')}`,
  );
  const options = shown.map((report) => ({
    label: plainWords(report, request),
    value: report.subscription.id,
  }));
  return {
    embeds: [
      {
        title: jobs.listTitle({ count: reports.length }),
        description: lines.join('\n'),
        ...defined({ footer: pages > 1 ? { text: jobs.page({ number: at + 1, of: pages }) } : undefined }),
      },
    ],
    components: [
      row(menu(customId('open', [], request.user), jobs.open, options)),
      ...pageButtons('list', at, pages, request, texts),
    ],
  };
}

/**
 * Returns the index of a page's first item, the page's number (0-based) and the number of pages. A page out of
 * range becomes the nearest one.
 */
export function pageOf(
  total: number,
  page: number,
  size: number,
): { from: number; at: number; pages: number } {
  const pages = Math.max(1, Math.ceil(total / size));
  const at = Math.min(Math.max(0, page), pages - 1);
  return { from: at * size, at, pages };
}

/** Buttons to the previous and the next page, as far as they exist. `more`: further arguments of the action. */
export function pageButtons(
  action: string,
  at: number,
  pages: number,
  request: Request,
  texts: Texts,
  more: readonly string[] = [],
): ActionRow[] {
  const { previous, next } = texts.bot.buttons;
  const to = (page: number) => customId(action, [String(page), ...more], request.user);
  const buttons = [
    ...(at > 0 ? [button(previous, to(at - 1), 'plain', '◀️')] : []),
    ...(at < pages - 1 ? [button(next, to(at + 1), 'plain', '▶️')] : []),
  ];
  return buttons.length > 0 ? [row(...buttons)] : [];
}

export const listFeature: Feature = { commands: [jobsList, jobsShow], actions: [list, mine, open] };
