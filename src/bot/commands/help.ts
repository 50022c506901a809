// The first walk: three steps, with the ones already done marked.
import { textsFor } from '../../render/language/index.js';
import type { Command } from '../ask.js';
import { setTokenRow } from '../views/token.js';

export const help = {
  path: 'help',
  async run(ask, { desk }) {
    const texts = textsFor(ask.locale);
    const words = texts.bot.help;
    const token = await desk.tokenReport(ask.caller.account);
    const subscriptions = await desk.subscriptions({ account: ask.caller.account });
    const mark = (done: boolean) => (done ? ` ✅ ${words.done}` : '');
    const steps = [
      words.one + mark(token.state === 'ok'),
      words.two,
      words.three + mark(subscriptions.length > 0),
    ];
    return {
      embeds: [{ title: words.title, description: [...steps, `-# ${words.after}`].join('\n\n') }],
      components: token.state === 'ok' ? [] : [setTokenRow(ask, texts)],
    };
  },
} satisfies Command;
