// Creates the state of the local Discord, and small functions for every part: snowflakes, waiting for a condition,
// looking up records.
import { randomBytes } from 'node:crypto';
import { until as poll } from '../until.js';
import { refusal } from './errors.js';
import type { ChannelRecord, MessageRecord, Settings, State, UserRecord } from './types.js';

const EPOCH = 1_420_070_400_000;
let counter = 0;

/** A new id in the form of Discord's with the present time; later ones are larger. */
export function snowflake(): string {
  counter = (counter + 1) % 4_194_304;
  return ((BigInt(Date.now() - EPOCH) << 22n) | BigInt(counter)).toString();
}

export function createState(settings: Partial<Settings>): State {
  const bot: UserRecord = {
    id: snowflake(),
    username: 'jobcrier-test',
    bot: true,
    locale: 'en-US',
    dmClosed: true,
    installed: false,
  };
  const appOwner: UserRecord = {
    id: snowflake(),
    username: 'portal-owner',
    bot: false,
    locale: 'en-US',
    dmClosed: false,
    installed: true,
  };
  const half = (bytes: number) => randomBytes(bytes).toString('base64url');
  return {
    settings: {
      ackDeadlineMs: 3000,
      tokenLifeMs: 15 * 60_000,
      nonceWindowMs: 5 * 60_000,
      rateWindowMs: 5000,
      ratePerWindow: 5,
      globalPerSecond: 50,
      publishWindowMs: 3_600_000,
      heartbeatMs: 41_250,
      grantedIntents: 0,
      archivedThreads: 'refuse',
      botPublic: true,
      ...settings,
    },
    token: `${Buffer.from(bot.id).toString('base64url')}.${half(4)}.${half(28)}`,
    appId: bot.id,
    bot,
    appOwner,
    baseUrl: '',
    users: new Map([bot, appOwner].map((user) => [user.id, user])),
    guilds: new Map(),
    channels: new Map(),
    messages: new Map(),
    crossposts: [],
    nonces: new Map(),
    interactions: [],
    commands: new Map(),
    commandWrites: [],
    violations: [],
    requests: [],
    naturalRateLimits: 0,
    refusedSends: new Map(),
    identifies: 0,
    dispatch: () => {},
  };
}

/**
 * Waits until `probe` answers something other than undefined, null or false; rejects after
 * `timeoutMs` with the last requests, and at once when the probe throws.
 */
export async function until<T>(
  state: State,
  probe: () => T | undefined | null | false,
  what: string,
  timeoutMs = 10_000,
): Promise<T> {
  const look = () => {
    try {
      const found = probe();
      return found === undefined || found === null || found === false ? null : { found };
    } catch (error) {
      return { error };
    }
  };
  const outcome = await poll(look, { timeoutMs, what }).catch((error: unknown) => {
    throw new Error(`Discord stand-in: ${what} did not happen.${summary(state)}`, { cause: error });
  });
  if ('error' in outcome) throw outcome.error;
  return outcome.found;
}

function summary(state: State): string {
  const last = state.requests.slice(-8).map((r) => `  ${r.method} ${r.path} → ${r.status} ${r.code ?? ''}`);
  const broken = state.violations.slice(-5).map((v) => `  ${v}`);
  return `\nLast requests:\n${last.join('\n')}\nViolations:\n${broken.join('\n')}`;
}

/** The channel as the bot can reach it: 10003 when it is gone, 50001 when the bot may not see it. */
export function reachableChannel(
  state: State,
  id: string,
  mayView: (c: ChannelRecord) => boolean,
): ChannelRecord {
  const channel = state.channels.get(id);
  if (!channel) throw refusal('unknownChannel');
  if (channel.guildId !== null) {
    if (!state.guilds.get(channel.guildId)?.botInside || !mayView(channel)) throw refusal('missingAccess');
  } else if (!channel.recipients.includes(state.bot.id)) throw refusal('missingAccess');
  return channel;
}

export function createMessageRecord(
  fields: Omit<MessageRecord, 'ephemeral' | 'loading' | 'text' | 'id' | 'createdAt' | 'editedAt' | 'deleted'>,
): MessageRecord {
  return {
    ...fields,
    id: snowflake(),
    createdAt: Date.now(),
    editedAt: null,
    deleted: false,
    get ephemeral() {
      return (this.flags & 64) !== 0;
    },
    get loading() {
      return (this.flags & 128) !== 0;
    },
    get text() {
      return visibleText(this);
    },
  };
}

const SHOWN = [
  'content',
  'author',
  'name',
  'title',
  'description',
  'value',
  'fields',
  'footer',
  'text',
  'label',
];

function visibleText(message: MessageRecord): string {
  const parts: string[] = [message.content];
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(walk);
    else if (typeof value === 'object' && value !== null) {
      const record = value as Record<string, unknown>;
      for (const key of [...SHOWN, 'placeholder', 'components', 'accessory', 'options']) {
        const part = record[key];
        if (typeof part === 'string') parts.push(part);
        else walk(part);
      }
    }
  };
  walk(message.embeds);
  walk(message.components);
  return parts.filter((part) => part !== '').join('\n');
}

/** A channel outside any guild with default values; callers set the other fields. */
export function newChannel(type: number, name: string): ChannelRecord {
  return {
    id: snowflake(),
    type,
    name,
    guildId: null,
    parentId: null,
    overwrites: [],
    tags: [],
    requireTag: false,
    appliedTags: [],
    archived: false,
    locked: false,
    recipients: [],
    topic: null,
  };
}
