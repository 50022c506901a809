// The second try at what was mistyped: the form opens as it was filled in, and the command runs again with what comes
// back. Rights are checked anew, because the command checks them.
import { UserError } from '../../domain/errors.js';
import { textsFor } from '../../render/language/index.js';
import { commandOf } from '../commands/index.js';
import { runCommand } from '../correcting.js';
import { findWaiting, keepWaiting, type Typed, takeWaiting } from '../drafts.js';
import type { Action, Context, Reply, Request } from '../request.js';

/** The button: shows the form that was kept. */
export const correct = {
  name: 'correct',
  async run([id = ''], request, context) {
    const { modal } = (await findWaiting(context, 'correction', request.user, id)) ?? {};
    if (!modal) throw new UserError(textsFor(request.locale).bot.fault.stale);
    return { modal };
  },
} satisfies Action;

/** The form of a command that was mistyped; a field left empty takes the option away. */
export const corrected = {
  name: 'corrected',
  slow: true,
  updates: true,
  run: ([id = ''], request, context) =>
    again(id, request, context, (options) => ({ ...options, ...request.fields })),
} satisfies Action;

/** Another place for a subscription, after the one that was asked for could not be used. */
export const subscribeAt = {
  name: 'subscribe-at',
  slow: true,
  updates: true,
  run: ([id = '', kind = ''], request, context) =>
    again(id, request, context, ({ channel, mention, deliver, ...options }) => {
      if (kind === 'channel')
        return {
          ...options,
          ...(mention === undefined ? {} : { mention }),
          deliver: kind,
          channel: request.values[0] ?? '',
        };
      if (kind !== 'plain') return { ...options, deliver: kind };
      return {
        ...options,
        ...(deliver === undefined ? {} : { deliver }),
        ...(channel === undefined ? {} : { channel }),
      };
    }),
} satisfies Action;

async function again(
  id: string,
  request: Request,
  context: Context,
  change: (options: Request['options']) => Request['options'],
): Promise<Reply> {
  const waiting = await takeWaiting(context, 'correction', request.user, id);
  if (!waiting?.typed) throw new UserError(textsFor(request.locale).bot.fault.stale);
  const typed = { ...waiting.typed, options: change(waiting.typed.options) };
  // What fails for another reason than what was typed can be sent once more.
  const putBack = () => keepWaiting(context, 'correction', request.user, id, waiting);
  return { ...(await rerun(typed, request, context, putBack)), update: true };
}

/** Runs a command as it was typed, for the person who asks now; `putBack` is called when it fails. */
export async function rerun(
  { path, options }: Typed,
  request: Request,
  context: Context,
  putBack: () => Promise<void>,
): Promise<Reply> {
  const command = commandOf(path);
  if (!command) throw new UserError(textsFor(request.locale).bot.fault.oldButton);
  const given = Object.entries(options).filter(([, value]) => value !== '');
  try {
    return {
      components: [],
      ...(await runCommand(command, { ...request, options: Object.fromEntries(given) }, context)),
    };
  } catch (error) {
    await putBack();
    throw error;
  }
}
