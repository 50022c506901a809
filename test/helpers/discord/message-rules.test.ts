// The local Discord must be at least as strict as Discord about messages: every violation here is answered with
// Discord's error and recorded.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { post, raw } from './raw-api.js';
import { type Discord, startDiscord } from './start-discord.js';
import type { GuildHandle } from './world.js';

let discord: Discord;
let guild: GuildHandle;
let general: string;

beforeEach(async () => {
  discord = await startDiscord({ ratePerWindow: 100, globalPerSecond: 1000 });
  guild = discord.addGuild({
    channels: [{ name: 'general' }, { name: 'other' }],
    roles: [{ name: 'watchers' }, { name: 'quiet', mentionable: false }],
  });
  general = guild.channel('general').id;
});

afterEach(() => discord.close());

const button = (custom_id: string) => ({ type: 2, style: 1, label: 'Press', custom_id });
const row = (...components: unknown[]) => ({ type: 1, components });
const options = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ label: `${i}`, value: `${i}` }));

describe('a message', () => {
  it.each([
    ['content of 2001', { content: 'x'.repeat(2001) }, 'content'],
    ['11 embeds', { embeds: Array(11).fill({ title: 'a' }) }, 'embeds'],
    [
      '6001 characters over two embeds',
      { embeds: [4000, 2001].map((n) => ({ description: 'x'.repeat(n) })) },
      'embeds',
    ],
    ['a title of 257', { embeds: [{ title: 'x'.repeat(257) }] }, 'embeds.0.title'],
    ['a description of 4097', { embeds: [{ description: 'x'.repeat(4097) }] }, 'embeds.0.description'],
    ['26 fields', { embeds: [{ fields: Array(26).fill({ name: 'a', value: 'b' }) }] }, 'embeds.0.fields'],
    [
      'an empty field value',
      { embeds: [{ fields: [{ name: 'a', value: ' ' }] }] },
      'embeds.0.fields.0.value',
    ],
    [
      'a field value of 1025',
      { embeds: [{ fields: [{ name: 'a', value: 'x'.repeat(1025) }] }] },
      'embeds.0.fields.0.value',
    ],
    ['a footer of 2049', { embeds: [{ footer: { text: 'x'.repeat(2049) } }] }, 'embeds.0.footer.text'],
    ['an author of 257', { embeds: [{ author: { name: 'x'.repeat(257) } }] }, 'embeds.0.author.name'],
    ['a javascript link', { embeds: [{ title: 'a', url: 'javascript:alert(1)' }] }, 'embeds.0.url'],
    ['a link that is none', { embeds: [{ title: 'a', url: 'https://' }] }, 'embeds.0.url'],
    ['a link with a space', { embeds: [{ title: 'a', url: 'https://a.b/c d' }] }, 'embeds.0.url'],
    ['six rows', { components: Array.from({ length: 6 }, (_, i) => row(button(`${i}`))) }, 'components'],
    [
      'six buttons in a row',
      { components: [row(...options(6).map((o) => button(o.value)))] },
      'components.0.components',
    ],
    [
      'a doubled custom_id',
      { components: [row(button('a'), button('a'))] },
      'components.0.components.1.custom_id',
    ],
    [
      'a custom_id of 101',
      { components: [row(button('x'.repeat(101)))] },
      'components.0.components.0.custom_id',
    ],
    [
      'a label of 81',
      { components: [row({ ...button('a'), label: 'x'.repeat(81) })] },
      'components.0.components.0.label',
    ],
    [
      '26 options',
      { components: [row({ type: 3, custom_id: 'a', options: options(26) })] },
      'components.0.components.0.options',
    ],
    [
      'an option of 101',
      { components: [row({ type: 3, custom_id: 'a', options: [{ label: 'x'.repeat(101), value: 'a' }] })] },
      'components.0.components.0.options.0.label',
    ],
    ['a nonce of 26', { content: 'a', nonce: 'x'.repeat(26) }, 'nonce'],
    [
      'users named and parsed',
      { content: 'a', allowed_mentions: { parse: ['users'], users: [discordId()] } },
      'allowed_mentions',
    ],
  ])('%s is refused with 50035', async (_name, body, path) => {
    const { status, body: error } = await post(discord, general, body);
    expect([status, error.code]).toEqual([400, 50035]);
    const node = path.split('.').reduce((tree, key) => tree[key], error.errors);
    expect(node._errors[0].code).toMatch(/^[A-Z_]+$/);
    expect(discord.violations).toHaveLength(1);
    expect(discord.messages(general)).toEqual([]);
  });

  it.each([
    ['nothing at all', {}],
    ['white space', { content: ' \n ' }],
    ['an embed without content', { embeds: [{ color: 1 }] }],
  ])('%s is an empty message', async (_name, body) => {
    expect((await post(discord, general, body)).body.code).toBe(50006);
    expect(discord.violations).toHaveLength(1);
  });

  it('may fill every limit', async () => {
    const body = {
      content: 'x'.repeat(2000),
      embeds: [{ title: 'x'.repeat(256), description: 'x'.repeat(4096), footer: { text: 'x'.repeat(1648) } }],
      components: Array.from({ length: 5 }, (_, i) =>
        row(...options(5).map((o) => button(`${i}-${o.value}`))),
      ),
      nonce: 'x'.repeat(25),
    };
    expect((await post(discord, general, body)).status).toBe(200);
    expect(discord.violations).toEqual([]);
  });

  it('without allowed_mentions is recorded although Discord accepts it', async () => {
    const { status } = await raw(discord, 'POST', `/channels/${general}/messages`, { content: 'a' });
    expect(status).toBe(200);
    expect(discord.violations).toEqual([expect.stringContaining('allowed_mentions missing')]);
  });
});

