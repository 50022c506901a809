// The commands and the form for the API token. The token is typed into a modal, because an option of a command
// would stay readable in the chat.
import { UserError } from '../../domain/errors.js';
import { secret } from '../../domain/secret.js';
import { textsFor } from '../../render/texts.js';
import { faultWords } from '../forms/faults.js';
import { button, customId, type Modal, modal, row } from '../runtime/components.js';
import { findWaiting, keepWaiting, type Typed, takeWaiting } from '../runtime/drafts.js';
import type { Action, Command, Context, Feature, Reply, Request } from '../runtime/request.js';
import { setTokenRow } from '../views/token.js';
import { rerun } from './correct.js';

function tokenModal(request: Request): Modal {
  const { token } = textsFor(request.locale).bot;
  return modal(customId('token', [], request.user), token.modalTitle, [
    { id: 'token', label: token.field, placeholder: token.placeholder, required: true, max: 600 },
  ]);
}

const tokenSet = {
  path: 'token set',
  run: async (request) => ({ modal: tokenModal(request) }),
} satisfies Command;

/** Shows whether the caller's token works. Of the token it shows only the last four characters. */
const tokenStatus = {
  path: 'token status',
  async run(request, context) {
    const { token } = textsFor(request.locale).bot;
    const report = await context.services.tokenReport(request.caller.account);
    if (report.state === 'missing')
      return { text: token.missing, components: [setTokenRow(request, context)] };
    if (report.state === 'ok') return { text: token.ok({ last: report.lastFour }) };
    return { text: token.rejected({ last: report.lastFour }), components: [setTokenRow(request, context)] };
  },
} satisfies Command;

/** Deletes the caller's token. The subscriptions that use it wait for a new one. */
const tokenRemove = {
  path: 'token remove',
  async run(request, { services }) {
    const { token } = textsFor(request.locale).bot;
    return { text: (await services.removeToken(request.caller.account)) ? token.removed : token.none };
  },
} satisfies Command;

/**
 * Reads the token from its form. The service tries it once, then stores it. The token is wrapped in a secret
 * immediately and goes nowhere else. A command that waits for a token runs when one is set.
 */
const token = {
  name: 'token',
  slow: true,
  async run(_args, request, context): Promise<Reply> {
    const { services } = context;
    const texts = textsFor(request.locale);
    const { token: words } = texts.bot;
    const retry = [setTokenRow(request, context)];
    const report = await services
      .setToken(request.caller.account, secret(request.fields.token ?? ''))
      .catch((error) => {
        if (error instanceof UserError) return error;
        throw error;
      });
    // On a retry the form opens empty, because a token is never kept for that.
    if (report instanceof UserError)
      return { text: `⚠️ ${faultWords(report, texts)}`, components: retry, refused: true };
    if (report.state === 'missing') return { text: words.missing };
    if (report.state === 'rejected')
      return { text: words.rejected({ last: report.lastFour }), components: retry, refused: true };
    const said = (report.untried ? words.savedUntried : words.saved)({ last: report.lastFour });
    // The API gave no answer to the try. Running the command now would make the user wait as long again.
    const next = report.untried
      ? await later(request, context)
      : await goOn(request, context).catch(laterAfter(request));
    if (next) return { ...next, text: [said, next.text].filter(Boolean).join('\n\n') };
    const { length } = await services.subscriptions({ account: request.caller.account });
    if (length > 0) return { text: `${said}\n${words.savedAgain}` };
    const start = button(texts.bot.buttons.start, customId('setup', [], request.user), 'good', '➕');
    return { text: `${said}\n${words.savedNext}`, components: [row(start)] };
  },
} satisfies Action;

/**
 * The button beside "you have no token". For a user who has set one elsewhere since, the command runs immediately.
 */
const tokenForm = {
  name: 'token-form',
  async run(_args, request, context): Promise<Reply> {
    const waiting = await findWaiting(context, 'token', request.user);
    const { state } = waiting
      ? await context.services.tokenReport(request.caller.account)
      : { state: 'missing' };
    const next = state === 'ok' ? await goOn(request, context) : undefined;
    return next ?? { modal: tokenModal(request) };
  },
} satisfies Action;

/** Runs the command that waits for a token; undefined when there is none. */
async function goOn(request: Request, context: Context): Promise<Reply | undefined> {
  const waiting = await findWaiting(context, 'token', request.user);
  if (!waiting) return undefined;
  if (belongsElsewhere(waiting, request))
    return { text: textsFor(request.locale).bot.jobs.goOnThere({ channel: `<#${waiting.channel}>` }) };
  const typed = await takeWaiting(context, 'token', request.user);
  if (!typed) return undefined;
  const putBack = () => keepWaiting(context, 'token', request.user, '', typed);
  // A command from a direct message delivers to a direct message, wherever the token was set.
  const options = typed.guild ? typed.options : { deliver: 'dm', ...typed.options };
  const again = { ...typed, options: typed.path === 'jobs subscribe' ? options : typed.options };
  return rerun(again, request, context, putBack);
}

/** A button to retry the command that waits for a token; undefined when there is none. */
async function later(request: Request, context: Context): Promise<Reply | undefined> {
  return (await findWaiting(context, 'token', request.user)) && continueAnswer(request);
}

/** The token stays stored, even when the command that waited for it fails. */
function laterAfter(request: Request): (error: unknown) => Reply {
  return (error) => {
    if (!(error instanceof UserError)) throw error;
    const { text, ...rest } = continueAnswer(request);
    return { ...rest, text: `⚠️ ${faultWords(error, textsFor(request.locale))}\n${text}`, refused: true };
  };
}

function continueAnswer(request: Request): Reply {
  const { buttons, jobs } = textsFor(request.locale).bot;
  return {
    text: jobs.keptToContinue,
    components: [row(button(buttons.goOn, customId('token-form', [], request.user), 'primary'))],
  };
}

/**
 * A channel subscription can be created only in its own server, and in its own channel when the command named none:
 * only there does Discord report the user's rights.
 */
function belongsElsewhere({ path, options, guild, channel }: Typed, request: Request): boolean {
  if (path !== 'jobs subscribe' || !guild) return false;
  if (options.deliver === 'dm' || options.deliver === 'email') return false;
  return guild !== request.guild || (options.channel === undefined && channel !== request.channel);
}

export const tokenFeature: Feature = {
  commands: [tokenSet, tokenStatus, tokenRemove],
  actions: [token, tokenForm],
};
