// Runs commands and forms so that the user's input is not lost. After a mistake, the reply has a button that opens
// a form with that input, because Discord can't open a form in answer to a form. A command that lacks a token is
// stored until there is one.

import { randomBytes } from 'node:crypto';
import { defined } from '../../domain/defined.js';
import { reasonOf, UserError } from '../../domain/errors.js';
import { type Texts, textsFor } from '../../render/texts.js';
import { FormError, faultWords } from '../forms/faults.js';
import {
  type ActionRow,
  button,
  channelMenu,
  customId,
  filledIn,
  type Modal,
  modal,
  row,
} from '../runtime/components.js';
import { findWaiting, keepWaiting, type Typed, takeWaiting, typedBy } from '../runtime/drafts.js';
import type { Action, Command, Context, Feature, OptionSpec, Reply, Request } from '../runtime/request.js';
import { setTokenRow } from '../views/token.js';

/** Text inputs of a modal, Discord's limit. */
const MOST_FIELDS = 5;

/**
 * Runs a command. Turns a UserError into a reply with controls that reuse the input, where that can help. Rethrows
 * other errors.
 */
export async function runCommand(command: Command, request: Request, context: Context): Promise<Reply> {
  try {
    return await command.run(request, context);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const texts = textsFor(request.locale);
    const text = `⚠️ ${faultWords(error, texts)}`;
    if (error.fault?.name === 'noToken' || error.fault?.name === 'tokenRejected') {
      await keepWaiting(context, 'token', request.user, '', typedBy(command, request));
      return {
        text: `🔑 ${faultWords(error, texts)}\n${texts.bot.jobs.keptForToken}`,
        components: [setTokenRow(request, context)],
        refused: true,
      };
    }
    const components = await corrections(command, request, context, fieldsOf(error), texts);
    if (components.length === 0) throw error;
    return { text, components, refused: true };
  }
}

/** Runs the action of a button, menu or form. After a mistake in a form, a button opens the form again. */
export async function runAction(
  action: Action,
  args: readonly string[],
  request: Request,
  context: Context,
): Promise<Reply> {
  try {
    return await action.run(args, request, context);
  } catch (error) {
    if (!(error instanceof FormError) || !action.form) throw error;
    const texts = textsFor(request.locale);
    const id = newId();
    const again = filledIn(await action.form(args, request, context), request.fields);
    await keepWaiting(context, 'correction', request.user, id, { modal: again });
    return {
      text: `⚠️ ${faultWords(error, texts)}`,
      components: [correctRow(id, request, texts)],
      refused: true,
    };
  }
}

function newId(): string {
  return randomBytes(4).toString('hex');
}

function fieldsOf(error: UserError): readonly string[] {
  if (error instanceof FormError) return error.fields;
  const { name } = error.fault ?? {};
  if (name === 'dmClosed' || name === 'dmNoServer') return ['channel'];
  return name === 'address' ? ['address'] : [];
}

/** A button for a form with the wrong options, and controls for another place if the channel can't be used. */
async function corrections(
  command: Command,
  request: Request,
  context: Context,
  fields: readonly string[],
  texts: Texts,
): Promise<readonly ActionRow[]> {
  const { buttons, jobs } = texts.bot;
  const id = newId();
  const form = commandForm(id, command, request, fields, texts);
  const place = (kind: string) => customId('subscribe-at', [id, kind], request.user);
  const rows = [
    ...(form ? [correctRow(id, request, texts)] : []),
    ...(fields.includes('mention')
      ? [row(button(buttons.withoutMention, place('plain'), 'primary'))]
      : fields.includes('channel')
        ? [
            ...(request.guild && request.botIsHere
              ? [row(channelMenu(place('channel'), jobs.editWhere))]
              : []),
            row(
              button(buttons.toDm, place('dm'), 'plain', '✉️'),
              button(buttons.toEmail, place('email'), 'plain', '📧'),
            ),
          ]
        : []),
  ];
  if (rows.length > 0)
    await keepWaiting(context, 'correction', request.user, id, {
      typed: typedBy(command, request),
      ...defined({ modal: form }),
    });
  return rows;
}

function correctRow(id: string, request: Request, { bot }: Texts): ActionRow {
  return row(button(bot.buttons.correct, customId('correct', [id], request.user), 'primary', '✏️'));
}

