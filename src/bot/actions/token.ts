// The token from its form: tried once by the desk, then stored. It is wrapped at once and goes nowhere else. What was
// begun without a token goes on when it is set.
import { UserError } from '../../domain/errors.js';
import { secret } from '../../domain/secret.js';
import { textsFor } from '../../render/language/index.js';
import type { Action, Answer, Ask, Bench } from '../ask.js';
import { tokenModal } from '../commands/token-set.js';
import { button, row } from '../components.js';
import { customId } from '../custom-id.js';
import { findWaiting, keepWaiting, type Typed, takeWaiting } from '../drafts.js';
import { faultWords } from '../fault-words.js';
import { setTokenRow } from '../views/token.js';
import { rerun } from './correct.js';

export const token = {
  name: 'token',
  slow: true,
  async run(_args, ask, bench): Promise<Answer> {
    const { desk } = bench;
    const texts = textsFor(ask.locale);
    const { token: words } = texts.bot;
    const retry = [setTokenRow(ask, texts)];
    const report = await desk.setToken(ask.caller.account, secret(ask.fields.token ?? '')).catch((error) => {
      if (error instanceof UserError) return error;
      throw error;
    });
    // The form opens empty again: a token is never kept for that.
    if (report instanceof UserError)
      return { text: `⚠️ ${faultWords(report, texts)}`, components: retry, refused: true };
    if (report.state === 'missing') return { text: words.missing };
    if (report.state === 'rejected')
      return { text: words.rejected(report.lastFour), components: retry, refused: true };
    const said = (report.untried ? words.savedUntried : words.saved)(report.lastFour);
    // An API that gave no answer about the token would let the person wait as long once more.
    const next = report.untried ? await later(ask, bench) : await goOn(ask, bench).catch(laterAfter(ask));
    if (next) return { ...next, text: [said, next.text].filter(Boolean).join('\n\n') };
    const { length } = await desk.subscriptions({ account: ask.caller.account });
    return { text: `${said}\n${length > 0 ? words.savedAgain : words.savedNext}` };
  },
} satisfies Action;

/** The button beside "you have no token". A person who has set one elsewhere since continues at once. */
export const tokenForm = {
  name: 'token-form',
  async run(_args, ask, bench): Promise<Answer> {
    const waiting = await findWaiting(bench, 'token', ask.user);
    const { state } = waiting ? await bench.desk.tokenReport(ask.caller.account) : { state: 'missing' };
    const next = state === 'ok' ? await goOn(ask, bench) : undefined;
    return next ?? { modal: tokenModal(ask) };
  },
} satisfies Action;

/** Runs what waited for a token; undefined when nothing does. */
async function goOn(ask: Ask, bench: Bench): Promise<Answer | undefined> {
  const waiting = await findWaiting(bench, 'token', ask.user);
  if (!waiting) return undefined;
  if (belongsElsewhere(waiting, ask))
    return { text: textsFor(ask.locale).bot.jobs.goOnThere(`<#${waiting.channel}>`) };
  const typed = await takeWaiting(bench, 'token', ask.user);
  if (!typed) return undefined;
  const putBack = () => keepWaiting(bench, 'token', ask.user, '', typed);
  // From a direct message it goes to a direct message, wherever the token was set.
  const options = typed.guild ? typed.options : { deliver: 'dm', ...typed.options };
  const again = { ...typed, options: typed.path === 'jobs subscribe' ? options : typed.options };
  return rerun(again, ask, bench, putBack);
}

/** What waits for a token can be tried again by a button; undefined when nothing does. */
async function later(ask: Ask, bench: Bench): Promise<Answer | undefined> {
  return (await findWaiting(bench, 'token', ask.user)) && continueAnswer(ask);
}

/** The token is stored, whatever became of what waited for it. */
function laterAfter(ask: Ask): (error: unknown) => Answer {
  return (error) => {
    if (!(error instanceof UserError)) throw error;
    const { text, ...rest } = continueAnswer(ask);
    return { ...rest, text: `⚠️ ${faultWords(error, textsFor(ask.locale))}\n${text}`, refused: true };
  };
}

function continueAnswer(ask: Ask): Answer {
  const { buttons, jobs } = textsFor(ask.locale).bot;
  return {
    text: jobs.keptToContinue,
    components: [row(button(buttons.goOn, customId('token-form', [], ask.user), 'primary'))],
  };
}

/** A subscription of a channel can be made in its own channel only: there Discord says what the person may do. */
function belongsElsewhere({ path, options, guild, channel }: Typed, ask: Ask): boolean {
  if (path !== 'jobs subscribe' || !guild) return false;
  if (options.deliver === 'dm' || options.deliver === 'email') return false;
  return guild !== ask.guild || (options.channel === undefined && channel !== ask.channel);
}
