// The Discord bot: connects, registers its commands when they differ from those Discord has, passes interactions
// on, and reports to the services when it leaves a server. A lost connection is normal and is retried. A refusal by
// Discord ends the process.

import { Events, GatewayCloseCodes, PermissionFlagsBits } from 'discord.js';
import type { DiscordRest } from '../discord/rest.js';
import { defined } from '../domain/defined.js';
import { reasonOf } from '../domain/errors.js';
import type { Secret } from '../domain/secret.js';
import type { Services } from '../ports/services.js';
import type { Table } from '../ports/stores.js';
import type { Clock, Log, Metrics } from '../ports/system.js';
import type { CommandIds } from '../render/commands.js';
import { commandOf } from './features/index.js';
import { type Connection, createConnection, pauseBefore } from './runtime/client.js';
import { storeCommandIds } from './runtime/command-ids.js';
import { createInteractions } from './runtime/interactions.js';
import { createOpenAnswers } from './runtime/open-replies.js';
import { registerCommands } from './runtime/registration.js';
import type { Context } from './runtime/request.js';
import { createRawRights } from './runtime/request-of.js';
import { watchServers } from './runtime/servers.js';

export interface BotOptions {
  readonly token: Secret;
  readonly rest: DiscordRest;
  /** Registers the commands in this server only. */
  readonly guildId?: string;
  readonly services: Services;
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly misc: Table<unknown>;
  /** `source`: the board's name, shown with postings. */
  readonly defaults: { readonly liveSchedule: string; readonly source: string };
  /**
   * Longest time to wait for an answer, milliseconds. Ten minutes when left out, because Discord ends an interaction
   * after fifteen.
   */
  readonly patienceMs?: number;
  /**
   * Called when Discord refused the bot for good (token, intents, sharding): the process should end with a failure.
   */
  onFatal(reason: string): void;
}

interface BotHealth {
  readonly ok: boolean;
  readonly state: 'stopped' | 'connecting' | 'ready' | 'refused';
  /** True when the current commands are known to be registered. */
  readonly commands: boolean;
}

export interface Bot {
  /** Starts connecting and keeps trying. Resolves immediately, so that the program works while Discord does not. */
  start(): Promise<void>;
  /**
   * Accepts no more interactions, waits for the running ones (at most 3 s), notifies the users of the others, and
   * disconnects.
   */
  stop(): Promise<void>;
  health(): BotHealth;
  /**
   * The address with which anyone can add the bot to their Discord server. Undefined before the bot was connected, and
   * if only its owner may add it (a setting in the developer portal).
   */
  invite(): string | undefined;
}

/** What the bot needs in a server: docs/discord.md says what for. */
const PERMISSIONS =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.EmbedLinks |
  PermissionFlagsBits.ReadMessageHistory |
  PermissionFlagsBits.SendMessagesInThreads;

const SETTLE_MS = 3_000;
const FAREWELL_MS = 2_000;

/** Close codes after which Discord accepts no reconnect, with the fix (Gateway Close Event Codes). */
const REFUSALS: Readonly<Record<number, string>> = {
  [GatewayCloseCodes.AuthenticationFailed]:
    'Discord does not accept the bot token; copy a new one from the developer portal into DISCORD_TOKEN',
  [GatewayCloseCodes.InvalidShard]:
    'Discord says the shard number is wrong; start one process without SHARDS',
  [GatewayCloseCodes.ShardingRequired]:
    'the bot is in too many servers for one connection; it must be sharded',
  [GatewayCloseCodes.InvalidAPIVersion]:
    'Discord no longer speaks this version of its gateway; update the program',
  [GatewayCloseCodes.InvalidIntents]: 'Discord does not know the intents asked for; update the program',
  [GatewayCloseCodes.DisallowedIntents]:
    'Discord refuses an intent; this bot needs none that must be granted, so check that DISCORD_TOKEN is the right application',
};

