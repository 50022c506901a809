// The command /help: three steps to start with, each with its button. Completed steps are marked.
import { textsFor } from '../../render/texts.js';
import { button, customId, link, row } from '../runtime/components.js';
import type { Command, Feature } from '../runtime/request.js';
import { tokenButtons } from '../views/token.js';

/**
 * The page of Discord on which a person adds the application to their own account (Discord, "Application", Install
 * Links), so that its commands work everywhere.
 */
function installPage(application: string): string {
  return `https://discord.com/oauth2/authorize?client_id=${application}&integration_type=1&scope=applications.commands`;
}

const help = {
  path: 'help',
  async run(request, { services, tokenPage }) {
    const texts = textsFor(request.locale);
    const { help: words, buttons } = texts.bot;
    const token = await services.tokenReport(request.caller.account);
    const subscriptions = await services.subscriptions({ account: request.caller.account });
    const mark = (done: boolean) => (done ? ` ✅ ${words.done}` : '');
    const steps = [
      words.one + mark(token.state === 'ok'),
      words.two,
      words.three + mark(subscriptions.length > 0),
    ];
    const mine = customId('mine', [], request.user);
    return {
      embeds: [{ title: words.title, description: [...steps, `-# ${words.after}`].join('\n\n') }],
      components: [
        row(
          ...(token.state === 'ok' ? [] : tokenButtons(request.user, texts, tokenPage)),
          button(buttons.start, customId('setup', [], request.user), 'good', '➕'),
          ...(subscriptions.length > 0 ? [button(buttons.list, mine, 'plain', '📋')] : []),
        ),
        row(link(buttons.install, installPage(request.application))),
      ],
    };
  },
} satisfies Command;

export const helpFeature: Feature = { commands: [help] };
