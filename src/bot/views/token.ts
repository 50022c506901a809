// The way to a token, offered wherever one is missing.
import type { Texts } from '../../render/language/en.js';
import type { Answer, Ask, Bench } from '../ask.js';
import { type ActionRow, button, row } from '../components.js';
import { customId } from '../custom-id.js';

export function setTokenRow(ask: Ask, texts: Texts): ActionRow {
  return row(button(texts.bot.buttons.setToken, customId('token-form', [], ask.user), 'primary', '🔑'));
}

/** What to say to someone without a working token; undefined for everybody else. */
export async function askForToken(ask: Ask, bench: Bench, texts: Texts): Promise<Answer | undefined> {
  const { state } = await bench.desk.tokenReport(ask.caller.account);
  if (state === 'ok') return undefined;
  const { noToken, tokenRejected } = texts.bot.fault;
  return {
    text: `🔑 ${state === 'missing' ? noToken : tokenRejected}`,
    components: [setTokenRow(ask, texts)],
  };
}
