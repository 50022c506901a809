// Where /jobs subscribe may post: the rights of the person and of the bot in each kind of place, and the required
// token.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import { type BotHouse, jobOf, openHouse } from '../helpers/bot-house.js';

let house: BotHouse;
beforeAll(async () => {
  house = await openHouse();
});
beforeEach(() => house.newServer());
afterEach(() => {
  expect(house.discord.violations).toEqual([]);
  expect(house.logs.filter((line) => line.message === 'interaction failed')).toEqual([]);
});
afterAll(() => house.close());

type Options = Parameters<BotHouse['admin']['slash']>[1];

async function subscribe(options: Options, user = house.admin, where: { guild?: { id: string } } = {}) {
  const reply = await user.slash('/jobs subscribe', options, { guild: house.guild, ...where }).reply();
  expect(reply.ephemeral).toBe(true);
  return reply;
}

const stored = () => house.app.services.subscriptions({ account: `discord:${house.admin.id}` });
async function only() {
  const [report, ...others] = await stored();
  expect(others).toEqual([]);
  return report?.subscription;
}

describe('a channel', () => {
  const member = async () => {
    const user = house.member();
    await house.app.services.setToken(`discord:${user.id}`, secret(house.board.token));
    return user;
  };

  test('needs Manage Channels there, whatever rights the person has elsewhere', async () => {
    const user = await member();
    const channel = house.guild.channel('jobs');
    const refused = await subscribe({ tags: 'rust', channel }, user);
    expect(refused.text).toMatch(/You need Manage Channels in <#\d+>/u);
    house.discord.setPermissions(house.guild.channel('general').id, user.id, [
      'VIEW_CHANNEL',
      'SEND_MESSAGES',
      'USE_APPLICATION_COMMANDS',
      'MANAGE_CHANNELS',
    ]);
    expect((await subscribe({ tags: 'rust', channel }, user)).text).toMatch(/You need Manage Channels/u);
    const own = await subscribe({ tags: 'rust', deliver: 'channel' }, user);
    expect(own.text).toMatch(/Understood/u);
    expect(await house.app.services.subscriptions({ account: `discord:${user.id}` })).toHaveLength(1);
  });

  test('uses the rights that Discord reports, not those in the cache', async () => {
    const user = await member();
    // No event tells the bot about it.
    house.guild.role('@everyone').permissions |= 1n << 4n;
    const channel = house.guild.channel('jobs');
    expect((await subscribe({ tags: 'rust', channel }, user)).text).toMatch(/Understood/u);
    const here = await subscribe({ tags: 'solidity', deliver: 'channel' }, user);
    expect(here.text).toMatch(/Understood/u);
  });

  test('is replaced by direct messages without the right and without a choice, and the answer says so', async () => {
    const user = await member();
    const reply = await subscribe({ tags: 'rust' }, user);
    expect(reply.text).toContain('by direct message');
    expect(reply.text).toContain('Manage Channels');
  });

  test.each([
    [['VIEW_CHANNEL', 'EMBED_LINKS'], 'Send Messages'],
    [['VIEW_CHANNEL', 'SEND_MESSAGES'], 'Embed Links'],
    [['VIEW_CHANNEL'], 'Send Messages\\*\\* and \\*\\*Embed Links'],
  ] as const)('with only %j for the bot names what is missing', async (bot, lacking) => {
    const channel = house.discord.addChannel(house.guild, { name: 'quiet', bot: [...bot] });
    const reply = await subscribe({ tags: 'rust', channel });
    expect(reply.text).toMatch(new RegExp(`I need \\*\\*${lacking}\\*\\* in <#${channel.id}>`, 'u'));
    expect(await stored()).toEqual([]);
  });

  test("that the bot can't see is reported as such", async () => {
    const channel = house.discord.addChannel(house.guild, { name: 'hidden', bot: [] });
    expect((await subscribe({ tags: 'rust', channel })).text).toMatch(/I cannot see <#\d+>/u);
  });

  test('may be a forum, an announcement channel, or a thread, also an archived one, but not a locked one', {
    tags: 'long',
  }, async () => {
    const { discord, guild } = house;
    const forum = discord.addChannel(guild, { name: 'forum', type: 'forum' });
    const news = discord.addChannel(guild, { name: 'news', type: 'announcement' });
    const old = discord.addChannel(guild, { name: 'old', type: 'thread', parent: 'jobs', archived: true });
    const shut = discord.addChannel(guild, { name: 'shut', type: 'thread', parent: 'jobs', locked: true });
    for (const channel of [forum, news, old])
      expect((await subscribe({ tags: 'rust', channel })).text).toMatch(/Understood/u);
    expect((await subscribe({ tags: 'rust', channel: shut })).text).toMatch(/locked/u);
    expect(await stored()).toHaveLength(3);
  });

  test('that is a forum gets a post for each posting, named after it, with the tags of the forum', async () => {
    const { discord, guild, board } = house;
    const forum = discord.addChannel(guild, {
      name: 'forum',
      type: 'forum',
      requireTag: true,
      tags: ['Zero Knowledge', 'RUST', 'Front-End', 'Back End', 'Remote', 'Full Stack', 'Dev Ops', 'Design'],
    });
    await subscribe({ tags: 'rust', channel: forum });
    expect((await only())?.destinations[0]?.options).toEqual({ forum: 'posting' });
    const tags = ['rust', 'front-end', 'backend', 'full-stack', 'devops', 'zero-knowledge'];
    const long = `Rust ${'very '.repeat(40)}senior`;
    await board.setJobs([
      jobOf(7, { tags }),
      jobOf(8, { title: long, tags: ['rust'], remote: false }),
      jobOf(1),
      jobOf(2),
    ]);
    await house.poll();
    const posts = await discord.until(() => {
      const made = discord.requests.filter(({ path }) => path === `/channels/${forum.id}/threads`);
      return made.length === 2
        ? made.map(({ body }) => body as { name: string; applied_tags: string[] })
        : null;
    }, 'two posts');
    const nameOf = (id: string) => forum.tags.find((tag) => tag.id === id)?.name;
    const [usual, cut] = ['Rust Engineer 7', 'Rust very'].map((name) =>
      posts.find((post) => post.name.startsWith(name)),
    );
    expect(usual?.applied_tags).toHaveLength(5);
    expect(usual?.applied_tags.map(nameOf)).not.toContain('Design');
    expect(usual?.applied_tags.map(nameOf)).toEqual(
      expect.arrayContaining(['RUST', 'Zero Knowledge', 'Front-End', 'Back End']),
    );
    expect(cut?.applied_tags.map(nameOf)).toEqual(['RUST']);
    expect(cut?.name).toHaveLength(100);
    expect(cut?.name).toMatch(/^Rust very .*…$/u);
  });

  test('that is a forum gets a digest as one post, and follows later changes', { tags: 'long' }, async () => {
    const { discord, guild, admin } = house;
    const forum = discord.addChannel(guild, { name: 'forum', type: 'forum' });
    await subscribe({ tags: 'rust', channel: forum, every: 'hourly' });
    const options = async () => (await only())?.destinations[0]?.options;
    expect(await options()).toBeUndefined();
    const id = (await only())?.id ?? '';
    const panel = await admin.slash('/jobs edit', { subscription: id }, { guild }).reply();
    const change = async (action: string, value: string, words: string) => {
      const chosen = admin.select(panel, `${action}@${admin.id}`, [value]);
      await chosen.replyWhere((one) => one.text.includes('Changed') && one.text.includes(words));
    };
    await change(`edit-when:${id}`, 'live', 'as soon as');
    expect(await options()).toEqual({ forum: 'posting' });
    await change(`edit-where:${id}:channel`, guild.channel('jobs').id, guild.channel('jobs').id);
    expect(await options()).toBeUndefined();
    await change(`edit-where:${id}:channel`, forum.id, forum.id);
    expect(await options()).toEqual({ forum: 'posting' });
    await change(`edit-when:${id}`, 'hourly', 'hourly');
    expect(await options()).toBeUndefined();
  });

  test('can have a role mentioned that can be mentioned, and never everyone', async () => {
    const { discord } = house;
    const guild = discord.addGuild({
      channels: [{ name: 'jobs' }],
      members: [{ user: house.admin, permissions: ['MANAGE_CHANNELS'] }],
      roles: [{ name: 'devs' }, { name: 'silent', mentionable: false }],
    });
    const done = await subscribe({ tags: 'rust', mention: guild.role('devs') }, house.admin, { guild });
    expect(done.text).toContain(`mentioning <@&${guild.role('devs').id}>`);
    expect(done.pinged).toEqual([]);
    expect((await only())?.destinations[0]?.options).toEqual({ mention: guild.role('devs').id });
    const all = await subscribe({ tags: 'rust', mention: guild.role('@everyone') }, house.admin, { guild });
    expect(all.text).toMatch(/do not mention everyone/u);
    const dm = await subscribe({ tags: 'rust', deliver: 'dm', mention: guild.role('devs') }, house.admin, {
      guild,
    });
    expect(dm.text).toMatch(/in a channel only/u);
    // Without Mention Everyone, a mention of a role that can't be mentioned would be silent.
    guild.role('@everyone').permissions &= ~(1n << 17n);
    await house.restartBot();
    const mute = await subscribe({ tags: 'rust', mention: guild.role('silent') }, house.admin, { guild });
    expect(mute.text).toMatch(/would notify no one/u);
  });
});

describe('elsewhere', () => {
  test('in direct messages it posts there, and refuses a channel with the fix', async () => {
    const reply = await house.admin.slash('/jobs subscribe', { tags: 'rust' }).reply();
    expect(reply.text).toContain('by direct message');
    const subscription = await only();
    expect(subscription?.destinations[0]?.target).toBe(`dm:${house.admin.id}`);
    expect(subscription?.guild).toBeUndefined();
    const refused = await house.admin.slash('/jobs subscribe', { tags: 'rust', deliver: 'channel' }).reply();
    expect(refused.text).toMatch(/no channel to post to here/u);
  });

  test('works when installed by the person only, in a server and in a group without the bot', async () => {
    const { discord, admin } = house;
    admin.record.installed = true;
    const foreign = discord.addGuild({ bot: false, channels: [{ name: 'x' }], members: [{ user: admin }] });
    const reply = await subscribe({ tags: 'rust' }, admin, { guild: foreign });
    expect(reply.text).toContain('by direct message');
    const refused = await subscribe({ tags: 'rust', deliver: 'channel' }, admin, { guild: foreign });
    expect(refused.text).toMatch(/not a member of this server/u);
    const group = discord.addGroup([admin, discord.addUser()]);
    const inGroup = await admin.slash('/jobs subscribe', { tags: 'rust' }, { channel: group }).reply();
    expect(inGroup.ephemeral).toBe(true);
    expect(inGroup.text).toContain('by direct message');
  });

  test('says that e-mail is off', async () => {
    expect((await subscribe({ tags: 'rust', deliver: 'email' })).text).toMatch(/Email is off here/u);
  });
});

describe('the token', () => {
  test('is asked for with a button that opens the form', async () => {
    const user = house.member();
    const reply = await subscribe({ tags: 'rust' }, user);
    expect(reply.text).toMatch(/no API token yet/u);
    const modal = await user.press(reply, 'Set token').modal();
    const saved = await user.submit(modal, { token: house.board.token }).reply();
    expect(saved.text).toMatch(/stored encrypted/u);
    expect(saved.ephemeral).toBe(true);
  });

  test('is not stored if the board rejects it, and the answer names the fix', async () => {
    const user = house.member();
    const modal = await user.slash('/token set', {}, { guild: house.guild }).modal();
    const refused = await user.submit(modal, { token: 'a-wrong-token-of-some-length' }).reply();
    expect(refused.text).toMatch(/does not accept this token/u);
    expect(refused.text).not.toContain('a-wrong-token');
    const status = await user.slash('/token status', {}, { guild: house.guild }).reply();
    expect(status.text).toMatch(/no API token here/u);
  });

  test('shows exactly its last four characters, and can be removed', async () => {
    const { board, admin, guild } = house;
    const status = await admin.slash('/token status', {}, { guild }).reply();
    expect(status.ephemeral).toBe(true);
    const shown = board.token.length < 12 ? '····' : board.token.slice(-4);
    expect(status.text).toContain(`\`${shown}\``);
    expect(status.text).not.toContain(board.token);
    expect((await admin.slash('/token remove', {}, { guild }).reply()).text).toMatch(/deleted/u);
    expect((await admin.slash('/token remove', {}, { guild }).reply()).text).toMatch(/no token/u);
    expect(JSON.stringify(house.logs)).not.toContain(board.token);
  });

  test('stores nothing if it is revoked before the subscription', async () => {
    await house.board.setTokens([{ token: 'another-token-entirely' }]);
    const reply = await subscribe({ tags: 'rust' });
    expect(reply.text).toMatch(/does not accept your token|no longer accepts your token/u);
    expect(await stored()).toEqual([]);
  });
});
