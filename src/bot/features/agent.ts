// The commands for the access key, with which an AI assistant or another program acts for the caller. The key is shown
// once, to the caller only.
import { type Texts, textsFor } from '../../render/texts.js';
import type { Command, Context, Feature } from '../runtime/request.js';

/** What a program with the key may do, and where it uses the key. */
function accessWords(
  write: boolean,
  { services: { agentUrl } }: Context,
  { bot: { agent } }: Texts,
): string[] {
  return [
    write ? agent.mayWrite : agent.mayRead,
    agentUrl === undefined ? agent.whereUnknown : agent.where({ url: `\`${agentUrl}\`` }),
  ];
}

const agentKey = {
  path: 'agent key',
  options: [{ name: 'access', type: 'text', choices: ['read', 'write'] }],
  async run(request, context) {
    const texts = textsFor(request.locale);
    const { agent } = texts.bot;
    const write = request.options.access === 'write';
    const key = await context.services.makeAccessKey(request.caller.account, write);
    const lines = [agent.made({ key: key.reveal() }), ...accessWords(write, context, texts), agent.after];
    return { text: lines.join('\n') };
  },
} satisfies Command;

const agentStatus = {
  path: 'agent status',
  async run(request, context) {
    const texts = textsFor(request.locale);
    const { agent } = texts.bot;
    const report = await context.services.accessKey(request.caller.account);
    if (!report) return { text: agent.none };
    const since = agent.since({ date: `<t:${Math.floor(report.madeAt / 1000)}:D>` });
    return { text: [since, ...accessWords(report.write, context, texts)].join('\n') };
  },
} satisfies Command;

const agentRemove = {
  path: 'agent remove',
  async run(request, { services }) {
    const { agent } = textsFor(request.locale).bot;
    return { text: (await services.removeAccessKey(request.caller.account)) ? agent.removed : agent.none };
  },
} satisfies Command;

export const agentFeature: Feature = { commands: [agentKey, agentStatus, agentRemove] };
