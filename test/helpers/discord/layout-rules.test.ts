// The local Discord must be at least as strict as Discord about Components V2: what the flag forbids, which component
// may be where, how many, whom the texts notify, and that nested controls work.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answer, post, raw } from './raw-api.js';
import { type Discord, startDiscord } from './start-discord.js';
import type { Json } from './types.js';
import { COMPONENTS_V2 } from './validate-layout.js';
import type { GuildHandle } from './world.js';

let discord: Discord;
let guild: GuildHandle;
let general: string;

beforeEach(async () => {
  discord = await startDiscord({ ratePerWindow: 100, globalPerSecond: 1000 });
  guild = discord.addGuild({ channels: [{ name: 'general' }], roles: [{ name: 'watchers' }] });
  general = guild.channel('general').id;
});

afterEach(() => discord.close());

const text = (content = 'words') => ({ type: 10, content });
const link = (url = 'https://b.example/r/1') => ({ type: 2, style: 5, label: 'Apply', url });
const button = (custom_id: string, label = 'Press') => ({ type: 2, style: 2, label, custom_id });
const row = (...components: Json[]) => ({ type: 1, components });
const section = (accessory: Json | undefined = link(), ...texts: Json[]) => ({
  type: 9,
  components: texts.length > 0 ? texts : [text()],
  accessory,
});
const box = (...components: Json[]) => ({ type: 17, accent_color: 0x2f9e6e, components });
const layout = (...components: Json[]): Json => ({ flags: COMPONENTS_V2, components });

const messages = () => discord.messages(general);
const edit = (id: string, body: Json) =>
  raw(discord, 'PATCH', `/channels/${general}/messages/${id}`, { allowed_mentions: { parse: [] }, ...body });

describe('a layout', () => {
  it.each<[string, Json, string]>([
    ['content', { ...layout(text()), content: 'a' }, 'content'],
    ['even empty content', { ...layout(text()), content: '' }, 'content'],
    ['embeds', { ...layout(text()), embeds: [{ title: 'a' }] }, 'embeds'],
    ['even no embeds', { ...layout(text()), embeds: [] }, 'embeds'],
    ['a poll', { ...layout(text()), poll: {} }, 'poll'],
    ['stickers', { ...layout(text()), sticker_ids: ['1'] }, 'sticker_ids'],
    ['nothing', layout(), 'components'],
    ['an empty text', layout(text(' ')), 'components.0.content'],
    ['a button outside a row', layout(button('a')), 'components.0.type'],
    [
      'a thumbnail by itself',
      layout({ type: 11, media: { url: 'https://b.example/a.png' } }),
      'components.0.type',
    ],
    ['an unknown type', layout({ type: 99 }), 'components.0.type'],
    ['a container in a container', layout(box(box(text()))), 'components.0.components.0.type'],
    ['an empty container', layout(box()), 'components.0.components'],
    [
      'a colour that is none',
      layout({ ...box(text()), accent_color: 0x1000000 }),
      'components.0.accent_color',
    ],
    [
      'a section without an accessory',
      layout({ ...section(), accessory: undefined }),
      'components.0.accessory',
    ],
    ['a section with a row beside it', layout(section(row(button('a')))), 'components.0.accessory.type'],
    ['a section without text', layout({ ...section(), components: [] }), 'components.0.components'],
    [
      'a section of four texts',
      layout(section(link(), text(), text(), text(), text())),
      'components.0.components',
    ],
    ['a section of a button', layout(section(link(), button('a'))), 'components.0.components.0.type'],
    [
      'a link of 513 characters on a button',
      layout(section(link(`https://b.example/${'x'.repeat(495)}`))),
      'components.0.accessory.url',
    ],
    ['a link without a host', layout(section(link('https://'))), 'components.0.accessory.url'],
    [
      'six buttons in a row',
      layout(box(row(...'abcdef'.split('').map((id) => button(id))))),
      'components.0.components.0.components',
    ],
    [
      'a custom_id twice, in two boxes',
      layout(box(row(button('a'))), box(row(button('a')))),
      'components.1.components.0.components.0.custom_id',
    ],
    ['a custom_id of 101', layout(row(button('x'.repeat(101)))), 'components.0.components.0.custom_id'],
    ['4,001 characters in two texts', layout(text('x'.repeat(4000)), box(text('y'))), 'components'],
    ['41 components', layout(box(...Array(40).fill(text('a')))), 'components'],
    [
      '41 components, accessories counted',
      layout(text(), text(), ...Array(13).fill(section())),
      'components',
    ],
  ])('%s is refused with 50035', async (_name, body, path) => {
    const { status, body: error } = await post(discord, general, body);
    expect([status, error.code]).toEqual([400, 50035]);
    const node = path.split('.').reduce((tree, key) => tree?.[key], error.errors);
    expect(node?._errors?.[0].code, JSON.stringify(error.errors)).toMatch(/^[A-Z_\d]+$/);
    expect(messages()).toEqual([]);
  });

  it.each([9, 10, 14, 17])('without the flag must not have a component of type %i', async (type) => {
    const parts: Record<number, Json> = { 9: section(), 10: text(), 14: { type: 14 }, 17: box(text()) };
    const { body } = await post(discord, general, { components: [parts[type]] });
    expect([body.code, body.errors.components[0].type._errors[0].code]).toEqual([50035, 'BASE_TYPE_CHOICES']);
  });

  it('may fill every limit', async () => {
    const cards = Array.from({ length: 5 }, (_, n) =>
      box(
        section(link(`https://b.example/${'x'.repeat(494)}`), text('x'.repeat(799))),
        row(button(`a${n}`), button(`b${n}`)),
      ),
    );
    const line = { type: 14, spacing: 2, divider: true };
    const body = layout(text('a'), ...cards, text('b'), line, text('c'), text('de'));
    expect((await post(discord, general, body)).status).toBe(200);
    expect(messages()[0]?.flags).toBe(COMPONENTS_V2);
  });

  it('may have two link buttons to one place, because a link is no custom_id', async () => {
    expect((await post(discord, general, layout(section(), section()))).status).toBe(200);
  });

  it('needs no right to embed links', async () => {
    discord.setPermissions(general, 'bot', ['VIEW_CHANNEL', 'SEND_MESSAGES']);
    expect((await post(discord, general, layout(section()))).status).toBe(200);
  });
});

