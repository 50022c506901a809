// The records of the local Discord. One plain state object contains them all, so that a test can read everything
// without asking the bot.

export type Json = { [key: string]: unknown };

export interface UserRecord {
  id: string;
  username: string;
  bot: boolean;
  locale: string;
  /** Refuses direct messages: sending answers 50007. */
  dmClosed: boolean;
  /** Has installed the application for their own account. */
  installed: boolean;
}

export interface RoleRecord {
  id: string;
  name: string;
  permissions: bigint;
  mentionable: boolean;
}

export interface MemberRecord {
  userId: string;
  roles: string[];
}

export interface GuildRecord {
  id: string;
  name: string;
  ownerId: string;
  preferredLocale: string;
  roles: Map<string, RoleRecord>;
  members: Map<string, MemberRecord>;
  /** False if the application is not a member (user-installed only, or after it was removed). */
  botInside: boolean;
  /** In an outage: READY lists it as unavailable, and it sends nothing. */
  away: boolean;
  /** Missing in READY although the bot is a member. */
  unlisted: boolean;
}

interface Overwrite {
  id: string;
  type: 0 | 1;
  allow: bigint;
  deny: bigint;
}

interface ForumTag {
  id: string;
  name: string;
  moderated: boolean;
}

export interface ChannelRecord {
  id: string;
  /** Discord's numbers: 0 text, 1 DM, 2 voice, 3 group DM, 4 category, 5 announcement, 10–12 threads, 15 forum, 16 media. */
  type: number;
  name: string;
  guildId: string | null;
  parentId: string | null;
  overwrites: Overwrite[];
  tags: ForumTag[];
  requireTag: boolean;
  appliedTags: string[];
  archived: boolean;
  locked: boolean;
  recipients: string[];
  topic: string | null;
}

export interface StoredFile {
  id: string;
  name: string;
  contentType: string;
  data: Buffer;
}

export interface MessageRecord {
  id: string;
  channelId: string;
  authorId: string;
  content: string;
  embeds: Json[];
  components: Json[];
  files: StoredFile[];
  /** Discord's message flags: 64 ephemeral, 128 "thinking…", 32768 Components V2. */
  flags: number;
  readonly ephemeral: boolean;
  readonly loading: boolean;
  /** Everything a reader sees, in reading order: content, embeds, texts and labels of components. */
  readonly text: string;
  nonce: string | null;
  allowedMentions: Json | null;
  /** The mentions that really notified: '@everyone', '@here', '<@id>', '<@&id>'. */
  pinged: string[];
  createdAt: number;
  editedAt: number | null;
  deleted: boolean;
  interactionId: string | null;
  /** The only person who sees an ephemeral message. */
  ephemeralFor: string | null;
}

export interface InteractionRecord {
  id: string;
  token: string;
  /** 2 command, 3 component, 4 autocomplete, 5 modal submit. */
  type: 2 | 3 | 4 | 5;
  /** '/jobs subscribe' for commands, the custom_id for components and modals. */
  name: string;
  userId: string;
  guildId: string | null;
  channelId: string;
  userInstallOnly: boolean;
  payload: Json;
  dispatchedAt: number;
  ackedAt: number | null;
  ackType: number | null;
  /** The message a component sits on. */
  sourceMessageId: string | null;
  originalId: string | null;
  followUpIds: string[];
  modal: Json | null;
  choices: { name: string; value: string | number }[] | null;
  focusedType: number | null;
}

export interface RequestLog {
  method: string;
  path: string;
  status: number | 'hang' | 'drop';
  code: number | null;
  at: number;
  body: unknown;
}

export interface Settings {
  /** Time within which an interaction must be acknowledged (Discord: 3 s). */
  ackDeadlineMs: number;
  /** Life of an interaction token (Discord: 15 minutes). */
  tokenLifeMs: number;
  /** How long a nonce is remembered (Discord: "the past few minutes"). */
  nonceWindowMs: number;
  /** Per-channel window (Discord: 5 s) and its size (5). */
  rateWindowMs: number;
  ratePerWindow: number;
  globalPerSecond: number;
  /** Window of the ten messages of a channel that may be published (Discord: an hour). */
  publishWindowMs: number;
  heartbeatMs: number;
  /** Privileged intents granted to the application; others close with 4014. */
  grantedIntents: number;
  /** The effect of a message to an archived thread: refused with 50083, or the thread opens again. */
  archivedThreads: 'refuse' | 'reopen';
  /** Anyone may add the bot to a server, and not only its owner. */
  botPublic: boolean;
}

export interface State {
  settings: Settings;
  token: string;
  appId: string;
  bot: UserRecord;
  /** The owner of the application in the developer portal. */
  appOwner: UserRecord;
  baseUrl: string;
  users: Map<string, UserRecord>;
  guilds: Map<string, GuildRecord>;
  channels: Map<string, ChannelRecord>;
  messages: Map<string, MessageRecord>;
  /** When messages of announcement channels were published. */
  crossposts: { channelId: string; at: number }[];
  nonces: Map<string, { messageId: string; at: number }>;
  interactions: InteractionRecord[];
  /** Registered commands by scope: 'global' or a guild id. */
  commands: Map<string, Json[]>;
  /** One line per write to the commands, e.g. 'PUT global'. */
  commandWrites: string[];
  violations: string[];
  requests: RequestLog[];
  naturalRateLimits: number;
  /** Refused sends since a person last acted; a second one to the same target is a violation. */
  refusedSends: Map<string, number>;
  identifies: number;
  dispatch: (event: string, data: Json, guildId: string | null) => void;
}
