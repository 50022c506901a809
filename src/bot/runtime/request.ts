// What the bot's logic knows about Discord: a request comes in, a reply goes out. The logic depends only on these
// shapes, so you can read and test a command without discord.js.
import type { Linked } from '../../domain/attribution.js';
import type { Filter } from '../../domain/filter.js';
import type { Caller, Services } from '../../ports/services.js';
import type { Table } from '../../ports/stores.js';
import type { Clock, Log } from '../../ports/system.js';
import type { Embed, Layout } from '../../render/discord/payload.js';
import type { ActionRow, Modal } from './components.js';

/** The sink that delivers to the channels and people of this bot. */
export const SINK = 'discord';

/** Rights the bot needs in a channel to post there. */
export type Right = 'view' | 'send' | 'embed' | 'threads' | 'files';

/** A server channel that the user chose. */
export interface Place {
  readonly id: string;
  readonly guild: string;
  /** A forum channel: it takes posts, not messages. */
  readonly forum: boolean;
  /** An announcement channel: its messages can be published to the servers that follow it. */
  readonly announcement: boolean;
  /** A locked thread, which takes no posts from a bot without Manage Threads. */
  readonly locked: boolean;
  /** The user has Manage Channels there, so they may subscribe the channel. */
  readonly canManage: boolean;
  /** Rights the bot lacks to post there. */
  readonly missing: readonly Right[];
}

/** A role that the user chose. `pingable`: a mention by the bot notifies the role's members. */
export interface Role {
  readonly id: string;
  readonly everyone: boolean;
  readonly pingable: boolean;
}

/** A message and its buttons and menus, at any depth; none unless the message is the bot's own. */
export interface Target {
  readonly message: string;
  readonly controls: readonly { readonly id: string; readonly values: readonly string[] }[];
}

/** One interaction of any kind. */
export interface Request {
  /** Discord user id. */
  readonly user: string;
  /** The caller as the services know them. */
  readonly caller: Caller;
  readonly locale: string;
  /** The server's language, as set in Discord; absent outside servers. */
  readonly guildLocale?: string;
  /** The application's id, for the link that installs it. */
  readonly application: string;
  /** Absent in direct messages and groups. */
  readonly guild?: string;
  /** False in servers and groups that the application is not a member of (only the user installed it). */
  readonly botIsHere: boolean;
  readonly channel: string;
  /** The message that holds the pressed button or menu. */
  readonly message?: string;
  /** The message on which a command of its menu was used. */
  readonly target?: Target;
  /** Options of a command; channels and roles by id. */
  readonly options: Readonly<Record<string, string | number | boolean>>;
  /** Fields of a filter that no option names, for a command that begins with a stored filter. */
  readonly rest?: Partial<Filter>;
  /** Values picked in a menu. */
  readonly values: readonly string[];
  /** Fields of a modal by custom_id: the text, or the chosen value of a menu. */
  readonly fields: Readonly<Record<string, string>>;
  /** Undefined for an id that is not a channel of this server, and for a channel the bot can't see. */
  place(channel: string): Promise<Place | undefined>;
  role(id: string): Role | undefined;
  /** For texts that do not render mentions; undefined for a channel the bot can't see. */
  channelName(id: string): string | undefined;
}

/** The reply to the user. Only that user sees it, because every reply is about their own settings. */
export interface Reply {
  readonly text?: string;
  readonly embeds?: readonly Embed[];
  /** Cards to show between the text and the components, in place of `embeds`. */
  readonly cards?: Layout;
  readonly components?: readonly ActionRow[];
  readonly file?: { readonly name: string; readonly content: string };
  /** Only as a first answer, so no slow work may come before it. */
  readonly modal?: Modal;
  /** Changes the message that holds the button instead of sending a new one. */
  readonly update?: true;
  /** The reply says what the user has to correct. It is counted as a refusal. */
  readonly refused?: true;
  /** Postings whose links are in the reply. The reply is checked against the link rules before it is sent. */
  readonly postings?: readonly Linked[];
}

/** What commands and buttons work with. */
export interface Context {
  readonly services: Services;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Small records that must survive a restart, e.g. a draft that waits for a time zone. Keys begin with `discord:`.
   */
  readonly misc: Table<unknown>;
  readonly liveSchedule: string;
  /** The board's name. */
  readonly source: string;
  /** The board's page where people get a token. */
  readonly tokenPage?: string;
  /** Forms that could not be opened in time, by the id of the button that opens them. */
  readonly forms: Map<string, Modal>;
  /** Returns the command with a full name such as "jobs list", to run one that waited. */
  commandOf(path: string): Command | undefined;
}

export interface Choice {
  readonly name: string;
  readonly value: string;
}

/** The texts hold the names and descriptions under `name`, so that every language has them. */
export interface OptionSpec {
  readonly name: string;
  readonly type: 'text' | 'whole' | 'yesno' | 'channel' | 'role';
  readonly required?: true;
  readonly complete?: true;
  /** Fixed values; the texts hold their names. */
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
}

/** One slash command: `path` is its full English name, such as "jobs subscribe". */
export interface Command {
  readonly path: string;
  readonly options?: readonly OptionSpec[];
  /** It calls the jobs API, so it is acknowledged immediately. A modal it answers with opens by a button. */
  readonly slow?: true;
  run(request: Request, context: Context): Promise<Reply>;
  /** Choices for the text typed so far in an option marked `complete`; at most 25. */
  complete?(option: string, typed: string, request: Request, context: Context): Promise<readonly Choice[]>;
}

/** A command in the menu of a message, under "Apps". The texts hold its name. */
export interface MessageCommand {
  readonly name: 'save' | 'why';
  run(request: Request, context: Context): Promise<Reply>;
}

/** What a button, menu or modal does. Its custom_id is `<name>:<args>…`, see custom-id.ts. */
export interface Action {
  readonly name: string;
  readonly slow?: true;
  /** It changes the message it sits on, so a defer must promise an update. */
  readonly updates?: true;
  /** The form this action reads, so that a mistake in it can be corrected. */
  form?(args: readonly string[], request: Request, context: Context): Promise<Modal>;
  run(args: readonly string[], request: Request, context: Context): Promise<Reply>;
}

/** What belongs together for a user: commands, and the buttons, menus and forms that they lead to. */
export interface Feature {
  readonly commands?: readonly Command[];
  readonly messageCommands?: readonly MessageCommand[];
  readonly actions?: readonly Action[];
}
