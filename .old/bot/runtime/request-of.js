// From a discord.js interaction to what the bot's logic knows.
import { Events, GatewayDispatchEvents, GuildMember, PermissionFlagsBits, PermissionsBitField, } from 'discord.js';
const { ViewChannel, SendMessages, SendMessagesInThreads, EmbedLinks, ManageChannels, ManageGuild, ManageThreads, } = PermissionFlagsBits;
/** Puts an interaction into neutral words; asks Discord for nothing yet. */
export function askOf(interaction, rights = new Map()) {
    const { user, guildId, locale, guildLocale, channelId } = interaction;
    const member = interaction.member instanceof GuildMember ? interaction.member : undefined;
    // Rights in one channel don't make a person manager of the others, so only those of the whole server count here;
    // Manage Server can't be given in a channel alone.
    const rules = member?.permissions.has(ManageChannels) || interaction.memberPermissions?.has(ManageGuild);
    const manages = member && rules ? guildId : null;
    return {
        user: user.id,
        caller: { account: `discord:${user.id}`, locale, ...(manages ? { manages } : {}) },
        locale,
        ...(guildId ? { guild: guildId } : {}),
        ...(guildLocale ? { guildLocale } : {}),
        botIsHere: guildId ? interaction.inCachedGuild() : interaction.context !== 2,
        channel: channelId ?? '',
        ...(interaction.isMessageComponent() ? { message: interaction.message.id } : {}),
        options: interaction.isChatInputCommand() || interaction.isAutocomplete()
            ? optionsOf(interaction.options.data)
            : {},
        values: interaction.isAnySelectMenu() ? interaction.values : [],
        fields: interaction.isModalSubmit() ? fieldsOf(interaction) : {},
        place: (id) => placeOf(interaction, member, rights.get(id), id),
        role: (id) => roleOf(interaction, id),
        channelName(id) {
            const channel = interaction.client.channels.cache.get(id);
            return channel && !channel.isDMBased() ? channel.name : undefined;
        },
    };
}
function optionsOf(data) {
    const flat = data.flatMap((option) => option.options ? option.options : [option]);
    return Object.fromEntries(flat.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
}
function fieldsOf(interaction) {
    return Object.fromEntries(interaction.fields.fields.map((field) => [
        field.customId,
        'value' in field && typeof field.value === 'string' ? field.value : '',
    ]));
}
async function placeOf(interaction, member, given, id) {
    const { client, guild } = interaction;
    if (!guild || !member)
        return undefined;
    // An archived thread is not in the cache; a channel of another server is nobody's to choose here.
    const channel = await client.channels.fetch(id).catch(() => null);
    if (!channel || channel.isDMBased() || channel.guildId !== guild.id)
        return undefined;
    const me = guild.members.me ?? (await guild.members.fetchMe().catch(() => undefined));
    const mine = me && channel.permissionsFor(me);
    if (!mine?.has(ViewChannel))
        return undefined;
    const theirs = given === undefined ? channel.permissionsFor(member) : new PermissionsBitField(given);
    const thread = channel.isThread();
    const needed = [
        thread ? ['threads', SendMessagesInThreads] : ['send', SendMessages],
        ['embed', EmbedLinks],
    ];
    return {
        id,
        guild: guild.id,
        forum: channel.isThreadOnly(),
        locked: thread && channel.locked === true && !mine.has(ManageThreads),
        canManage: theirs.has(ManageChannels),
        missing: needed.filter(([, bit]) => !mine.has(bit)).map(([right]) => right),
    };
}
function roleOf(interaction, id) {
    const { guild } = interaction;
    const role = guild?.roles.cache.get(id);
    if (!guild || !role)
        return undefined;
    const everywhere = guild.members.me?.permissions.has(PermissionFlagsBits.MentionEveryone) ?? false;
    return { id, everyone: id === guild.id, pingable: role.mentionable || everywhere };
}
const MOST = 200;
/** Listens on a client; `take` gives the rights an interaction came with, once. */
export function createRawRights() {
    const kept = new Map();
    return {
        listen(client) {
            client.on(Events.Raw, (packet) => {
                const { t, d } = packet;
                if (t !== GatewayDispatchEvents.InteractionCreate || !d?.id)
                    return;
                const chosen = Object.entries(d.data?.resolved?.channels ?? {});
                const here = d.channel?.id ? [[d.channel.id, d.channel]] : [];
                const rights = [...chosen, ...here].flatMap(([id, { permissions }]) => permissions && /^\d+$/u.test(permissions) ? [[id, BigInt(permissions)]] : []);
                if (rights.length === 0)
                    return;
                kept.set(d.id, new Map(rights));
                if (kept.size > MOST)
                    kept.delete(kept.keys().next().value);
            });
        },
        take(interaction) {
            const rights = kept.get(interaction) ?? new Map();
            kept.delete(interaction);
            return rights;
        },
    };
}
//# sourceMappingURL=request-of.js.map