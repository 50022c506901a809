// "More settings" of a subscription: quiet hours, the limit, the role, the forum and reposts, in a form with the present
// values. What the form sets is what the subscriptions file can set.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BotHouse, jobOf, openHouse } from '../helpers/bot-house.js';
import type { ShownModal } from '../helpers/discord/interaction-handle.js';
import type { MessageRecord } from '../helpers/discord/types.js';

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
const subscribe = (options: Parameters<Slash>[1] = {}) =>
  slash('/jobs subscribe', { tags: 'rust', channel: house.guild.channel('jobs'), ...options });
async function only() {
  const [report] = await house.services.subscriptions({ account: `discord:${house.admin.id}` });
  if (!report) throw new Error('there is no subscription');
  return report.subscription;
}
const said = (text: string | RegExp) => (message: MessageRecord) => message.text.match(text) !== null;

async function form(guild: { id: string } = house.guild): Promise<ShownModal> {
  const { id } = await only();
  const panel = await house.admin.slash('/jobs edit', { subscription: id }, { guild }).reply();
  return house.admin.press(panel, 'More settings').modal();
}

/** The ids of a form's fields. */
function fieldsOf({ components }: ShownModal): string[] {
  return components.map(({ component }) => (component as { custom_id: string }).custom_id);
}

describe('in a channel', () => {
  test('are set, shown, offered again with their values, and removed when their field is emptied', {
    tags: 'long',
  }, async () => {
    await subscribe();
    const role = house.discord.addRole(house.guild, { name: 'devs', mentionable: true });
    const first = await form();
    expect(fieldsOf(first)).toEqual(['quiet', 'timezone', 'perDay', 'mention', 'reposts']);
    const done = await house.admin
      .submit(first, {
        quiet: '10pm to 7am',
        timezone: 'berlin',
        perDay: '10',
        mention: [role.id],
        reposts: 'yes',
      })
      .replyWhere(said('Changed'));
    expect(done.text).toContain(`mentioning <@&${role.id}>`);
    expect(done.text).toMatch(/quiet from 22:00 to 07:00 Europe\/Berlin, at most 10 a day/u);
    expect(done.pinged).toEqual([]);
    expect(await only()).toMatchObject({
      reposts: true,
      destinations: [
        {
          perDay: 10,
          quiet: { from: '22:00', to: '07:00', timezone: 'Europe/Berlin' },
          options: { mention: role.id },
        },
      ],
    });
    const again = await form();
    const values = JSON.stringify(again.components);
    for (const value of ['22:00-07:00', 'Europe/Berlin', '10', role.id])
      expect(values).toContain(`"${value}"`);
    // Fields that a person does not touch keep their values.
    await house.admin.submit(again, {}).replyWhere(said('Changed'));
    expect((await only()).destinations[0]).toMatchObject({ perDay: 10, options: { mention: role.id } });
    const last = await form();
    await house.admin
      .submit(last, { quiet: '', perDay: '', mention: [], reposts: 'no' })
      .replyWhere((one) => !one.text.includes('quiet from'));
    const { destinations, reposts } = await only();
    expect(reposts).toBe(false);
    expect(destinations[0]).not.toHaveProperty('quiet');
    expect(destinations[0]).not.toHaveProperty('perDay');
    expect(destinations[0]).not.toHaveProperty('options');
  });

  test('are refused together with what is wrong, change nothing, and can be corrected', {
    tags: 'long',
  }, async () => {
    await subscribe();
    const everyone = house.guild.role('@everyone');
    const wrong = await house.admin
      .submit(await form(), { quiet: 'at night', timezone: 'moon', perDay: '0', mention: [everyone.id] })
      .reply();
    expect(wrong.text).toMatch(
      /“at night”[\s\S]*“0” is not a number from 1 to 500[\s\S]*“moon”[\s\S]*do not mention everyone/u,
    );
    expect((await only()).destinations[0]).not.toHaveProperty('perDay');
    const again = await house.admin.press(wrong, 'Correct it').modal();
    expect(JSON.stringify(again.components)).toContain('"at night"');
    expect(JSON.stringify(again.components)).toContain(everyone.id);
    const right = await house.admin
      .submit(again, { quiet: '23-6', timezone: 'utc', perDay: '3', mention: [] })
      .replyWhere(said('Changed'));
    expect(right.text).toContain('quiet from 23:00 to 06:00 UTC');
    const zone = await house.admin.submit(await form(), { timezone: '' }).reply();
    expect(zone.text).toMatch(/is not a time zone/u);
  });

  test('of another member are not shown and not changed', async () => {
    const shown = await subscribe();
    const modal = await form();
    const other = house.member();
    const opener = house.discord.interactions.find((one) => one.id === modal.interactionId);
    Object.assign(opener as object, { userId: other.id });
    const forged = { ...modal, customId: modal.customId.replace(/@.*/u, `@${other.id}`) };
    const refused = await other.submit(forged, { perDay: '1' }).reply();
    expect(refused.text).toMatch(/You do not have this subscription/u);
    expect((await only()).destinations[0]).not.toHaveProperty('perDay');
    expect(shown.ephemeral).toBe(true);
  });
});

