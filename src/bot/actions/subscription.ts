// The buttons of a subscription. The desk asks again for the right to it, whoever presses.
import { UserError } from '../../domain/errors.js';
import { textsFor } from '../../render/language/index.js';
import type { Action, Answer } from '../ask.js';
import { editPanel } from '../editing.js';
import { pauseSubscription, removeSubscription, resumeSubscription, showing } from '../managing.js';
import { historyView } from '../views/history.js';
import { previewView } from '../views/preview.js';

/** Preview and history are new messages; the others change the message with the buttons. */
export const subscription = {
  name: 'sub',
  updates: true,
  async run([verb = '', id = ''], ask, bench): Promise<Answer> {
    const { desk } = bench;
    if (verb === 'pause') return { ...(await pauseSubscription(ask, bench, id)), update: true };
    if (verb === 'resume') return { ...(await resumeSubscription(ask, bench, id)), update: true };
    const report = await desk.subscription(ask.caller, id);
    if (verb === 'remove') return { ...(await removeSubscription(ask, bench, report)), update: true };
    if (verb === 'edit') return { ...editPanel(report, ask), update: true };
    if (verb === 'show') return { ...showing(report, ask), embeds: [], update: true };
    if (verb === 'history') return historyView(report, await desk.history(ask.caller, id), ask);
    if (verb === 'preview')
      return previewView(await desk.preview(ask.caller, report.subscription.filter), ask, bench);
    throw new UserError(textsFor(ask.locale).bot.fault.oldButton);
  },
} satisfies Action;
