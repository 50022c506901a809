// Sends editions to Discord over REST only, so that a worker without a gateway can send. Each part becomes one
// message, even if an answer is lost. A place that refuses gets nothing more until its owner acts.

import { createHash } from 'node:crypto';
import { createDiscordRest, type DiscordRest } from '../../discord/rest.js';
import { defined } from '../../domain/defined.js';
import { discordId } from '../../domain/discord-id.js';
import type { DeliveryError } from '../../domain/errors.js';
import { cardsOf, onCard } from '../../domain/same-job.js';
import type { Secret } from '../../domain/secret.js';
import { createKeyedMutex } from '../../domain/serial.js';
import type { Destination } from '../../domain/subscription.js';
import type { Delivery, DeliveryContext, Sink, WelcomeContext } from '../../ports/sink.js';
import type { Table } from '../../ports/stores.js';
import type { Clock, Log, Metrics } from '../../ports/system.js';
import { plainCommands } from '../../render/commands.js';
import { escaped } from '../../render/discord/escape.js';
import { forumTags, isPostPerPosting } from '../../render/discord/forum.js';
import { renderMessage } from '../../render/discord/message.js';
import { packImmediate, packList } from '../../render/discord/pack.js';
import { type Button, COMPONENTS_V2 } from '../../render/discord/payload.js';
import { textsFor } from '../../render/texts.js';
import { createChannels } from './channels.js';
import { deliveryError } from './fault.js';
import { createPlaceNames } from './names.js';
import { createLaterPlaces } from './places.js';
import { createPublish } from './publish.js';
import { createSender } from './send.js';
import { parseDiscordTarget, placeOf } from './target.js';

/** `rest`: shared with other users of the token; created here when left out. */
export interface DiscordSinkOptions {
  readonly token: Secret;
  readonly apiUrl?: string;
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** The board's name, the same as in `Delivery.source`. */
  readonly source: string;
  readonly rest?: DiscordRest;
  /** Stores the names of channels and servers; they are only in memory when left out. */
  readonly table?: Table<unknown>;
  /** The buttons below the first direct message to a user. */
  readonly helloButtons?: (user: string, locale: string) => readonly Button[];
}

/** Discord remembers a nonce for "the past few minutes". Within this time we rely on it. */
const NONCE_MS = 120_000;
const REFUSAL_MS = 600_000;
const MOST = 5_000;

/** A place that refused, and the subscriptions that have got its error. */
interface Refusal {
  readonly error: DeliveryError;
  readonly at: number;
  readonly told: Set<string>;
}

/**
 * The sink `discord`. Options of a destination: `mention` (role id), `forum: posting` (a forum post for each posting),
 * `publish: true` (messages of an announcement channel are published).
 */
