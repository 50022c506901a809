// The local Discord with a real discord.js client: commands, replies, modals, buttons, autocomplete, direct messages.
// What works here must work on Discord.
import { type ChatInputCommandInteraction, type Interaction, MessageFlags } from 'discord.js';
import { afterEach, describe, expect, it } from 'vitest';
import { type Discord, startDiscord } from './start-discord.js';
import { COMMANDS, connectBot, type TestBot } from './test-bot.js';
import type { Settings } from './types.js';

let discord: Discord;
let bot: TestBot | undefined;

afterEach(async () => {
  await bot?.stop();
  bot = undefined;
  await discord.close();
});

const none = { allowedMentions: { parse: [] as const } };

async function start(
  onInteraction: (interaction: Interaction) => Promise<void>,
  settings: Partial<Settings> = {},
) {
  discord = await startDiscord(settings);
  const user = discord.addUser({ username: 'ada' });
  const guild = discord.addGuild({
    channels: [{ name: 'general' }, { name: 'secret', bot: [] }, { name: 'news', type: 'announcement' }],
    members: [{ user }],
  });
  bot = await connectBot(discord, onInteraction);
  await bot.client.application?.commands.set(COMMANDS as never);
  await discord.ready();
  return { user, guild, bot };
}

const asCommand = (interaction: Interaction) => interaction as ChatInputCommandInteraction;