describe('the people whom a message notifies', () => {
  const cases: [
    string,
    (ids: { user: string; role: string }) => string,
    unknown,
    (ids: { user: string; role: string }) => string[],
  ][] = [
    [
      'everything when nothing is said',
      (i) => `@everyone <@${i.user}> <@&${i.role}>`,
      undefined,
      (i) => ['@everyone', `<@${i.user}>`, `<@&${i.role}>`],
    ],
    [
      'no one with an empty parse',
      (i) => `@everyone @here <@${i.user}> <@&${i.role}>`,
      { parse: [] },
      () => [],
    ],
    [
      'no one when escaped or in code',
      (i) => `\\@everyone \\<@${i.user}> \`<@&${i.role}>\` \`\`\`@here\`\`\``,
      undefined,
      () => [],
    ],
    ['one user after an escaped backslash', (i) => `\\\\<@${i.user}>`, undefined, (i) => [`<@${i.user}>`]],
  ];
  it.each(cases)('%s', async (_name, content, allowed, expected) => {
    const ids = { user: discord.addUser().id, role: guild.role('watchers').id };
    const path = `/channels/${general}/messages`;
    await raw(discord, 'POST', path, { content: content(ids), allowed_mentions: allowed });
    expect(discord.messages(general)[0]?.pinged).toEqual(expected(ids));
  });

  it('only the named role', async () => {
    const role = guild.role('watchers').id;
    const quiet = guild.role('quiet').id;
    await post(discord, general, {
      content: `@everyone <@&${role}> <@&${quiet}>`,
      allowed_mentions: { parse: [], roles: [role] },
    });
    expect(discord.messages(general)[0]?.pinged).toEqual([`<@&${role}>`]);
  });
});

describe('nonces', () => {
  const draft = { content: 'once', nonce: 'n-1', enforce_nonce: true };

  it('return the earlier message and do not store a second one', async () => {
    const first = await post(discord, general, draft);
    const second = await post(discord, general, { ...draft, content: 'twice' });
    expect(second.body.id).toBe(first.body.id);
    expect(discord.messages(general).map((m) => m.content)).toEqual(['once']);
    expect(discord.violations).toEqual([]);
  });

  it('do nothing unless enforced', async () => {
    await post(discord, general, { ...draft, enforce_nonce: false });
    await post(discord, general, { ...draft, enforce_nonce: false });
    expect(discord.messages(general)).toHaveLength(2);
  });

  it('lose a message when they are reused in another channel, which is recorded', async () => {
    await post(discord, general, draft);
    await post(discord, guild.channel('other').id, draft);
    expect(discord.messages(guild.channel('other').id)).toEqual([]);
    expect(discord.violations).toEqual([expect.stringContaining('reused in another channel')]);
  });

  it('answer 10008 when the earlier message was deleted meanwhile', async () => {
    const { body } = await post(discord, general, draft);
    await raw(discord, 'DELETE', `/channels/${general}/messages/${body.id}`);
    expect((await post(discord, general, draft)).body.code).toBe(10008);
  });
});

function discordId(): string {
  return '123456789012345678';
}

it('a message of an announcement channel is published once, and ten of a channel in an hour', async () => {
  const { id } = discord.addChannel(guild, { name: 'news', type: 'announcement' });
  const publish = async (message: string) =>
    (await raw(discord, 'POST', `/channels/${id}/messages/${message}/crosspost`)).body;
  const sent: string[] = [];
  for (let n = 0; n < 11; n++) sent.push((await post(discord, id, { content: `${n}` })).body.id);
  const [first = '', ...others] = sent;
  expect((await publish(first)).flags & 1).toBe(1);
  expect((await publish(first)).code).toBe(40033);
  for (const one of others.slice(0, 9)) expect((await publish(one)).flags & 1).toBe(1);
  expect((await publish(others[9] ?? '')).retry_after).toBeGreaterThan(3500);
  expect(discord.violations.at(-1)).toContain('more than ten');
});
