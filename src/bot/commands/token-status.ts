// Says whether the caller's token works. Of the token itself, the last four characters and nothing more.
import { textsFor } from '../../render/language/index.js';
import type { Command } from '../ask.js';
import { setTokenRow } from '../views/token.js';

export const tokenStatus = {
  path: 'token status',
  async run(ask, { desk }) {
    const texts = textsFor(ask.locale);
    const { token } = texts.bot;
    const report = await desk.tokenReport(ask.caller.account);
    if (report.state === 'missing') return { text: token.missing, components: [setTokenRow(ask, texts)] };
    if (report.state === 'ok') return { text: token.ok(report.lastFour) };
    return { text: token.rejected(report.lastFour), components: [setTokenRow(ask, texts)] };
  },
} satisfies Command;
