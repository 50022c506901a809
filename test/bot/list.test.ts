// The list of subscriptions, which changes in place: pages, one subscription in full, the way back, whose it is, how
// the last checks went, and a test message to where it delivers.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BotHouse, openHouse } from '../helpers/bot-house.js';
import type { MessageRecord } from '../helpers/discord/types.js';
import { until } from '../helpers/until.js';

let house: BotHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(() => house.newServer());
afterEach(() => {
  expect(house.discord.violations).toEqual([]);
  expect(house.logs.filter((line) => line.message === 'interaction failed')).toEqual([]);
});

type Slash = BotHouse['admin']['slash'];

const slash = (command: string, options: Parameters<Slash>[1] = {}, user = house.admin) =>
  user.slash(command, options, { guild: house.guild }).reply();
const channel = () => house.guild.channel('jobs');
const subscribe = (options: Parameters<Slash>[1] = {}) =>
  slash('/jobs subscribe', { tags: 'rust', channel: channel(), ...options });
const mine = () => house.services.subscriptions({ account: `discord:${house.admin.id}` });
const said = (text: string | RegExp) => (message: MessageRecord) => message.text.match(text) !== null;

/** The menu of the list. */
function menuOf(message: MessageRecord): { custom_id: string; options: { value: string; label: string }[] } {
  const parts = message.components.flatMap((row) => row.components as { type: number }[]);
  return parts.find((part) => part.type === 3) as never;
}

/** Opens the subscription whose words contain `label`. */
async function open(list: MessageRecord, label: string, user = house.admin): Promise<MessageRecord> {
  const { custom_id: id, options } = menuOf(list);
  const option = options.find((one) => one.label.includes(label));
  return user.select(list, id, [option?.value ?? '']).replyWhere(said('History'));
}

describe('the list', () => {
  test('opens a subscription in its place, and leads back to the page it is on, also after a restart', {
    tags: 'long',
  }, async () => {
    const tags = ['rust', 'solidity', 'defi', 'design', 'marketing', 'research'];
    for (const one of tags) await subscribe({ tags: one });
    const first = await slash('/jobs list');
    expect(first.text).toMatch(/6 subscriptions[\s\S]*Page 1 of 2/u);
    const second = await house.admin.press(first, 'Next').replyWhere(said('Page 2 of 2'));
    expect(second.id).toBe(first.id);
    const one = await open(second, 'Research');
    expect(one.id).toBe(first.id);
    expect(one.text).not.toContain('Page');
    expect(one.embeds).toEqual([]);
    await house.restartBot();
    const paused = await house.admin.press(one, 'Pause').replyWhere(said('⏸️ Paused'));
    const back = await house.admin.press(paused, 'My subscriptions').replyWhere(said('Page 2 of 2'));
    expect(back.id).toBe(first.id);
    expect(back.content).toBe('');
    expect(back.text).toMatch(/Research[\s\S]*⏸️ paused/u);
    const removed = await house.admin
      .press(await open(back, 'Research'), 'Remove')
      .replyWhere(said('Removed'));
    const rest = await house.admin.press(removed, 'My subscriptions').replyWhere(said('5 subscriptions'));
    expect(rest.id).toBe(first.id);
  });

  test('names the owner and the channel to a manager of the server, and no owner to the owner', async () => {
    await subscribe();
    expect((await slash('/jobs list')).text).not.toContain(`<@${house.admin.id}>`);
    const manager = house.discord.addUser();
    house.guild.addMember({ user: manager, permissions: ['MANAGE_CHANNELS'] });
    const list = await slash('/jobs list', {}, manager);
    expect(list.text).toContain(`<#${channel().id}>`);
    expect(list.text).toContain(`by <@${house.admin.id}>`);
    expect(list.pinged).toEqual([]);
    const one = await open(list, 'Rust', manager);
    expect(one.text).toContain(`by <@${house.admin.id}>`);
  });

  test('says when a pause ends that ends by itself', async () => {
    await subscribe();
    const [report] = await mine();
    const until = Date.now() + 30 * 86_400_000;
    const caller = { account: `discord:${house.admin.id}` };
    await house.services.pause(caller, report?.subscription.id ?? '', until);
    const ends = `<t:${Math.round(until / 1000)}:R>`;
    expect((await slash('/jobs list')).text).toContain(`⏸️ paused · ends ${ends}`);
  });

  test('says how the last checks failed, until one works again', async () => {
    await subscribe();
    await until(async () => (await mine())[0]?.polledAt !== undefined, { what: 'the first check' });
    expect((await slash('/jobs list')).text).not.toContain('check failed');
    house.front.answer({ status: 400 });
    await house.poll();
    const fails = async () => (await mine())[0]?.failures;
    await until(async () => (await fails()) === 1, { what: 'a failed check' });
    expect((await slash('/jobs list')).text).toMatch(
      /⚠️ the last check failed: the answer of the jobs board could not be used/u,
    );
    house.front.answer(undefined);
    await house.poll();
    await until(async () => (await fails()) === 0, { what: 'a check that works' });
    expect((await slash('/jobs list')).text).not.toContain('check failed');
  });
});

