// Says whether the caller's token works. Of the token itself, the last four characters and nothing more.
import { textsFor } from '../../render/language/index.js';
import type { Command } from '../request.js';
import { setTokenRow } from '../views/token.js';

export const tokenStatus = {
  path: 'token status',
  async run(request, { services }) {
    const texts = textsFor(request.locale);
    const { token } = texts.bot;
    const report = await services.tokenReport(request.caller.account);
    if (report.state === 'missing') return { text: token.missing, components: [setTokenRow(request, texts)] };
    if (report.state === 'ok') return { text: token.ok(report.lastFour) };
    return { text: token.rejected(report.lastFour), components: [setTokenRow(request, texts)] };
  },
} satisfies Command;
