// The Discord parts of the service: the REST client, the bot, and the messengers that send notices to owners.

import type { Bot } from '../bot/bot.js';
import { storedCommandIds } from '../bot/runtime/command-ids.js';
import { noticeButtons } from '../bot/views/notice.js';
import type { Config } from '../config.js';
import { createDiscordRest, type DiscordRest } from '../discord/rest.js';
import { defined } from '../domain/defined.js';
import type { Destination } from '../domain/subscription.js';
import type { Pipeline } from '../pipeline/context.js';
import type { Messenger, Notice } from '../ports/notice.js';
import type { Services } from '../ports/services.js';
import type { Processes } from '../ports/stores.js';
import type { Log, Metrics } from '../ports/system.js';
import type { Duty } from '../service.js';
import { createDiscordMessenger } from '../sinks/discord/messenger.js';
import { isDiscord } from '../sinks/discord/target.js';
import type { EmailSink } from '../sinks/email/sink.js';

/**
 * Discord's REST client, the one of the bot, the sink and the messenger; undefined without a token. `share`: the part
 * of the rate limit that it may use.
 */
export function restOf(
  { discord }: Config,
  { log, metrics, share }: { log: Log; metrics: Metrics; share?: Share | undefined },
): DiscordRest | undefined {
  if (!discord.token) return undefined;
  const { token, apiUrl } = discord;
  return createDiscordRest({
    token,
    log,
    metrics,
    ...defined({ apiUrl: apiUrl || undefined, share: share?.value }),
  });
}

/** The part of a common rate limit that this process may use. */
export interface Share {
  /** From 0 to 1. */
  value(): number;
  readonly duty: Duty;
}

/** The small share of a new process, until the other processes have counted it. */
const NEW_SHARE = 0.025;
/** After this many counts, every other process has counted this one. */
const COUNTS = 3;

/** Gives each of the processes that share the store the same part. */
export function equalShare({ list }: Processes): Share {
  let share = NEW_SHARE;
  let counts = 0;
  return {
    value: () => share,
    duty: {
      name: 'share',
      every: 3,
      async run() {
        const { length } = await list();
        counts++;
        share = counts >= COUNTS ? 1 / Math.max(1, length) : NEW_SHARE;
      },
    },
  };
}

/** The messengers that can reach an owner, in this order: Discord for its users, e-mail for a confirmed address. */
export function messengersOf(
  { stores, log }: Pick<Pipeline, 'stores' | 'log'>,
  rest: DiscordRest | undefined,
  email: Partial<EmailSink> | undefined,
): readonly Messenger[] {
  const localeOf = async (account: string) => (await stores.accounts.get(account))?.locale;
  const subscriptionOf = async ({ subscription }: Notice) =>
    subscription === undefined ? undefined : stores.subscriptions.get(subscription);
  const placesOf = async (notice: Notice) =>
    ((await subscriptionOf(notice))?.destinations ?? []).filter(isDiscord);
  const isRefused = ({ kind, destination }: Notice, { id }: Destination) =>
    kind === 'destination' && id === destination;
  const discord = rest
    ? createDiscordMessenger(rest, {
        log,
        targetOf: async (notice) => (await placesOf(notice)).find((one) => !isRefused(notice, one))?.target,
        refusedOf: async (notice) => (await placesOf(notice)).find((one) => isRefused(notice, one))?.target,
        localeOf: ({ account }) => localeOf(account),
        placeLocaleOf: async (notice) => (await subscriptionOf(notice))?.locale,
        commandIds: () => storedCommandIds(stores.misc),
        buttonsOf: noticeButtons,
      })
    : undefined;
  return [discord, email?.messenger].filter((one) => one !== undefined);
}

/**
 * The bot; undefined without a token. Its library is loaded at the start, because commands that only poll do not need it.
 * `onFatal` is called with a reason when Discord no longer accepts the bot, and must end the service.
 */
export function botOf(
  config: Config,
  { stores, log, clock, metrics }: Pipeline,
  services: Services,
  rest: DiscordRest | undefined,
  onFatal: (reason: string) => void,
): Bot | undefined {
  const { token, guildId } = config.discord;
  if (!token || !rest) return undefined;
  let bot: Bot | undefined;
  return {
    async start() {
      const { createBot } = await import('../bot/bot.js');
      bot = createBot({
        token,
        rest,
        services,
        log,
        clock,
        metrics,
        misc: stores.misc,
        defaults: { liveSchedule: config.liveSchedule, source: config.sourceName },
        onFatal,
        ...defined({ guildId: guildId || undefined }),
      });
      await bot.start();
    },
    stop: async () => bot?.stop(),
    invite: () => bot?.invite(),
    health: () => bot?.health() ?? { ok: false, state: 'stopped', commands: false },
  };
}
