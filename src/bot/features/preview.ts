// The command /jobs preview: shows what a filter finds, without subscribing.
import { defined } from '../../domain/defined.js';
import type { Filter } from '../../domain/filter.js';
import type { PreviewReport } from '../../ports/services.js';
import { cardLayout } from '../../render/discord/card.js';
import { escaped } from '../../render/discord/escape.js';
import { LIMITS, textSize } from '../../render/discord/payload.js';
import { textsFor } from '../../render/texts.js';
import {
  countryChoices,
  FILTER_OPTIONS,
  filterForm,
  optionsOf,
  readFilter,
  restOf,
  tagChoices,
  translations,
} from '../forms/filter.js';
import { button, customId, row } from '../runtime/components.js';
import { keepPreview } from '../runtime/drafts.js';
import type { Command, Context, Feature, Reply, Request } from '../runtime/request.js';
import { ruleWords } from '../views/rule.js';
import { mustHaveToken } from '../views/token.js';
import { wantNotes } from '../views/want.js';

const jobsPreview = {
  path: 'jobs preview',
  slow: true,
  options: FILTER_OPTIONS,
  async run(request, context) {
    const texts = textsFor(request.locale);
    const form = filterForm(request.options);
    const filter = readFilter(form, texts);
    await mustHaveToken(request, context);
    const notes = [
      ...translations(form, filter, texts),
      ...(await wantNotes(form, filter, request, context)),
    ];
    const report = await context.services.preview(request.caller, filter);
    return previewView(report, filter, request, context, notes);
  },
  complete: async (option, typed, request) =>
    option === 'tags' ? tagChoices(typed) : countryChoices(typed, textsFor(request.locale)),
} satisfies Command;

/** Cards to show, if they fit into one message. */
const CARDS = 3;
/** Characters that mentions of commands add to the text when their ids are known. */
const MENTIONS = 100;
const BARS = '▁▂▃▄▅▆▇█';

/** One bar per week, such as "▁▃█". The week with the most postings has the highest bar. */
function sparkline(counts: readonly number[]): string {
  const most = Math.max(1, ...counts);
  return counts.map((count) => BARS[Math.round((count / most) * (BARS.length - 1))]).join('');
}

/**
 * Renders what a filter finds: counts for now and the last 30 days, and three cards as they would be posted. Below, a
 * button subscribes to the filter, which is stored for it.
 */
export async function previewView(
  report: PreviewReport,
  filter: Filter,
  request: Request,
  context: Context,
  notes: readonly string[] = [],
): Promise<Reply> {
  const texts = textsFor(request.locale);
  const { preview } = texts.bot;
  const { matches, looked, weeks, removedBy, emptiedBy } = report;
  const [top] = removedBy;
  const lines = [
    preview.title({ words: `**${escaped(report.about, 300)}**` }),
    preview.now({ count: matches.length, looked }),
    weeks.length > 0
      ? preview.weeks({ bars: sparkline(weeks), counts: weeks.join(', ') })
      : preview.noHistory,
    emptiedBy
      ? (looked > 0 ? preview.emptied : preview.emptiedLately)({
          rule: ruleWords(emptiedBy.rule, texts),
          count: emptiedBy.count,
          looked,
        })
      : top
        ? preview.removedBy({ rule: ruleWords(top.rule, texts), count: top.count })
        : '',
    ...notes.map((note) => `-# ${note}`),
    ...(matches.length > 0 ? [preview.next, preview.cards] : [preview.nothing]),
  ];
  const text = lines.filter(Boolean).join('\n');
  const options = { locale: request.locale, source: context.source, now: context.clock.now() };
  const id = await keepPreview(context, request.user, {
    options: optionsOf(filter),
    ...defined({ rest: restOf(filter) }),
  });
  const subscribe = button(
    texts.bot.buttons.subscribeThis,
    customId('setup', [id], request.user),
    'good',
    '➕',
  );
  const components = [row(subscribe)];
  // The same renderer as for channels, without the buttons, because a previewed posting can't be marked.
  for (let count = Math.min(CARDS, matches.length); count > 0; count--) {
    const postings = matches.slice(0, count);
    const cards = cardLayout(postings, options);
    if (text.length + MENTIONS + textSize(cards) <= LIMITS.allTexts)
      return { text, cards, postings, components };
  }
  return { text, components };
}

export const previewFeature: Feature = { commands: [jobsPreview] };
