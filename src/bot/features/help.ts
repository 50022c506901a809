// The command /help: three steps to start with. Completed steps are marked.
import { textsFor } from '../../render/texts.js';
import type { Command, Feature } from '../runtime/request.js';
import { setTokenRow } from '../views/token.js';

const help = {
  path: 'help',
  async run(request, { services }) {
    const texts = textsFor(request.locale);
    const words = texts.bot.help;
    const token = await services.tokenReport(request.caller.account);
    const subscriptions = await services.subscriptions({ account: request.caller.account });
    const mark = (done: boolean) => (done ? ` ✅ ${words.done}` : '');
    const steps = [
      words.one + mark(token.state === 'ok'),
      words.two,
      words.three + mark(subscriptions.length > 0),
    ];
    return {
      embeds: [{ title: words.title, description: [...steps, `-# ${words.after}`].join('\n\n') }],
      components: token.state === 'ok' ? [] : [setTokenRow(request, texts)],
    };
  },
} satisfies Command;

export const helpFeature: Feature = { commands: [help] };