test('in another server do not offer what belongs to the forum, which is not a channel there', async () => {
  const forum = house.discord.addChannel(house.guild, { name: 'board', type: 'forum' });
  await subscribe({ channel: forum });
  const elsewhere = house.discord.addGuild({ channels: [{ name: 'far' }], members: [{ user: house.admin }] });
  expect(fieldsOf(await form(elsewhere))).toEqual(['quiet', 'timezone', 'perDay', 'reposts']);
});

test('in a forum choose between a post for each posting and one for all, and a change of the times keeps the choice', {
  tags: 'long',
}, async () => {
  const forum = house.discord.addChannel(house.guild, { name: 'board', type: 'forum' });
  await subscribe({ channel: forum });
  expect((await only()).destinations[0]?.options).toEqual({ forum: 'posting' });
  const first = await form();
  expect(fieldsOf(first)).toEqual(['quiet', 'timezone', 'perDay', 'mention', 'forum']);
  const panel = await house.admin.submit(first, { forum: 'no' }).replyWhere(said('Changed'));
  expect((await only()).destinations[0]?.options).toEqual({ forum: 'edition' });
  const menu = panel.components
    .flatMap((row) => row.components as { custom_id: string }[])
    .find((one) => one.custom_id.startsWith('edit-when'));
  const hourly = await house.admin
    .select(panel, menu?.custom_id ?? '', ['hourly'])
    .replyWhere(said('hourly'));
  await house.admin.select(hourly, menu?.custom_id ?? '', ['live']).replyWhere(said('as they appear'));
  expect((await only()).destinations[0]?.options).toEqual({ forum: 'edition' });
  await house.admin.submit(await form(), { forum: 'yes' }).replyWhere(said('Changed'));
  expect((await only()).destinations[0]?.options).toEqual({ forum: 'posting' });
});

test('in an announcement channel choose whether its messages are published', { tags: 'long' }, async () => {
  const news = house.discord.addChannel(house.guild, { name: 'news', type: 'announcement' });
  await subscribe({ channel: news });
  const modal = await form();
  expect(fieldsOf(modal)).toEqual(['quiet', 'timezone', 'perDay', 'mention', 'publish']);
  const panel = await house.admin.submit(modal, { publish: 'yes' }).replyWhere(said('Changed'));
  expect(panel.text).toMatch(/in <#\d+>, .*, published/u);
  await house.board.addJob(jobOf(3));
  await house.poll();
  const CROSSPOSTED = 1;
  const message = await house.discord.until(() => house.discord.messages(news.id)[0], 'the posting');
  await expect.poll(() => message.flags & CROSSPOSTED).toBe(CROSSPOSTED);
  await house.admin
    .submit(await form(), { publish: 'no' })
    .replyWhere((one) => !one.text.includes('published'));
  expect((await only()).destinations[0]?.options).toBeUndefined();
});

test('in direct messages have no role and no forum', async () => {
  await subscribe({ channel: undefined, deliver: 'dm' });
  expect(fieldsOf(await form())).toEqual(['quiet', 'timezone', 'perDay', 'reposts']);
});

test('of a digest have a limit per message instead of a limit per day', { tags: 'long' }, async () => {
  await subscribe({ every: 'hourly' });
  const modal = await form();
  expect(fieldsOf(modal)).toEqual(['quiet', 'timezone', 'cap', 'mention', 'reposts']);
  const wrong = await house.admin.submit(modal, { cap: '501' }).reply();
  expect(wrong.text).toContain('“501” is not a number from 1 to 500');
  const again = await house.admin.press(wrong, 'Correct it').modal();
  const done = await house.admin.submit(again, { cap: '10' }).replyWhere(said('Changed'));
  expect(done.text).toContain('at most 10 at once');
  expect((await only()).destinations[0]).toMatchObject({ cap: 10 });
});