export function createDiscordSink(options: DiscordSinkOptions): Sink {
  const { token, clock, source } = options;
  const rest = options.rest ?? createDiscordRest(options);
  const channels = createChannels(rest);
  const publish = createPublish(rest, { table: options.table, clock, log: options.log });
  const sender = createSender(rest, channels, botId(token), publish);
  const later = options.table && createLaterPlaces(rest, { ...options, table: options.table });
  const names = createPlaceNames(rest, options.table, options.log, clock);
  const inOrder = createKeyedMutex();
  const begun = new Map<string, number>();
  const refusals = new Map<string, Refusal>();

  async function deliver(delivery: Delivery, target: string, context: DeliveryContext): Promise<void> {
    try {
      await inOrder(target, () => post(delivery, target, context), context.signal);
    } catch (error) {
      throw deliveryError(error, context.signal);
    }
  }

  async function post(delivery: Delivery, target: string, context: DeliveryContext): Promise<void> {
    known(delivery.subscription, target);
    const mayBeForgotten = begin(delivery, target);
    const note = textsFor(delivery.locale).card.note;
    try {
      const postings = later && isLive(delivery) ? await later.add(delivery, context) : delivery.postings;
      if (postings.length > 0) {
        const isWhole = postings.length === delivery.postings.length;
        const left = isWhole ? delivery : { ...delivery, postings };
        const keys = isWhole ? undefined : postings.map(({ key }) => key);
        const payload = renderMessage(left);
        const message = await sender.send(placeOf(target), {
          delivery: left,
          payload,
          mayBeForgotten,
          signal: context.signal,
          guard: (body) => context.guard({ format: 'json', body: JSON.stringify(body), note }, keys),
        });
        if (message && later && payload.flags === COMPONENTS_V2) await later.remember(left, message);
      }
    } catch (error) {
      const failed = deliveryError(error, context.signal);
      if (failed.fault === 'target')
        refusals.set(target, { error: failed, at: clock.now(), told: new Set([delivery.subscription]) });
      throw failed;
    }
    // A channel from the file was never chosen in Discord, so its name is learned here, before the channel is gone.
    const place = placeOf(target);
    if (options.table && place.kind === 'channel')
      void channels.at(place, context.signal).then(names.learn, () => undefined);
    refusals.delete(target);
    begun.delete(attemptKey(delivery, target));
  }

  /**
   * Throws without a request if the place has just refused another subscription. A subscription that already got the
   * error comes back only after its owner acted, so then Discord is asked again.
   */
  function known(subscription: string, target: string): void {
    const refusal = refusals.get(target);
    if (!refusal) return;
    const current = clock.now() - refusal.at < REFUSAL_MS && !refusal.told.has(subscription);
    if (!current) return;
    refusal.told.add(subscription);
    throw refusal.error;
  }

  /** Records when the first attempt began; if unknown, the slot counts. True when Discord may have lost its nonce. */
  function begin(delivery: Delivery, target: string): boolean {
    const key = attemptKey(delivery, target);
    if (begun.size >= MOST) begun.clear();
    if (delivery.attempt <= 1) begun.set(key, clock.now());
    if (delivery.attempt <= 1) return false;
    return clock.now() - (begun.get(key) ?? delivery.slot) > NONCE_MS;
  }

  /** Learns a channel's name, or sends a hello: only sending shows whether a person's direct messages are closed. */
  async function welcome(destination: Destination, { about, locale, signal }: WelcomeContext): Promise<void> {
    const place = placeOf(destination.target);
    if (place.kind === 'channel') return names.learn(await channels.at(place, signal));
    const texts = textsFor(locale);
    const content = plainCommands(texts.bot.hello({ about: `**${escaped(about, 300)}**` }), texts);
    const buttons = options.helloButtons?.(place.user, locale) ?? [];
    const components = buttons.length > 0 ? [{ type: 1, components: buttons }] : [];
    const nonce = createHash('sha256').update(`hello\n${destination.target}\n${about}`).digest('base64url');
    try {
      const { id } = await channels.at(place, signal);
      await rest.request('POST', `/channels/${id}/messages`, {
        body: {
          content,
          components,
          allowed_mentions: { parse: [] },
          nonce: nonce.slice(0, 25),
          enforce_nonce: true,
        },
        signal,
      });
    } catch (error) {
      throw deliveryError(error, signal);
    }
    refusals.delete(destination.target);
  }

  /** Without a nonce, because each press asks for another message. A forum gets a post. */
  async function test({ target }: Destination, { about, locale, signal }: WelcomeContext): Promise<void> {
    const { jobs } = textsFor(locale).bot;
    const content = jobs.testMessage({ about: `**${escaped(about, 300)}**` });
    const message = { content, allowed_mentions: { parse: [] } };
    async function send(): Promise<void> {
      const { id, kind, archived, tags, tagRequired } = await channels.at(placeOf(target), signal, true);
      if (kind === 'forum') {
        const body = { name: jobs.testTitle, message, applied_tags: forumTags(tags, tagRequired, []) };
        await rest.request('POST', `/channels/${id}/threads`, { body, signal });
        return;
      }
      if (archived) await channels.reopen(id, signal);
      await rest.request('POST', `/channels/${id}/messages`, { body: message, signal });
    }
    try {
      await inOrder(target, send, signal);
    } catch (error) {
      throw deliveryError(error, signal);
    }
    refusals.delete(target);
  }

  return {
    name: 'discord',
    welcome,
    test,
    parseTarget: parseDiscordTarget,
    nameOf: async (target) => {
      const place = placeOf(target);
      return place.kind === 'channel' ? names.of(place.id) : {};
    },
    isShared: (target) => placeOf(target).kind === 'channel',
    isPrivate: (target) => placeOf(target).kind === 'dm',
    joins: true,
    pack: (postings, destination) => {
      if (destination.options?.forum === 'posting') return cardsOf(postings).map(onCard);
      return destination.cadence.every === 'immediate'
        ? packImmediate(postings, source)
        : packList(postings, source);
    },
    deliver,
    restMs(target) {
      const place = placeOf(target);
      return place.kind === 'channel' ? rest.resetMs('POST', `/channels/${place.id}/messages`) : 0;
    },
    ...defined({ close: options.rest ? undefined : () => rest.close() }),
  };
}

/** True for a message to which no forum post and no "and N more" belongs. */
function isLive(delivery: Delivery): boolean {
  return delivery.every === 'immediate' && delivery.more === 0 && !isPostPerPosting(delivery);
}

function attemptKey({ edition, part }: Delivery, target: string): string {
  return `${edition} ${part} ${target}`;
}

/** The bot's id, which is the first section of its token in base64; undefined if that is not an id. */
function botId(token: Secret): string | undefined {
  return discordId(Buffer.from(token.reveal().split('.', 1)[0] ?? '', 'base64url').toString('latin1'));
}
