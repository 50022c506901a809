// Tells owners by direct message. When that is closed to the bot, the channel the subscription posts to gets a word
// that leaves out everything private.
import { createHash } from 'node:crypto';
import { reasonOf } from '../../domain/errors.js';
import type { Messenger, Notice } from '../../ports/notice.js';
import type { Log } from '../../ports/system.js';
import { withLinks } from '../../render/discord/escape.js';
import { textsFor } from '../../render/language/index.js';
import { createChannels } from './channels.js';
import type { DiscordRest } from './rest.js';
import { placeOf } from './target.js';

export interface MessengerOptions {
  readonly log: Log;
  /** The Discord target of the subscription a notice is about, in the form of `parseDiscordTarget`; undefined for none. */
  readonly targetOf?: (notice: Notice) => string | undefined | Promise<string | undefined>;
  /** The language of the channel's word; English when left out. */
  readonly localeOf?: (notice: Notice) => string | undefined | Promise<string | undefined>;
  /** A notice in the owner's words, when it shall not be `notice.text`. */
  readonly render?: (notice: Notice) => string | Promise<string>;
}

const TIMEOUT_MS = 30_000;

/** Reaches accounts `discord:<user id>`; false for others, and when neither way is open. Never throws for a refusal. */
export function createDiscordMessenger(rest: DiscordRest, options: MessengerOptions): Messenger {
  const channels = createChannels(rest);
  const { log, targetOf, localeOf, render } = options;

  async function post(notice: Notice, target: string, content: string): Promise<boolean> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const { id, kind } = await channels.at(placeOf(target), signal);
      // A forum has no place for a line of text, and a post for it would be a notice to everyone.
      if (kind === 'forum') return false;
      const nonce = createHash('sha256').update(`${notice.kind}\n${notice.subject}\n${content}\n${id}`);
      await rest.request('POST', `/channels/${id}/messages`, {
        body: {
          content,
          allowed_mentions: { parse: [] },
          nonce: nonce.digest('base64url').slice(0, 25),
          enforce_nonce: true,
        },
        signal,
      });
      return true;
    } catch (error) {
      log.info({ kind: notice.kind, reason: reasonOf(error) }, 'notice not delivered on Discord');
      return false;
    }
  }

  return async (notice) => {
    const user = /^discord:(\d{17,19})$/u.exec(notice.account)?.[1];
    if (!user) return false;
    const words = render ? await render(notice) : notice.text;
    if (await post(notice, `dm:${user}`, `🔔 ${withLinks(words, 1_800)}`)) return true;
    const target = await targetOf?.(notice);
    if (!target || target.startsWith('dm:')) return false;
    return post(notice, target, `🔔 ${textsFor(await localeOf?.(notice)).card.ownerWanted}`);
  };
}
