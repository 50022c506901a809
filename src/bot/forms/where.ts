// Reads where postings go. What Discord itself can't check is checked here, when a place is chosen: the user's right
// to the channel and the bot's rights in it. Otherwise the first posting would be the first to fail.

import { defined } from '../../domain/defined.js';
import type { Destination } from '../../domain/subscription.js';
import { LANGUAGES, type Texts } from '../../render/texts.js';
import { type Context, type Request, SINK } from '../runtime/request.js';
import { FormError } from './faults.js';
import type { Every } from './when.js';

/** Languages to choose from. */
export const LANGUAGE_CODES = Object.keys(LANGUAGES);

/**
 * A destination without its cadence. `guild` is set for channels only: a private destination belongs to no server.
 */
export interface Where {
  readonly sink: typeof SINK | 'email';
  readonly target: string;
  readonly options?: Readonly<Record<string, string>>;
  readonly guild?: string;
  /** A forum: live postings get a post each. */
  readonly forum?: true;
  /** What the reader should know about the destination. */
  readonly notes: readonly string[];
}

interface Given {
  readonly deliver?: string | undefined;
  readonly channel?: string | undefined;
  readonly mention?: string | undefined;
}

/**
 * Reads the destination. Throws a FormError in the reader's language that names what is missing and how to fix it.
 */
export async function readWhere(
  request: Request,
  context: Context,
  given: Given,
  texts: Texts,
): Promise<Where> {
  const { fault, note } = texts.bot;
  const { deliver, channel, mention } = given;
  if (deliver !== undefined && deliver !== 'channel') {
    if (channel) throw new FormError(fault.channelOnly, ['channel']);
    if (mention) throw new FormError(fault.mentionOnly, ['mention']);
    return deliver === 'email' ? emailOf(request, context, texts) : dmOf(request);
  }
  const wanted = deliver === 'channel' || channel !== undefined || mention !== undefined;
  if (!request.guild || !request.botIsHere) {
    if (!wanted) return dmOf(request);
    throw new FormError(request.guild ? fault.botNotHere : fault.noServer, ['channel']);
  }
  const id = channel ?? request.channel;
  const place = await request.place(id);
  if (!wanted && !place?.canManage)
    return { ...dmOf(request), notes: [note.dmInstead({ channel: `<#${id}>` })] };
  return channelOf(request, id, mention, texts);
}

/** A public destination uses the server's language, a private one the user's own. */
export function localeOf({ guild }: Pick<Where, 'guild'>, request: Request): string {
  return guild ? (request.guildLocale ?? 'en') : request.locale;
}

/**
 * The destination's options for a place and a cadence. In a forum, live postings get a post each unless the owner
 * chose one post for an edition; a digest stays one post.
 */
export function optionsFor(
  options: Destination['options'],
  forum: boolean,
  every: Every,
): Destination['options'] {
  const { forum: former, ...kept } = options ?? {};
  const wanted = former === 'edition' ? former : every === 'live' ? 'posting' : undefined;
  const all = { ...kept, ...defined({ forum: forum ? wanted : undefined }) };
  return Object.keys(all).length > 0 ? all : undefined;
}

function dmOf(request: Request): Where {
  return { sink: SINK, target: `dm:${request.user}`, notes: [] };
}

/** A channel that the user may subscribe and the bot can post to. Throws a FormError for any other. */
export async function channelOf(
  request: Request,
  id: string,
  mention: string | undefined,
  texts: Texts,
): Promise<Where> {
  const { fault, rights } = texts.bot;
  const name = `<#${id}>`;
  const place = await request.place(id);
  if (!place) throw new FormError(fault.channelUnseen({ channel: name }), ['channel']);
  if (!place.canManage) throw new FormError(fault.needManage({ channel: name }), ['channel']);
  if (place.missing.length > 0) {
    const list = new Intl.ListFormat(texts.intl, { type: 'conjunction' });
    throw new FormError(
      fault.botLacks({
        channel: name,
        rights: list.format(place.missing.map((right) => `**${rights[right]}**`)),
      }),
      ['channel'],
    );
  }
  if (place.locked) throw new FormError(fault.channelLocked({ channel: name }), ['channel']);
  const options = mention ? { options: { mention: roleOf(request, mention, texts) } } : {};
  const forum = place.forum ? { forum: true as const } : {};
  return { sink: SINK, target: id, guild: place.guild, notes: [], ...options, ...forum };
}

/** Returns the id of a role that the bot can mention. Throws a FormError for any other. */
export function roleOf(request: Request, id: string, texts: Texts): string {
  const role = request.role(id);
  if (!role || role.everyone) throw new FormError(texts.bot.fault.mentionEveryone, ['mention']);
  if (!role.pingable) throw new FormError(texts.bot.fault.notPingable({ role: `<@&${id}>` }), ['mention']);
  return id;
}

/**
 * The account's own address. An unconfirmed one gets a note, because nothing arrives before. Throws a FormError when
 * it can't be used.
 */
export async function emailOf(request: Request, context: Context, texts: Texts): Promise<Where> {
  const { fault, note } = texts.bot;
  if (!context.services.mail) throw new FormError(fault.emailOff, ['channel']);
  const { address, state } = await context.services.mail.addressReport(request.caller.account);
  if (!address || state === 'none') throw new FormError(fault.emailNone, ['channel']);
  if (state === 'suppressed') throw new FormError(fault.emailSuppressed, ['channel']);
  return { sink: 'email', target: address, notes: state === 'unconfirmed' ? [note.unconfirmed] : [] };
}