describe('people and a bot', () => {
  it('registers commands and keeps their ids when they are registered again', async () => {
    const { bot } = await start(async () => {});
    const ids = discord.commands().map((c) => c.id);
    await bot.client.application?.commands.set(COMMANDS as never);
    expect(discord.commands().map((c) => c.id)).toEqual(ids);
    expect(discord.commandWrites).toEqual(['PUT global', 'PUT global']);
    const fetched = await bot.client.application?.commands.fetch();
    expect(fetched?.map((c) => c.name)).toEqual(['jobs', 'token', 'manage']);
    expect(discord.violations).toEqual([]);
  });

  it('answers a slash command, with options resolved', async () => {
    const { user, guild } = await start(async (interaction) => {
      const command = asCommand(interaction);
      const channel = command.options.getChannel('channel', true);
      await command.reply({
        content: `${command.options.getSubcommand()} ${command.options.getString('tags')} ${channel.name} ${command.locale}`,
        flags: MessageFlags.Ephemeral,
        ...none,
      });
    });
    const handle = user.slash(
      '/jobs subscribe',
      { tags: 'rust', channel: guild.channel('news') },
      { guild, locale: 'de' },
    );
    const reply = await handle.reply();
    expect(reply.content).toBe('subscribe rust news de');
    expect(reply.ephemeral).toBe(true);
    expect(handle.ackMs).toBeLessThan(3000);
    expect(discord.messages(guild.channel('general').id)).toEqual([]);
    expect(discord.violations).toEqual([]);
  });

  it('shows the edit that ends a deferred reply, and follow-ups after it', async () => {
    const { user } = await start(async (interaction) => {
      const command = asCommand(interaction);
      await command.deferReply({ flags: MessageFlags.Ephemeral });
      await command.editReply({ content: 'done', ...none });
      await command.followUp({ content: 'and more', flags: MessageFlags.Ephemeral, ...none });
    });
    const handle = user.slash('/jobs list');
    expect(await handle.reply()).toMatchObject({ content: 'done', ephemeral: true, loading: false });
    const [more] = await handle.followUpsOf(1);
    expect(more).toMatchObject({ content: 'and more', ephemeral: true });
    expect(discord.violations).toEqual([]);
  });

  it('replaces the loading message by a follow-up right after a deferred reply', async () => {
    const { user } = await start(async (interaction) => {
      const command = asCommand(interaction);
      await command.deferReply();
      await command.followUp({ content: 'secret', flags: MessageFlags.Ephemeral, ...none });
    });
    const handle = user.slash('/jobs list');
    const reply = await handle.reply();
    expect(reply).toMatchObject({ content: 'secret', ephemeral: false });
    expect(handle.followUps()).toEqual([]);
    expect(discord.violations.join()).toContain('ephemeral by an edit');
  });

  it('shows the modal of a command and passes its submission on', async () => {
    const { user } = await start(async (interaction) => {
      if (interaction.isChatInputCommand())
        await interaction.showModal({
          title: 'Token',
          custom_id: 'token-modal',
          components: [
            {
              type: 1,
              components: [{ type: 4, custom_id: 'token', label: 'Token', style: 1, min_length: 4 }],
            },
          ],
        } as never);
      if (interaction.isModalSubmit())
        await interaction.reply({
          content: `got ${interaction.fields.getTextInputValue('token').length}`,
          flags: MessageFlags.Ephemeral,
          ...none,
        });
    });
    const modal = await user.slash('/token set').modal();
    expect(() => user.submit(modal, { token: 'abc' })).toThrow('3 characters');
    expect(() => user.submit(modal, { other: 'abcd' })).toThrow();
    const reply = await user.submit(modal, { token: 'abcdef' }).reply();
    expect(reply.content).toBe('got 6');
    expect(discord.violations).toEqual([]);
  });

  it('offers autocomplete choices', async () => {
    const { user } = await start(async (interaction) => {
      if (!interaction.isAutocomplete()) return;
      const typed = interaction.options.getFocused();
      await interaction.respond([{ name: `${typed}idity`, value: `${typed}idity` }]);
    });
    expect(await user.autocomplete('/jobs subscribe', 'tags', 'sol')).toEqual([
      { name: 'solidity', value: 'solidity' },
    ]);
    await expect(user.autocomplete('/jobs subscribe', 'channel', 'x')).rejects.toThrow('no autocomplete');
  });

  it('presses buttons and selects from menus', async () => {
    const { user, guild } = await start(async (interaction) => {
      const row = { type: 1, components: [{ type: 2, style: 1, custom_id: 'more', label: 'More' }] };
      const menu = {
        type: 1,
        components: [
          {
            type: 3,
            custom_id: 'pick',
            options: [
              { label: 'A', value: 'a' },
              { label: 'B', value: 'b' },
            ],
          },
        ],
      };
      if (interaction.isChatInputCommand())
        await interaction.reply({ content: 'first', components: [row, menu] as never, ...none });
      if (interaction.isButton())
        await interaction.update({ content: 'second', components: [menu] as never, ...none });
      if (interaction.isStringSelectMenu()) {
        await interaction.deferUpdate();
        await interaction.editReply({
          content: `picked ${interaction.values.join()}`,
          components: [],
          ...none,
        });
      }
    });
    const first = await user.slash('/jobs list', {}, { guild }).reply();
    expect(() => user.press(first, 'Less')).toThrow('No button "Less"');
    const second = await user.press(first, 'More').reply();
    expect(second).toMatchObject({ id: first.id, content: 'second' });
    expect(() => user.select(second, 'pick', ['c'])).toThrow('no option "c"');
    expect((await user.select(second, 'pick', ['b']).reply()).content).toBe('picked b');
    expect(discord.violations).toEqual([]);
  });

  it('refuses what Discord would not allow a person', async () => {
    const { user, guild } = await start(async () => {});
    const here = { guild };
    expect(() => user.slash('/nope')).toThrow('No command /nope');
    expect(() => user.slash('/jobs unknown')).toThrow('no subcommand');
    expect(() => user.slash('/jobs subscribe', {}, here)).toThrow('"tags" is missing');
    expect(() => user.slash('/jobs subscribe', { tags: 'a', colour: 'red' }, here)).toThrow('unknown option');
    expect(() => user.slash('/jobs subscribe', { tags: 'a', min_salary: -1 }, here)).toThrow('out of range');
    expect(() => user.slash('/manage', {}, here)).toThrow('default_member_permissions');
    expect(() => user.slash('/manage')).toThrow('context 1');
    expect(user.slash('/manage', {}, { ...here, override: true }).record.name).toBe('/manage');
    const elsewhere = discord.addGuild({ bot: false, channels: [{ name: 'far' }], members: [{ user }] });
    expect(() => user.slash('/jobs list', {}, { guild: elsewhere })).toThrow('installed neither');
    user.record.installed = true;
    const { payload } = user.slash('/jobs list', {}, { guild: elsewhere }).record;
    expect(payload).toMatchObject({ context: 0, authorizing_integration_owners: { '1': user.id } });
  });

  it('passes files on', async () => {
    const { user } = await start(async (interaction) => {
      const command = asCommand(interaction);
      const files = [{ attachment: Buffer.from('{"a":1}'), name: 'export.json' }];
      await command.reply({ content: 'yours', files, flags: MessageFlags.Ephemeral, ...none });
    });
    const { files } = await user.slash('/jobs list').reply();
    expect(files.map((file) => [file.name, String(file.data)])).toEqual([['export.json', '{"a":1}']]);
    expect(discord.violations).toEqual([]);
  });

  it('answers where only the person has installed the application', async () => {
    const { user } = await start(async (interaction) => {
      await asCommand(interaction).reply({ content: `context ${interaction.context}`, ...none });
    });
    user.record.installed = true;
    const foreign = discord.addGuild({ bot: false, channels: [{ name: 'far' }], members: [{ user }] });
    expect((await user.slash('/jobs list', {}, { guild: foreign }).reply()).content).toBe('context 0');
    expect((await user.slash('/token set', {}, {}).reply()).content).toBe('context 1');
    const group = discord.addGroup([user]);
    expect(() => user.slash('/jobs list', {}, { channel: group })).toThrow('context 2');
    expect(() => user.slash('/token set', {}, { channel: group })).toThrow('installed neither');
  });

  it('delivers direct messages, or refuses them with 50007', async () => {
    const { user, bot } = await start(async () => {});
    const friend = await bot.client.users.fetch(user.id);
    await friend.send({ content: 'hello', ...none });
    expect(user.dms().map((m) => m.content)).toEqual(['hello']);
    user.record.dmClosed = true;
    await expect(friend.send({ content: 'again', ...none })).rejects.toMatchObject({ code: 50007 });
    const stranger = discord.addUser();
    const other = await bot.client.users.fetch(stranger.id);
    await expect(other.send({ content: 'hi', ...none })).rejects.toMatchObject({ code: 50007 });
  });
});
