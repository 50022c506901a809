// Pauses, resumes, removes and restores subscriptions, from commands and from buttons, and gives the link to the page on
// which a person can manage all of them.
import { UserError } from '../../domain/errors.js';
import { LINK_LIFE } from '../../domain/link-token.js';
import type { SubscriptionReport, TestResult } from '../../ports/services.js';
import { textsFor } from '../../render/texts.js';
import { ONE_SUBSCRIPTION, pickSubscription } from '../forms/pick.js';
import { button, customId, link, row } from '../runtime/components.js';
import type { Action, Command, Context, Feature, Reply, Request } from '../runtime/request.js';
import {
  destinationWords,
  reasonWords,
  relative,
  subscriptionButtons,
  subscriptionView,
  subscriptionWords,
} from '../views/subscription.js';
import { editPanel } from './edit.js';
import { historyView } from './history.js';
import { previewView } from './preview.js';

/** The subscription in full, under a headline. */
export function showing(report: SubscriptionReport, request: Request, headline?: string): Reply {
  return {
    text: [headline, subscriptionView(report, request)].filter(Boolean).join('\n'),
    components: subscriptionButtons(report, request.user, textsFor(request.locale)),
  };
}

async function pauseSubscription(request: Request, context: Context, id: string): Promise<Reply> {
  return showing(
    await context.services.pause(request.caller, id),
    request,
    textsFor(request.locale).bot.jobs.paused,
  );
}

async function resumeSubscription(request: Request, context: Context, id: string): Promise<Reply> {
  return showing(
    await context.services.resume(request.caller, id),
    request,
    textsFor(request.locale).bot.jobs.resumed,
  );
}

/** Removes a subscription. The reply has a button to restore it, for the owner and for managers of its server. */
async function removeSubscription(
  request: Request,
  context: Context,
  report: SubscriptionReport,
): Promise<Reply> {
  const { jobs, buttons } = textsFor(request.locale).bot;
  const { subscription } = report;
  await context.services.remove(request.caller, subscription.id);
  const undo = button(buttons.undo, customId('undo', [subscription.id], request.user), 'plain', '↩️');
  return {
    text: jobs.removed({ words: subscriptionWords(report, request.locale) }),
    components: [row(undo, button(buttons.list, customId('list', ['0'], request.user), 'plain', '◀️'))],
  };
}

/** Pauses a subscription. */
const jobsPause = {
  path: 'jobs pause',
  ...ONE_SUBSCRIPTION,
  async run(request, context) {
    const { subscription } = await pickSubscription(request, context);
    return pauseSubscription(request, context, subscription.id);
  },
} satisfies Command;

/** Ends a pause, and retries parked destinations. */
const jobsResume = {
  path: 'jobs resume',
  ...ONE_SUBSCRIPTION,
  async run(request, context) {
    const { subscription } = await pickSubscription(request, context);
    return resumeSubscription(request, context, subscription.id);
  },
} satisfies Command;

/** Removes without asking again: the user typed or picked the subscription, and Undo restores it. */
const jobsRemove = {
  path: 'jobs remove',
  ...ONE_SUBSCRIPTION,
  run: async (request, context) =>
    removeSubscription(request, context, await pickSubscription(request, context)),
} satisfies Command;

/** Restores a removed subscription as it was. */
const undo = {
  name: 'undo',
  slow: true,
  updates: true,
  async run([id = ''], request, { services }) {
    const { fault, jobs } = textsFor(request.locale).bot;
    try {
      return { ...showing(await services.restore(request.caller, id), request, jobs.restored), update: true };
    } catch (error) {
      // The button was pressed twice, or too late, when the removed subscription was no longer kept.
      if (error instanceof UserError && error.fault?.name === 'noSuch') throw new UserError(fault.stale);
      throw error;
    }
  },
} satisfies Action;

/** What became of a test message at each destination. */
function testedWords(results: readonly TestResult[], request: Request): string {
  const texts = textsFor(request.locale);
  const { tested } = texts.bot.jobs;
  const lines = results.map(({ destination, state, ...reason }) => {
    const said = state === 'failed' ? `${tested.failed} ${reasonWords(reason, texts)}` : tested[state];
    return `- ${destinationWords(destination, request.locale)}: ${said}`;
  });
  return [tested.title, ...lines].join('\n');
}

// The buttons of a subscription. The service checks the user's right to it at every press.

/** Preview, history and test are new messages; the others change the message with the buttons. */
const subscription = {
  name: 'sub',
  updates: true,
  async run([verb = '', id = ''], request, context): Promise<Reply> {
    const { services } = context;
    if (verb === 'pause') return { ...(await pauseSubscription(request, context, id)), update: true };
    if (verb === 'resume') return { ...(await resumeSubscription(request, context, id)), update: true };
    if (verb === 'test') return { text: testedWords(await services.sendTest(request.caller, id), request) };
    const report = await services.subscription(request.caller, id);
    if (verb === 'remove') return { ...(await removeSubscription(request, context, report)), update: true };
    if (verb === 'edit') return { ...editPanel(report, request), update: true };
    if (verb === 'show') return { ...showing(report, request), update: true };
    if (verb === 'history') return historyView(report, await services.history(request.caller, id), request);
    if (verb === 'preview') {
      const { filter } = report.subscription;
      return previewView(await services.preview(request.caller, filter), filter, request, context);
    }
    throw new UserError(textsFor(request.locale).bot.fault.oldButton);
  },
} satisfies Action;

/** A private link to the page with all subscriptions of the caller. */
const jobsManage = {
  path: 'jobs manage',
  async run(request, { services, clock }) {
    const { buttons, jobs } = textsFor(request.locale).bot;
    const url = await services.manageLink(request.caller.account, 'reply');
    if (!url) return { text: jobs.noPages };
    return {
      text: jobs.manage({ when: relative(clock.now() + LINK_LIFE.manage) }),
      components: [row(link(buttons.manage, url))],
    };
  },
} satisfies Command;

export const manageFeature: Feature = {
  commands: [jobsManage, jobsPause, jobsResume, jobsRemove],
  actions: [subscription, undo],
};
