// Notifies owners by direct message; the operator is the owner of the bot's application. If a member's direct
// messages are closed, the channel that the subscription posts to gets a short text without private details.

import { createHash } from 'node:crypto';
import type { DiscordRest } from '../../discord/rest.js';
import { defined } from '../../domain/defined.js';
import { discordUser } from '../../domain/discord-id.js';
import { reasonOf } from '../../domain/errors.js';
import { OPERATOR } from '../../domain/subscription.js';
import type { Messenger, Notice } from '../../ports/notice.js';
import type { Log } from '../../ports/system.js';
import { type CommandIds, withCommands } from '../../render/commands.js';
import { isButton } from '../../render/discord/card.js';
import { withLinks } from '../../render/discord/escape.js';
import type { Button, LinkButton } from '../../render/discord/payload.js';
import { checkLinks, renderNotice } from '../../render/notice.js';
import { type Texts, textsFor } from '../../render/texts.js';
import { createChannels } from './channels.js';
import { placeOf } from './target.js';

export interface MessengerOptions {
  readonly log: Log;
  /** The Discord target of the subscription a notice is about, in the form of `parseDiscordTarget`; undefined for none. */
  readonly targetOf?: (notice: Notice) => string | undefined | Promise<string | undefined>;
  /**
   * The Discord place that refused a delivery, according to the notice, in the same form. The notice is not sent
   * there.
   */
  readonly refusedOf?: (notice: Notice) => string | undefined | Promise<string | undefined>;
  /** The owner's language; English when left out. */
  readonly localeOf?: (notice: Notice) => string | undefined | Promise<string | undefined>;
  /** The language of the channel that gets a notice instead of its owner; English when left out. */
  readonly placeLocaleOf?: (notice: Notice) => string | undefined | Promise<string | undefined>;
  /** The ids that make commands in a text clickable; without them commands are plain text. */
  readonly commandIds?: () => CommandIds | Promise<CommandIds>;
  /** The buttons below a direct message. `user` is the owner's Discord id. */
  readonly buttonsOf?: (notice: Notice, user: string, locale: string) => readonly (Button | LinkButton)[];
}

const TIMEOUT_MS = 30_000;

/** Reaches accounts `discord:<user id>` and the operator. False for others and if no way is open; logs refusals. */
export function createDiscordMessenger(rest: DiscordRest, options: MessengerOptions): Messenger {
  const channels = createChannels(rest);
  const { log, targetOf, refusedOf, localeOf, placeLocaleOf, commandIds, buttonsOf } = options;

  async function post(
    notice: Notice,
    target: string,
    content: string,
    { card }: Texts,
    buttons: readonly (Button | LinkButton)[] = [],
  ): Promise<boolean> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const link = notice.reminder?.posting.applyUrl;
    try {
      const { id, kind } = await channels.at(placeOf(target), signal);
      // A forum has no place for a line of text, and a new post would notify everyone.
      if (kind === 'forum') return false;
      const nonce = createHash('sha256').update(`${notice.kind}\n${notice.subject}\n${content}\n${id}`);
      const body = {
        content: link === undefined ? content : `${content}\n-# ${card.note}`,
        ...defined({
          embeds: link && !isButton(link) ? [{ description: `${card.apply}: <${link}>` }] : undefined,
          components: buttons.length > 0 ? [{ type: 1, components: buttons }] : undefined,
        }),
        allowed_mentions: { parse: [] },
        nonce: nonce.digest('base64url').slice(0, 25),
        enforce_nonce: true,
      };
      checkLinks(notice, { format: 'json', body: JSON.stringify(body), note: card.note });
      await rest.request('POST', `/channels/${id}/messages`, { body, signal });
      return true;
    } catch (error) {
      log.info({ kind: notice.kind, reason: reasonOf(error) }, 'notice not delivered on Discord');
      return false;
    }
  }

  async function userOf(account: string): Promise<string | undefined> {
    if (account !== OPERATOR) return discordUser(account);
    try {
      return await applicationOwner(rest);
    } catch (error) {
      log.info({ reason: reasonOf(error) }, 'owner of the application not known');
      return undefined;
    }
  }

  return async (notice) => {
    const user = await userOf(notice.account);
    if (!user) return false;
    const texts = textsFor(await localeOf?.(notice));
    const ids = (await commandIds?.()) ?? {};
    const said = (words: string, of = texts) => `🔔 ${withCommands(words, ids, of)}`;
    const words = withLinks(renderNotice(notice, texts.intl), 1_600);
    // The operator's own subscriptions are changed in a file or by commands.
    const buttons = notice.account === OPERATOR ? [] : (buttonsOf?.(notice, user, texts.intl) ?? []);
    const refused = await refusedOf?.(notice);
    const isOpen = refused !== `dm:${user}`;
    if (isOpen && (await post(notice, `dm:${user}`, said(words), texts, buttons))) return true;
    // Problems that the operator has to fix are not shown in a channel.
    if (notice.account === OPERATOR) return false;
    const target = await targetOf?.(notice);
    if (!target || target.startsWith('dm:') || target === refused) return false;
    const theirs = textsFor(await placeLocaleOf?.(notice));
    return post(notice, target, said(theirs.card.ownerWanted, theirs), theirs);
  };
}

/** The user the application belongs to; with a team, its owner (Discord's Application and Team objects). */
async function applicationOwner(rest: DiscordRest): Promise<string | undefined> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const { owner, team } = (await rest.request('GET', '/applications/@me', { signal })) as {
    owner?: { id?: string };
    team?: { owner_user_id?: string } | null;
  };
  return team?.owner_user_id ?? owner?.id;
}