/** Creates the bot. It does nothing before `start`. */
export function createBot(options: BotOptions): Bot {
  const { token, guildId, services, log, clock, metrics, misc, defaults, onFatal } = options;
  const context: Context = { services, log, clock, misc, commandOf, forms: new Map(), ...defaults };
  const identifies: number[] = [];
  let ids: CommandIds = {};
  let registered = false;
  let state: BotHealth['state'] = 'stopped';
  let connection: Connection | undefined;
  let invitation: string | undefined;
  const retries = new Set<NodeJS.Timeout>();
  const rights = createRawRights();
  const open = createOpenAnswers(misc, log);
  const interactions = createInteractions({
    context,
    metrics,
    ids: () => ids,
    rights: rights.take,
    open,
    ...defined({ patienceMs: options.patienceMs || undefined }),
  });

  function refused(reason: string, code?: number): void {
    if (state === 'refused' || state === 'stopped') return;
    state = 'refused';
    log.error({ code, reason }, 'discord refused the bot');
    onFatal(reason);
  }

  /** Runs `work` again after growing pauses until it succeeds or the bot is stopped. */
  function persist(work: (attempt: number) => Promise<void>, message: string, attempt = 0): void {
    const retry = setTimeout(
      () => {
        retries.delete(retry);
        work(attempt).catch((error: unknown) => {
          if (state === 'stopped' || state === 'refused') return;
          log.warn({ reason: reasonOf(error), attempt: attempt + 1 }, message);
          persist(work, message, attempt + 1);
        });
      },
      attempt === 0 ? 0 : pauseBefore(attempt + 1),
    );
    retries.add(retry);
  }

  async function connect(): Promise<void> {
    if (state === 'stopped') return;
    const current = createConnection({ rest: await options.rest.library(), log, identifies });
    connection = current;
    listen(current);
    try {
      await current.client.login(token.reveal());
    } catch (error) {
      await current.close(0);
      if ((error as { code?: unknown }).code === 'TokenInvalid')
        return refused(REFUSALS[GatewayCloseCodes.AuthenticationFailed] as string, 401);
      throw error;
    }
  }

  function listen({ client }: Connection): void {
    rights.listen(client);
    watchServers(client, services, log);
    client.on(Events.InteractionCreate, (interaction) => {
      void interactions.handle(interaction);
    });
    client.on(Events.ShardDisconnect, ({ code }) =>
      refused(REFUSALS[code] ?? `Discord closed with ${code}`, code),
    );
    const away = new Set<number>();
    const back = (shard: number) => {
      away.delete(shard);
      if (state === 'connecting' && away.size === 0) state = 'ready';
    };
    client.on(Events.ShardReconnecting, (shard) => {
      if (!away.has(shard)) log.info({ shard }, 'discord connection lost, reconnecting');
      away.add(shard);
      if (state === 'ready') state = 'connecting';
    });
    client.on(Events.ShardResume, (shard) => {
      log.info({ shard }, 'discord resumed');
      back(shard);
    });
    client.on(Events.ShardReady, back);
    client.once(Events.ClientReady, (ready) => {
      log.info({ servers: ready.guilds.cache.size }, 'discord connected');
      persist(async () => {
        const { botPublic } = await ready.application.fetch();
        if (botPublic !== false) invitation = inviteAddress(ready.application.id);
      }, 'the application could not be read, trying again');
      persist(() => open.closeLeft(client.rest), 'open answers could not be closed, trying again');
      persist(async () => {
        const guild = guildId ? { guild: guildId } : {};
        const result = await registerCommands({
          rest: client.rest,
          application: ready.application.id,
          guilds: [...ready.guilds.cache.keys()],
          misc,
          ...guild,
        });
        ids = result.ids;
        await storeCommandIds(misc, ids);
        registered = true;
        log.info({ written: result.written }, 'commands registered');
      }, 'commands could not be registered, trying again');
    });
  }

  return {
    async start() {
      if (state !== 'stopped') return;
      state = 'connecting';
      persist(connect, 'discord could not be reached, trying again');
    },
    async stop() {
      if (state !== 'refused') state = 'stopped';
      for (const retry of retries) clearTimeout(retry);
      retries.clear();
      const former = connection;
      connection = undefined;
      if (!former) return;
      former.client.removeAllListeners(Events.InteractionCreate);
      await within(SETTLE_MS, interactions.settled());
      await within(FAREWELL_MS, interactions.interrupt());
      await former.close();
    },
    invite: () => invitation,
    health: () => ({ ok: state === 'ready', state, commands: registered }),
  };
}

/** An address of Discord (OAuth2, "Bot Authorization Flow"). */
function inviteAddress(application: string): string {
  const query = new URLSearchParams({
    client_id: application,
    scope: 'bot applications.commands',
    permissions: String(PERMISSIONS),
  });
  return `https://discord.com/oauth2/authorize?${query}`;
}

/** Waits for the work, but not longer than `ms` milliseconds. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, enough]);
  clearTimeout(timer);
}