describe('an edit', () => {
  async function posted(body: Json): Promise<string> {
    return (await post(discord, general, body)).body.id;
  }

  it('of a layout keeps the flag and its rules', async () => {
    const id = await posted(layout(text('before')));
    expect((await edit(id, { components: [box(text('after'))] })).body.flags).toBe(COMPONENTS_V2);
    expect((await edit(id, { components: [button('a')] })).body.code).toBe(50035);
    expect((await edit(id, { content: 'a' })).body.errors.content).toBeDefined();
    expect((await edit(id, { embeds: [{ title: 'a' }] })).body.errors.embeds).toBeDefined();
    expect(messages()[0]?.text).toBe('after');
  });

  it('can’t remove the flag', async () => {
    const id = await posted(layout(text()));
    expect((await edit(id, { flags: 0, components: [text()] })).body.errors.flags).toBeDefined();
    expect(messages()[0]?.flags).toBe(COMPONENTS_V2);
  });

  it('can set it when it removes content and embeds', async () => {
    const id = await posted({ content: 'a', embeds: [{ title: 'a' }] });
    expect((await edit(id, layout(text()))).body.code).toBe(50035);
    expect((await edit(id, { ...layout(text()), content: null, embeds: null })).body.code).toBe(50035);
    const { body } = await edit(id, { ...layout(text('new')), content: null, embeds: [] });
    expect([body.flags, body.content, body.embeds]).toEqual([COMPONENTS_V2, '', []]);
  });
});

describe('the texts', () => {
  it('notify whom allowed_mentions names, from any depth', async () => {
    const role = guild.role('watchers').id;
    const body = layout(text('@everyone'), box(section(link(), text(`<@&${role}>`))));
    await post(discord, general, { ...body, allowed_mentions: { parse: [], roles: [role] } });
    await raw(discord, 'POST', `/channels/${general}/messages`, body);
    expect(messages().map(({ pinged }) => pinged)).toEqual([[`<@&${role}>`], ['@everyone', `<@&${role}>`]]);
    expect(discord.violations).toEqual([expect.stringContaining('allowed_mentions missing')]);
  });

  it('are read in order, each with its button', async () => {
    await post(
      discord,
      general,
      layout(text('one'), box(section(link(), text('two')), row(button('a', 'Save'))), text('three')),
    );
    expect(messages()[0]?.text).toBe('one\ntwo\nApply\nSave\nthree');
  });
});

describe('people', () => {
  it('press nested buttons and use nested menus; a link sends them nowhere', async () => {
    const user = discord.addUser();
    guild.addMember({ user });
    const menu = { type: 3, custom_id: 'menu', options: [{ label: 'One', value: '1' }] };
    await post(discord, general, layout(box(section(), row(button('save', 'Save')), row(menu))));
    const [message] = messages();
    if (!message) throw new Error('no message');
    expect(user.press(message, 'Save').record.name).toBe('save');
    expect(user.select(message, 'menu', ['1']).record.name).toBe('menu');
    expect(() => user.press(message, 'Apply')).toThrow(/is a link/u);
    expect(() => user.press(message, 'Remove')).toThrow(/there are: Apply .*Save/u);
  });

  it('are answered with a layout, immediately or after a deferred reply', async () => {
    const user = discord.addUser();
    guild.addMember({ user });
    await post(discord, general, { content: 'a', components: [row(button('one'), button('two'))] });
    const [message] = messages();
    if (!message) throw new Error('no message');
    const first = user.press(message, 'one');
    await answer(discord, first.record, 4, { ...layout(box(text('card'))), flags: COMPONENTS_V2 | 64 });
    expect(await first.reply()).toMatchObject({ ephemeral: true, text: 'card' });
    const second = user.press(message, 'two');
    await answer(discord, second.record, 5, { flags: 64 });
    const path = `/webhooks/${discord.appId}/${second.record.token}/messages/@original`;
    const safe = { allowed_mentions: { parse: [] } };
    expect((await raw(discord, 'PATCH', path, { ...safe, ...layout(text()), content: 'a' })).status).toBe(
      400,
    );
    await raw(discord, 'PATCH', path, { ...safe, ...layout(text('late')) });
    expect(await second.reply()).toMatchObject({ flags: COMPONENTS_V2 | 64, text: 'late' });
  });
});
