// The people that a message really notifies: the mentions in its content that are neither escaped nor in code,
// limited by allowed_mentions. Embeds never notify anyone.
import { isJson } from './checks.js';
import { may } from './permissions.js';
import type { ChannelRecord, Json, State } from './types.js';

/** Without `allowed` Discord parses everything, which is the accident to detect. */
export function pingedBy(
  state: State,
  channel: ChannelRecord,
  content: string,
  allowed: Json | null,
): string[] {
  const plain = withoutCode(content);
  const pinged = new Set<string>();
  const everyoneAllowed =
    allows(allowed, 'everyone', '') && may(state, state.bot.id, channel, 'MENTION_EVERYONE');
  for (const [whole, slashes, name] of plain.matchAll(/(\\*)@(everyone|here)/g)) {
    if (whole && isOdd(slashes)) continue;
    if (everyoneAllowed) pinged.add(`@${name}`);
  }
  for (const [, slashes, sign, id] of plain.matchAll(/(\\*)<@([!&]?)(\d{17,20})>/g)) {
    if (isOdd(slashes) || !id) continue;
    const kind = sign === '&' ? 'roles' : 'users';
    if (!allows(allowed, kind, id)) continue;
    if (kind === 'roles' && !roleCanBePinged(state, channel, id)) continue;
    pinged.add(kind === 'roles' ? `<@&${id}>` : `<@${id}>`);
  }
  return [...pinged];
}

function isOdd(slashes: string | undefined): boolean {
  return (slashes?.length ?? 0) % 2 === 1;
}

function withoutCode(content: string): string {
  return content.replace(/```[\s\S]*?```/g, ' ').replace(/(?<!\\)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, ' ');
}

function allows(allowed: Json | null, kind: 'users' | 'roles' | 'everyone', id: string): boolean {
  if (allowed === null) return true;
  const parse = Array.isArray(allowed.parse) ? allowed.parse : [];
  if (parse.includes(kind)) return true;
  const list = allowed[kind];
  return Array.isArray(list) && list.includes(id);
}

function roleCanBePinged(state: State, channel: ChannelRecord, id: string): boolean {
  const role = state.guilds.get(channel.guildId ?? '')?.roles.get(id);
  if (!role) return false;
  return role.mentionable || may(state, state.bot.id, channel, 'MENTION_EVERYONE');
}

/** The allowed_mentions of a body, or null when it has none. */
export function allowedMentionsOf(body: Json): Json | null {
  return isJson(body.allowed_mentions) ? body.allowed_mentions : null;
}