/** A form with the wrong options first, then the other typed options, as far as a form has room. */
function commandForm(
  id: string,
  { options = [] }: Command,
  request: Request,
  wrong: readonly string[],
  texts: Texts,
): Modal | undefined {
  const typed = options.filter(({ type }) => type === 'text' || type === 'whole');
  const faulty = typed.filter(({ name }) => wrong.includes(name));
  if (faulty.length === 0) return undefined;
  const others = typed.filter(
    (one) => !faulty.includes(one) && !one.choices && request.options[one.name] !== undefined,
  );
  const fields = [...faulty, ...others].slice(0, MOST_FIELDS).map(({ name, max = 20, required = false }) => ({
    id: name,
    label: labelOf(name, texts),
    value: String(request.options[name] ?? ''),
    max,
    required,
  }));
  return modal(customId('corrected', [id], request.user), texts.bot.buttons.correct, fields);
}

function labelOf(name: OptionSpec['name'], { bot: { jobs, commands } }: Texts): string {
  const labels: Readonly<Record<string, string>> = {
    want: jobs.fieldWant,
    tags: jobs.fieldTags,
    country: jobs.fieldCountry,
    include: jobs.fieldInclude,
    exclude: jobs.fieldExclude,
    min_salary: jobs.fieldPay,
    at: jobs.fieldAt,
    timezone: jobs.fieldZone,
  };
  return labels[name] ?? (commands.optionNames as Record<string, string>)[name] ?? name;
}

// The second try after a mistake: the form opens with the former input, and the command runs again with the new
// one. The command checks all rights again.

/** The button: opens the stored form. */
const correct = {
  name: 'correct',
  async run([id = ''], request, context) {
    const ready = context.forms.get(id);
    context.forms.delete(id);
    const modal = ready ?? (await findWaiting(context, 'correction', request.user, id))?.modal;
    if (!modal) throw new UserError(textsFor(request.locale).bot.fault.stale);
    return { modal };
  },
} satisfies Action;

/** Forms kept in memory at the same time; the oldest is dropped first. */
const MOST_FORMS = 1_000;

/**
 * A button that opens the form. Discord opens a form only as the first answer, within three seconds, and never in answer
 * to a form. The form is kept in memory, so that a slow store does not make the button late too, and in the store, so
 * that the button works after a restart.
 */
export function formLater(form: Modal, request: Request, context: Context): Reply {
  const { buttons, jobs } = textsFor(request.locale).bot;
  const id = newId();
  context.forms.set(id, form);
  for (const oldest of context.forms.keys())
    if (context.forms.size > MOST_FORMS) context.forms.delete(oldest);
  // Not waited for: the store may be what was slow.
  keepWaiting(context, 'correction', request.user, id, { modal: form }).catch((error: unknown) =>
    context.log.warn({ reason: reasonOf(error) }, 'a form is kept in memory only'),
  );
  return {
    text: jobs.formReady,
    components: [row(button(buttons.goOn, customId('correct', [id], request.user), 'primary'))],
  };
}

/** The corrected form of a command. A field left empty removes the option. */
const corrected = {
  name: 'corrected',
  slow: true,
  updates: true,
  run: ([id = ''], request, context) =>
    again(id, request, context, (options) => ({ ...options, ...request.fields })),
} satisfies Action;

/** Another destination for a subscription, after the chosen one could not be used. */
const subscribeAt = {
  name: 'subscribe-at',
  slow: true,
  updates: true,
  run: ([id = '', kind = ''], request, context) =>
    again(id, request, context, ({ channel, mention, deliver, ...options }) => {
      if (kind === 'channel')
        return {
          ...options,
          ...defined({ mention }),
          deliver: kind,
          channel: request.values[0] ?? '',
        };
      if (kind !== 'plain') return { ...options, deliver: kind };
      return {
        ...options,
        ...defined({ deliver, channel }),
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
  // If the command fails again, it is stored again, so that the user can retry.
  const putBack = () => keepWaiting(context, 'correction', request.user, id, waiting);
  return { ...(await rerun(typed, request, context, putBack)), update: true };
}

/** Runs a stored command again for the current user. Calls `putBack` when it fails. */
export async function rerun(
  { path, options, rest }: Typed,
  request: Request,
  context: Context,
  putBack: () => Promise<void>,
): Promise<Reply> {
  const command = context.commandOf(path);
  if (!command) throw new UserError(textsFor(request.locale).bot.fault.oldButton);
  const given = Object.entries(options).filter(([, value]) => value !== '');
  try {
    return {
      components: [],
      ...(await runCommand(
        command,
        { ...request, ...defined({ rest }), options: Object.fromEntries(given) },
        context,
      )),
    };
  } catch (error) {
    await putBack();
    throw error;
  }
}

export const correctFeature: Feature = { actions: [correct, corrected, subscribeAt] };
