// A local Discord that enforces the rules of the real one, for the unmodified bot process: REST v10 under /api and
// the gateway on the same port.
import { createFaults, type Faults } from './faults.js';
import { type Gateway, startGateway } from './gateway.js';
import { appRoutes } from './routes-app.js';
import { channelRoutes } from './routes-channels.js';
import { commandRoutes } from './routes-commands.js';
import { guildRoutes } from './routes-guilds.js';
import { interactionRoutes } from './routes-interactions.js';
import { messageRoutes, publicMessages } from './routes-messages.js';
import { webhookRoutes } from './routes-webhooks.js';
import { startHttp } from './server.js';
import { createState, until } from './state.js';
import type { InteractionRecord, Json, MessageRecord, RequestLog, Settings, UserRecord } from './types.js';
import { createUser, type DiscordUser } from './user-actions.js';
import { createWorld, newUser, type World } from './world.js';

export interface Discord extends World {
  /** The value for DISCORD_API_URL. */
  apiUrl: string;
  token: string;
  appId: string;
  botId: string;
  /** The account that owns the application. */
  appOwner: DiscordUser;
  gateway: Gateway;
  faults: Faults;
  addUser: (
    fields?: Partial<Pick<UserRecord, 'id' | 'username' | 'locale' | 'dmClosed' | 'installed'>>,
  ) => DiscordUser;
  /** The messages that everyone in the channel sees, oldest first. */
  messages: (channelId: string) => MessageRecord[];
  /** Every message ever stored, with ephemeral, private and deleted ones. */
  allMessages: () => MessageRecord[];
  readonly interactions: InteractionRecord[];
  /** Registered commands: 'global' (default) or a guild id. */
  commands: (scope?: string) => Json[];
  /** Writes to the commands in order, e.g. ['PUT global']. */
  readonly commandWrites: string[];
  /** Rules that the bot broke; a good run leaves it empty. First refusals with 403 or 404 are only in `requests`. */
  readonly violations: string[];
  readonly requests: RequestLog[];
  /** 429s that no test has set. */
  readonly naturalRateLimits: number;
  /** Requests answered with 401, 403 or 429, which Discord counts towards a ban of the address. */
  readonly invalidRequests: number;
  /** Resolves when a bot is connected and its commands are registered. */
  ready: (timeoutMs?: number) => Promise<void>;
  /** Waits for a condition on the state of the local Discord (or any other one). */
  until: <T>(probe: () => T | undefined | null | false, what: string, timeoutMs?: number) => Promise<T>;
  close: () => Promise<void>;
}

/** Starts on a free port of 127.0.0.1; `settings` shorten or tighten what would make tests long. */
export async function startDiscord(settings: Partial<Settings> = {}): Promise<Discord> {
  const state = createState(settings);
  const faults = createFaults();
  const routes = [
    ...appRoutes,
    ...commandRoutes,
    ...messageRoutes,
    ...channelRoutes,
    ...guildRoutes,
    ...interactionRoutes,
    ...webhookRoutes,
  ];
  const http = await startHttp(state, routes, faults);
  state.baseUrl = `http://127.0.0.1:${http.port}`;
  const gateway = startGateway(state, http.server);
  return {
    ...createWorld(state),
    apiUrl: `${state.baseUrl}/api`,
    token: state.token,
    appId: state.appId,
    botId: state.bot.id,
    appOwner: createUser(state, state.appOwner),
    gateway,
    faults,
    addUser(fields = {}) {
      const user = { ...newUser(`user-${state.users.size}`), ...fields };
      state.users.set(user.id, user);
      return createUser(state, user);
    },
    messages: (channelId) => publicMessages(state, channelId),
    allMessages: () => [...state.messages.values()],
    interactions: state.interactions,
    commands: (scope = 'global') => state.commands.get(scope) ?? [],
    commandWrites: state.commandWrites,
    violations: state.violations,
    requests: state.requests,
    get naturalRateLimits() {
      return state.naturalRateLimits;
    },
    get invalidRequests() {
      return state.requests.filter(({ status }) => status === 401 || status === 403 || status === 429).length;
    },
    async ready(timeoutMs = 20_000) {
      await gateway.ready(timeoutMs);
      await until(
        state,
        () => [...state.commands.values()].some((list) => list.length > 0),
        'the registration of commands',
        timeoutMs,
      );
    },
    until: (probe, what, timeoutMs) => until(state, probe, what, timeoutMs),
    async close() {
      gateway.stop();
      await http.close();
    },
  };
}
