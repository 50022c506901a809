// Guilds as a bot may read them: the guild, its channels, roles, members and active threads.
import { refusal } from './errors.js';
import { channelJson, channelsOf, guildJson, memberJson, roleJson } from './payloads.js';
import { isThread, may } from './permissions.js';
import { type Call, ok, type Route, route } from './router.js';
import type { GuildRecord } from './types.js';

export const guildRoutes: Route[] = [
  route('GET', '/guilds/:guild', (call) => ok(guildJson(inside(call)))),
  route('GET', '/guilds/:guild/roles', (call) => ok([...inside(call).roles.values()].map(roleJson))),
  route('GET', '/guilds/:guild/channels', (call) => {
    const guild = inside(call);
    const channels = channelsOf(call.state, guild.id).filter((channel) => !isThread(channel));
    return ok(channels.map((channel) => channelJson(call.state, channel)));
  }),
  route('GET', '/guilds/:guild/threads/active', (call) => {
    const { state } = call;
    const threads = channelsOf(state, inside(call).id).filter(
      (c) => isThread(c) && !c.archived && may(state, state.bot.id, c, 'VIEW_CHANNEL'),
    );
    return ok({ threads: threads.map((c) => channelJson(state, c)), members: [] });
  }),
  route('GET', '/guilds/:guild/members/:member', (call) => {
    const member = inside(call).members.get(call.params.member ?? '');
    if (!member) throw refusal('unknownMember');
    return ok(memberJson(call.state, member));
  }),
];

function inside({ state, params }: Call): GuildRecord {
  const guild = state.guilds.get(params.guild ?? '');
  if (!guild) throw refusal('unknownGuild');
  if (!guild.botInside) throw refusal('missingAccess');
  return guild;
}
