// Exports everything stored about the caller as a file that only they can see, or deletes it.
import { textsFor } from '../../render/texts.js';
import { button, customId, row } from '../runtime/components.js';
import { waitingOf } from '../runtime/drafts.js';
import type { Action, Command, Feature } from '../runtime/request.js';

const privacyExport = {
  path: 'privacy export',
  slow: true,
  async run(request, context) {
    const stored = (await context.services.exportAccount(request.caller.account)) as object;
    const unfinished = await waitingOf(context, request.user);
    const content = JSON.stringify({ ...stored, unfinished }, null, 2);
    return {
      text: textsFor(request.locale).bot.privacy.exported,
      file: { name: 'jobcrier-export.json', content },
    };
  },
} satisfies Command;

/** Asks before it deletes everything about the caller. */
const privacyErase = {
  path: 'privacy erase',
  async run(request) {
    const { privacy, buttons } = textsFor(request.locale).bot;
    return {
      text: `🗑️ ${privacy.eraseAsk}`,
      components: [
        row(
          button(buttons.eraseAll, customId('erase', [], request.user), 'danger'),
          button(buttons.keepAll, customId('keep', [], request.user)),
        ),
      ],
    };
  },
} satisfies Command;

/** The buttons below the question: delete everything, or keep it. */
const erase = {
  name: 'erase',
  slow: true,
  updates: true,
  async run(_args, request, context) {
    await context.services.eraseAccount(request.caller.account);
    return { text: textsFor(request.locale).bot.privacy.erased, components: [], update: true };
  },
} satisfies Action;

const keep = {
  name: 'keep',
  updates: true,
  run: async (_args, request) => ({
    text: textsFor(request.locale).bot.privacy.kept,
    components: [],
    update: true,
  }),
} satisfies Action;

export const privacyFeature: Feature = { commands: [privacyExport, privacyErase], actions: [erase, keep] };