describe('a test message', () => {
  test('arrives in the channel, pings no one, and is limited to one a minute, also after a restart', async () => {
    const panel = await subscribe();
    const done = await house.admin.press(panel, 'Send a test').reply();
    expect(done.ephemeral).toBe(true);
    expect(done.id).not.toBe(panel.id);
    expect(done.text).toContain(`<#${channel().id}>`);
    expect(done.text).toContain('✅ the test message was sent');
    const [message, ...others] = house.discord.messages(channel().id);
    expect(others).toEqual([]);
    expect(message?.text).toMatch(/This is a test\. New postings for \*\*Rust\*\* will arrive here/u);
    expect(message?.pinged).toEqual([]);
    await house.restartBot();
    const soon = await house.admin.press(panel, 'Send a test').reply();
    expect(soon.text).toContain('less than a minute ago');
    expect(house.discord.messages(channel().id)).toHaveLength(1);
  });

  test('says why it did not arrive, and what to do', async () => {
    const panel = await subscribe();
    house.discord.setPermissions(channel().id, 'bot', ['VIEW_CHANNEL']);
    const done = await house.admin.press(panel, 'Send a test').reply();
    expect(done.text).toMatch(/⚠️ the test message could not be sent\. .*Send Messages/u);
    expect(house.discord.messages(channel().id)).toEqual([]);
  });

  test('becomes a post in a forum, with the tag that the forum requires, and reopens an archived thread', {
    tags: 'long',
  }, async () => {
    const forum = house.discord.addChannel(house.guild, {
      name: 'board',
      type: 'forum',
      tags: ['Jobs'],
      requireTag: true,
    });
    const thread = house.discord.addChannel(house.guild, { name: 'feed', type: 'thread', parent: 'general' });
    const inForum = await subscribe({ channel: forum });
    const inThread = await subscribe({ channel: thread });
    thread.archived = true;
    const tests = () => house.discord.allMessages().filter((one) => one.content.includes('This is a test'));
    const before = tests().length;
    await house.admin.press(inForum, 'Send a test').reply();
    await house.admin.press(inThread, 'Send a test').reply();
    expect(tests()).toHaveLength(before + 2);
    expect(tests().some((one) => one.channelId === thread.id)).toBe(true);
  });

  test('is sent only for the owner or a manager of the server', async () => {
    const panel = await subscribe();
    const other = house.member();
    const live = house.discord.allMessages().find((message) => message.id === panel.id);
    const forged = { ...panel, id: panel.id };
    const id = String(
      panel.components
        .flatMap((row) => row.components as { custom_id: string }[])
        .find((one) => one.custom_id.startsWith('sub:test'))?.custom_id,
    );
    // As if Discord let another person press a button that names them as its owner.
    Object.assign(live as object, {
      flags: 0,
      ephemeralFor: null,
      components: [
        {
          type: 1,
          components: [{ type: 2, style: 2, label: 'x', custom_id: id.replace(/@.*/u, `@${other.id}`) }],
        },
      ],
    });
    const reply = await other.press(forged, 'x').reply();
    expect(reply.text).toMatch(/You do not have this subscription/u);
    expect(house.discord.messages(channel().id).filter((one) => one.id !== panel.id)).toEqual([]);
  });
});
