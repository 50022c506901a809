// The command /jobs why: explains why one posting was delivered or not.
import { UserError } from '../../domain/errors.js';
import type { RuleAnswer } from '../../domain/filter.js';
import type { Explained, SubscriptionReport } from '../../ports/services.js';
import { listOf, valueWords } from '../../render/describe.js';
import { escaped, plain } from '../../render/discord/escape.js';
import { type Texts, textsFor } from '../../render/texts.js';
import { ONE_SUBSCRIPTION, pickSubscription } from '../forms/pick.js';
import type { Choice, Command, Context, Feature, Reply, Request } from '../runtime/request.js';
import { ruleText, ruleWords } from '../views/rule.js';
import { destinationWords, reasonWords, relative, subscriptionWords } from '../views/subscription.js';

const jobsWhy = {
  path: 'jobs why',
  options: [
    ...ONE_SUBSCRIPTION.options,
    { name: 'job', type: 'text', required: true, complete: true, max: 2000 },
  ],
  async run(request, context) {
    const report = await pickSubscription(request, context);
    const job = String(request.options.job ?? '').trim();
    const explained = await context.services.why(request.caller, report.subscription.id, job);
    return whyView(explained, report, job, request);
  },
  complete: (option, typed, request, context) =>
    option === 'job'
      ? jobChoices(typed, request, context)
      : ONE_SUBSCRIPTION.complete(option, typed, request, context),
} satisfies Command;

/** Discord's limit for the value of a choice. */
const LONGEST_KEY = 100;

/** Recent postings whose title or company has the typed words, for the subscription if it is already picked. */
async function jobChoices(typed: string, request: Request, { services }: Context): Promise<Choice[]> {
  const { card } = textsFor(request.locale);
  const id = String(request.options.subscription ?? '') || undefined;
  const recent = await services.recent(request.caller, id).catch((error: unknown) => {
    // Words that name no subscription by its id yet.
    if (error instanceof UserError) return services.recent(request.caller);
    throw error;
  });
  const words = typed.toLowerCase().split(/\s+/u);
  return recent
    .map(({ key, title = card.noTitle, company }) => ({
      name: plain([title, company].filter(Boolean).join(' · '), 100) || card.noTitle,
      value: key,
    }))
    .filter(({ name, value }) => {
      const text = name.toLowerCase();
      return value.length <= LONGEST_KEY && words.every((word) => text.includes(word));
    })
    .slice(0, 25);
}

/** Shows what happened to one posting: first the decision when it was first seen, then each destination. */
export function whyView(
  explained: Explained,
  report: SubscriptionReport,
  job: string,
  request: Request,
): Reply & { readonly text: string } {
  const texts = textsFor(request.locale);
  const { why } = texts.bot;
  const { fate, at = 0, by = '', destinations } = explained;
  const when = relative(at);
  // Escaped, because Discord would show an address as a link. The reply names the posting without linking to it.
  const named = texts.describe.quoted({ phrase: escaped(job, 120) });
  const head =
    fate === 'unseen'
      ? why.unseen({ job: named })
      : fate === 'filtered'
        ? why.filtered({ when, rule: ruleWords(by, texts) })
        : why[fate]({ when });
  const chain = fate === 'matched' || fate === 'baseline' ? destinations : [];
  const lines = chain.flatMap((one) => {
    const { sink, target, state, at: done } = one;
    if (state === 'none' && fate === 'baseline') return [];
    const destination = report.subscription.destinations.find(
      (other) => other.sink === sink && other.target === target,
    );
    const place = destination ? destinationWords(destination, request.locale) : sink;
    const parts = [
      why.states[state],
      done && relative(done),
      one.nextAt && why.next({ when: relative(one.nextAt) }),
      one.movedAt && why.movedHere({ when: relative(one.movedAt) }),
      one.why && reasonWords(one, texts),
    ];
    return [`- ${place}: ${parts.filter(Boolean).join(' · ')}`];
  });
  const rules = explained.rules ? [why.rules, ...explained.rules.map((one) => answerLine(one, texts))] : [];
  return { text: [`-# ${subscriptionWords(report, request.locale)}`, head, ...lines, ...rules].join('\n') };
}

/** "✅ senior or staff · staff". A wish that is not met removes nothing, so it has another sign. */
function answerLine(answer: RuleAnswer, texts: Texts): string {
  const { rule, term, mode, isMet, saw } = answer;
  const sign = isMet === undefined ? '❔' : isMet ? '✅' : mode === 'want' ? '➖' : '❌';
  const said = listOf(
    saw.slice(0, 6).map((one) => valueWords(term, one, texts)),
    texts.intl,
    'conjunction',
  );
  const more = isMet === undefined && said === '' ? texts.bot.why.notStated : said;
  return `- ${sign} ${[ruleText(rule, texts), escaped(more, 120)].filter(Boolean).join(' · ')}`;
}

export const whyFeature: Feature = { commands: [jobsWhy] };
