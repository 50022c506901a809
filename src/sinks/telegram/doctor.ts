// Checks whether Telegram accepts the bot's token, and whether the bot sees the chats of the subscriptions.
import { Api, GrammyError, HttpError } from 'grammy';
import { fail, off, ok } from '../../domain/finding.js';
import type { SinkCheck } from '../settings.js';
import { placeOf } from './target.js';

/** Most chats that one run of doctor checks. */
const MOST = 25;

const telegramCheck: SinkCheck = {
  name: 'Telegram',
  async run({ telegram }, { targets }, signal) {
    if (!telegram) return [off('TELEGRAM_TOKEN is not set')];
    const { token, apiUrl } = telegram;
    const api = new Api(token.reveal(), apiUrl ? { apiRoot: apiUrl } : {});
    const cancel = signal as never;
    try {
      const findings = [ok(`logs in as @${(await api.getMe(cancel)).username}`)];
      const chats = [...(await targets())].filter(([target]) => placeOf(target).kind === 'chat');
      for (const [chat, subscription] of chats.slice(0, MOST)) {
        const where = `chat ${chat} of subscription ${subscription}`;
        const found = await api.getChat(chat, cancel).then(
          () => ok(`${where}: the bot sees it`),
          (error: unknown) => {
            if (!(error instanceof GrammyError)) throw error;
            return fail(
              `${where} can't be seen by the bot (${error.error_code})`,
              'add the bot to the chat, or to the channel as an administrator',
            );
          },
        );
        findings.push(found);
      }
      if (chats.length > MOST) findings.push(off(`${chats.length - MOST} further chats were not checked`));
      return findings;
    } catch (error) {
      if (error instanceof GrammyError && [401, 404].includes(error.error_code))
        return [fail('the bot token is refused', 'ask @BotFather for a new one and set TELEGRAM_TOKEN')];
      if (!(error instanceof GrammyError || error instanceof HttpError)) throw error;
      return [fail("Telegram can't be reached", 'check the network and TELEGRAM_API_URL')];
    }
  },
};

export const checks: readonly SinkCheck[] = [telegramCheck];
