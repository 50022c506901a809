// What a command sees of Discord: someone asks, it answers. These shapes are all the bot's logic knows, so that a
// command can be read, and tested, without discord.js.
import type { Linked } from '../domain/attribution.js';
import type { Caller, Services } from '../ports/services.js';
import type { Table } from '../ports/stores.js';
import type { Clock, Log } from '../ports/system.js';
import type { Embed } from '../render/discord/payload.js';
import type { ActionRow, Modal } from './components.js';

/** Rights the bot needs in a channel to post there. */
export type Right = 'view' | 'send' | 'embed' | 'threads' | 'files';

/** A server channel somebody chose. */
export interface Place {
  readonly id: string;
  readonly guild: string;
  /** Posts go into it, not messages. */
  readonly forum: boolean;
  /** A locked thread takes no posts, whatever the rights. */
  readonly locked: boolean;
  /** The person may have it subscribed: Manage Channels there. */
  readonly canManage: boolean;
  /** What the bot lacks to post there. */
  readonly missing: readonly Right[];
}

/** A role somebody chose. `pingable`: the bot's mention of it would reach its members. */
export interface Role {
  readonly id: string;
  readonly everyone: boolean;
  readonly pingable: boolean;
}

/** One interaction, whatever brought it about. */
export interface Request {
  /** Discord user id. */
  readonly user: string;
  /** The caller as the services know them. */
  readonly caller: Caller;
  readonly locale: string;
  /** The server's own language, by Discord; absent outside servers. */
  readonly guildLocale?: string;
  /** Absent in direct messages and groups. */
  readonly guild?: string;
  /** False in servers and groups the application is not a member of (it is installed by the person alone). */
  readonly botIsHere: boolean;
  readonly channel: string;
  /** The message the pressed button or menu is on. */
  readonly message?: string;
  /** Options of a command; channels and roles by id. */
  readonly options: Readonly<Record<string, string | number | boolean>>;
  /** What was picked in a menu. */
  readonly values: readonly string[];
  /** Fields of a modal by custom_id. */
  readonly fields: Readonly<Record<string, string>>;
  /** Undefined for what is no channel of this server or can't be seen by the bot at all. */
  place(channel: string): Promise<Place | undefined>;
  role(id: string): Role | undefined;
  /** For places that show no mentions; undefined for what the bot can't see. */
  channelName(id: string): string | undefined;
}

/** What the person gets. Always to them alone: everything here is about somebody's own settings. */
export interface Reply {
  readonly text?: string;
  readonly embeds?: readonly Embed[];
  readonly components?: readonly ActionRow[];
  readonly file?: { readonly name: string; readonly content: string };
  /** Only as a first answer; nothing slow may come before it. */
  readonly modal?: Modal;
  /** Changes the message the button sits on, instead of a new one. */
  readonly update?: true;
  /** Says what the person has to put right; counted as such. */
  readonly refused?: true;
  /** Postings whose links stand in the answer; held to the link rules before it leaves. */
  readonly postings?: readonly Linked[];
}

/** What commands and buttons work with. */
export interface Context {
  readonly services: Services;
  readonly clock: Clock;
  readonly log: Log;
  /** Small records that must outlive a restart, e.g. a draft that waits for a time zone. Keys begin with `discord:`. */
  readonly misc: Table<unknown>;
  readonly liveSchedule: string;
  /** The board's name. */
  readonly source: string;
}

export interface Choice {
  readonly name: string;
  readonly value: string;
}

/** Names and descriptions are looked up by `name` in the texts, so that every language has them. */
export interface OptionSpec {
  readonly name: string;
  readonly type: 'text' | 'whole' | 'yesno' | 'channel' | 'role';
  readonly required?: true;
  readonly complete?: true;
  /** Fixed values, named in the texts. */
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
}

/** One slash command: `path` is its full English name, such as "jobs subscribe". */
export interface Command {
  readonly path: string;
  readonly options?: readonly OptionSpec[];
  /** It asks the jobs API: acknowledge at once. Never together with a modal. */
  readonly slow?: true;
  run(request: Request, context: Context): Promise<Reply>;
  /** Choices for what was typed so far into an option marked `complete`; at most 25. */
  complete?(option: string, typed: string, request: Request, context: Context): Promise<readonly Choice[]>;
}

/** What a button, menu or modal does. Its custom_id is `<name>:<args>…`, see custom-id.ts. */
export interface Action {
  readonly name: string;
  readonly slow?: true;
  /** It changes the message it sits on, so a defer must say so. */
  readonly updates?: true;
  /** The form it takes up, so that a mistake in it can be corrected. */
  form?(args: readonly string[], request: Request, context: Context): Promise<Modal>;
  run(args: readonly string[], request: Request, context: Context): Promise<Reply>;
}
