// The command /jobs preview: shows what a filter finds, without subscribing.
import type { PreviewReport } from '../../ports/services.js';
import { escaped } from '../../render/discord/escape.js';
import { cardMessage } from '../../render/discord/message.js';
import { textsFor } from '../../render/texts.js';
import {
  countryChoices,
  FILTER_OPTIONS,
  filterForm,
  readFilter,
  tagChoices,
  translations,
} from '../forms/filter.js';
import {
  type Command,
  type Context,
  type Feature,
  type Reply,
  type Request,
  SINK,
} from '../runtime/request.js';
import { ruleWords } from '../views/rule.js';
import { mustHaveToken } from '../views/token.js';

const jobsPreview = {
  path: 'jobs preview',
  slow: true,
  options: FILTER_OPTIONS,
  async run(request, context) {
    const texts = textsFor(request.locale);
    const form = filterForm(request.options);
    const filter = readFilter(form, texts);
    await mustHaveToken(request, context);
    const notes = translations(form, filter, texts);
    return previewView(await context.services.preview(request.caller, filter), request, context, notes);
  },
  complete: async (option, typed, request) =>
    option === 'tags' ? tagChoices(typed) : countryChoices(typed, textsFor(request.locale)),
} satisfies Command;

/** Cards to show. */
const CARDS = 3;
const BARS = '▁▂▃▄▅▆▇█';

/** One bar per week, such as "▁▃█". The week with the most postings has the highest bar. */
function sparkline(counts: readonly number[]): string {
  const most = Math.max(1, ...counts);
  return counts.map((count) => BARS[Math.round((count / most) * (BARS.length - 1))]).join('');
}

/** Renders what a filter finds: counts for now and the last 30 days, and three cards as they would be posted. */
export function previewView(
  report: PreviewReport,
  request: Request,
  context: Context,
  notes: readonly string[] = [],
): Reply {
  const texts = textsFor(request.locale);
  const { preview } = texts.bot;
  const { matches, looked, weeks, removedBy } = report;
  const shown = matches.slice(0, CARDS);
  const [top] = removedBy;
  const lines = [
    preview.title({ words: `**${escaped(report.about, 300)}**` }),
    preview.now({ count: matches.length, looked }),
    weeks.length > 0
      ? preview.weeks({ bars: sparkline(weeks), counts: weeks.join(', ') })
      : preview.noHistory,
    top ? preview.removedBy({ rule: ruleWords(top.rule, texts), count: top.count }) : '',
    ...notes.map((note) => `-# ${note}`),
    shown.length > 0 ? preview.next : preview.nothing,
    shown.length > 0 ? preview.cards : '',
  ];
  const now = context.clock.now();
  // The same renderer as for channels, without the buttons, because a previewed posting can't be marked.
  const { embeds } = cardMessage({
    edition: 'preview',
    subscription: 'preview',
    account: request.caller.account,
    destination: {
      id: 'preview',
      sink: SINK,
      target: `dm:${request.user}`,
      cadence: { every: 'immediate', timezone: 'UTC' },
    },
    every: 'immediate',
    from: now,
    slot: now,
    part: 0,
    parts: 1,
    postings: shown,
    more: 0,
    source: context.source,
    about: report.about,
    locale: request.locale,
    attempt: 1,
  });
  return { text: lines.filter(Boolean).join('\n'), embeds: shown.length > 0 ? embeds : [], postings: shown };
}

export const previewFeature: Feature = { commands: [jobsPreview] };
