// The buttons of a subscription. The service asks again for the right to it, whoever presses.
import { UserError } from '../../domain/errors.js';
import { textsFor } from '../../render/language/index.js';
import { editPanel } from '../editing.js';
import { pauseSubscription, removeSubscription, resumeSubscription, showing } from '../managing.js';
import type { Action, Reply } from '../request.js';
import { historyView } from '../views/history.js';
import { previewView } from '../views/preview.js';

/** Preview and history are new messages; the others change the message with the buttons. */
export const subscription = {
  name: 'sub',
  updates: true,
  async run([verb = '', id = ''], request, context): Promise<Reply> {
    const { services } = context;
    if (verb === 'pause') return { ...(await pauseSubscription(request, context, id)), update: true };
    if (verb === 'resume') return { ...(await resumeSubscription(request, context, id)), update: true };
    const report = await services.subscription(request.caller, id);
    if (verb === 'remove') return { ...(await removeSubscription(request, context, report)), update: true };
    if (verb === 'edit') return { ...editPanel(report, request), update: true };
    if (verb === 'show') return { ...showing(report, request), embeds: [], update: true };
    if (verb === 'history') return historyView(report, await services.history(request.caller, id), request);
    if (verb === 'preview')
      return previewView(
        await services.preview(request.caller, report.subscription.filter),
        request,
        context,
      );
    throw new UserError(textsFor(request.locale).bot.fault.oldButton);
  },
} satisfies Action;
