// Checks whether Telegram accepts the bot's token, and whether the bot sees the chats of the subscriptions.
import { Api, GrammyError, HttpError } from 'grammy';
import { fail, off, ok } from '../../domain/finding.js';
import type { SinkCheck } from '../settings.js';
import { placeOf } from './target.js';

/** Most chats that one run of doctor checks. */
const MOST = 25;

const telegramCheck: SinkCheck = {
  name: 'telegram',
  async run({ telegram }, { targets, words: { any, discord, telegram: words } }, signal) {
    if (!telegram) return [off(any.notSet({ setting: 'TELEGRAM_TOKEN' }))];
    const { token, apiUrl } = telegram;
    const api = new Api(token.reveal(), apiUrl ? { apiRoot: apiUrl } : {});
    const cancel = signal as never;
    try {
      const findings = [ok(words.login({ user: (await api.getMe(cancel)).username }))];
      const chats = [...(await targets())].filter(([target]) => placeOf(target).kind === 'chat');
      for (const [chat, subscription] of chats.slice(0, MOST)) {
        const where = words.chat({ chat, id: subscription });
        const found = await api.getChat(chat, cancel).then(
          () => ok(words.sees({ where })),
          (error: unknown) => {
            if (!(error instanceof GrammyError)) throw error;
            return fail(words.hidden({ where, code: error.error_code }), words.hiddenFix);
          },
        );
        findings.push(found);
      }
      if (chats.length > MOST) findings.push(off(words.further({ count: chats.length - MOST })));
      return findings;
    } catch (error) {
      if (error instanceof GrammyError && [401, 404].includes(error.error_code))
        return [fail(discord.refused, words.refusedFix)];
      if (!(error instanceof GrammyError || error instanceof HttpError)) throw error;
      return [fail(words.away, words.awayFix)];
    }
  },
};

export const checks: readonly SinkCheck[] = [telegramCheck];
