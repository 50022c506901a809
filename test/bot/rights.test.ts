// To whom a subscription belongs, how it is named, and who sees its history: its owner and managers of the server
// only.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BotHouse, jobOf, linkOf, openHouse } from '../helpers/bot-house.js';
import type { MessageRecord } from '../helpers/discord/types.js';
import { until } from '../helpers/until.js';

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

type Slash = BotHouse['admin']['slash'];

const slash = (command: string, options: Parameters<Slash>[1] = {}, user = house.admin) =>
  user.slash(command, options, { guild: house.guild }).reply();
const subscribe = (options: Parameters<Slash>[1] = {}) =>
  slash('/jobs subscribe', { tags: 'rust', channel: house.guild.channel('jobs'), ...options });
const mine = () => house.app.services.subscriptions({ account: `discord:${house.admin.id}` });
async function only() {
  const [report] = await mine();
  if (!report) throw new Error('there is no subscription');
  return report;
}
/** The custom_id of the component that begins with `action`. */
function idOf(message: MessageRecord, action: string): string {
  const parts = message.components.flatMap((row) => row.components as { custom_id: string }[]);
  const found = parts.find((part) => part.custom_id.startsWith(action));
  if (!found)
    throw new Error(`no ${action} on the message: ${parts.map((part) => part.custom_id).join(' ')}`);
  return found.custom_id;
}
const changed = (text: string | RegExp) => (message: MessageRecord) => message.text.match(text) !== null;

describe('the owner', () => {
  test('is the only member who sees and changes the subscription', async () => {
    const panel = await subscribe();
    const other = house.member();
    const { id } = (await only()).subscription;
    expect((await slash('/jobs list', {}, other)).text).toMatch(/no subscriptions/u);
    for (const command of ['show', 'pause', 'remove', 'edit', 'history'])
      expect((await slash(`/jobs ${command}`, { subscription: id }, other)).text, command).toMatch(
        /You have no subscription called/u,
      );
    // A forged press of the owner's button: Discord would not allow it, and the bot must not either.
    const forged = { ...panel, id: panel.id };
    const live = house.discord.allMessages().find((message) => message.id === forged.id);
    Object.assign(live as object, { flags: 0, ephemeralFor: null });
    for (const label of ['Pause', 'Remove', 'Edit']) {
      const reply = await other.press(panel, label).reply();
      expect(reply.id).not.toBe(panel.id);
      expect(reply.ephemeral).toBe(true);
      expect(reply.text).toMatch(/belongs to someone else/u);
    }
    expect((await only()).state).toBe('active');
    // And a form of the owner, sent by another person.
    const edit = await slash('/jobs edit', { subscription: id });
    const modal = await house.admin.press(edit, 'What: tags, words, pay').modal();
    const opener = house.discord.interactions.find((one) => one.id === modal.interactionId);
    Object.assign(opener as object, { userId: other.id });
    const sent = await other.submit(modal, { tags: 'solidity' }).reply();
    expect(sent.ephemeral).toBe(true);
    expect(sent.text).toMatch(/belongs to someone else/u);
    expect((await only()).subscription.filter.tags).toEqual(['rust']);
  });

  test('shares it with managers of the server, who can see and end it but not take it over', async () => {
    await subscribe();
    await slash('/jobs subscribe', { tags: 'solidity', deliver: 'dm' });
    const manager = house.discord.addUser();
    house.guild.addMember({ user: manager, permissions: ['MANAGE_CHANNELS'] });
    const list = await slash('/jobs list', {}, manager);
    expect(list.text).toContain('Rust');
    expect(list.text).not.toContain('Solidity');
    const { id } = (await only()).subscription;
    const panel = await slash('/jobs edit', { subscription: id }, manager);
    const refused = await manager.press(panel, 'To my direct messages').reply();
    expect(refused.text).toMatch(/belongs to someone else/u);
    expect((await slash('/jobs pause', { subscription: id }, manager)).text).toMatch(/Paused/u);
    const removed = await slash('/jobs remove', { subscription: id }, manager);
    expect(removed.text).toMatch(/Removed/u);
    expect(await mine()).toHaveLength(1);
    // A manager can undo a removal, and it belongs to its owner as before.
    await manager.press(removed, 'Undo').reply();
    expect((await mine()).find((one) => one.subscription.id === id)?.subscription.account).toBe(
      `discord:${house.admin.id}`,
    );
  });

  test('does not share it with a person who has rights in one channel only', async () => {
    await subscribe();
    const user = house.member();
    house.discord.setPermissions(house.guild.channel('general').id, user.id, [
      'VIEW_CHANNEL',
      'USE_APPLICATION_COMMANDS',
      'MANAGE_CHANNELS',
    ]);
    expect((await slash('/jobs list', {}, user)).text).toMatch(/no subscriptions/u);
  });
});

describe('naming a subscription', () => {
  test('works by words and by parts that fit only one, and fails when none or several do', async () => {
    await subscribe({ tags: 'rust' });
    await subscribe({ tags: 'solidity', every: 'hourly' });
    expect((await slash('/jobs show', { subscription: 'soli' })).text).toContain('Solidity');
    expect((await slash('/jobs show', { subscription: 'haskell' })).text).toMatch(/“haskell”/u);
    expect((await slash('/jobs show', { subscription: 'o' })).text).toMatch(/Several/u);
    const guild = house.guild;
    const all = await house.admin.autocomplete('/jobs show', 'subscription', '', {}, { guild });
    expect(all).toHaveLength(2);
    const some = await house.admin.autocomplete('/jobs show', 'subscription', 'hourly', {}, { guild });
    expect(some.map((choice) => choice.name)).toEqual([
      expect.stringContaining('Solidity; in #jobs, hourly'),
    ]);
  });

  test('tells two apart that differ only in their channel, where no mention is shown', async () => {
    await subscribe({ tags: 'rust' });
    await subscribe({ tags: 'rust', channel: house.guild.channel('general') });
    const { guild, admin } = house;
    const names = ['Rust; in #jobs, as soon as they appear', 'Rust; in #general, as soon as they appear'];
    const choices = await admin.autocomplete('/jobs show', 'subscription', '', {}, { guild });
    expect(choices.map((choice) => choice.name)).toEqual(names);
    const [menu] = (await slash('/jobs list')).components.flatMap(
      (row) => row.components as { options: { label: string }[] }[],
    );
    expect(menu?.options.map((option) => option.label)).toEqual(names);
    const shown = await slash('/jobs show', { subscription: '#general' });
    expect(shown.text).toContain(`<#${guild.channel('general').id}>`);
  });

  test('works from a list with pages', async () => {
    for (let index = 0; index < 7; index++) await subscribe({ tags: 'rust', include: `word${index}` });
    const first = await slash('/jobs list');
    expect(first.text).toContain('7 subscriptions');
    expect(first.text).toContain('Page 1 of 2');
    const second = await house.admin.press(first, 'Next').replyWhere(changed('Page 2 of 2'));
    expect(second.text).toContain('word6');
    const opened = await house.admin
      .select(second, idOf(second, 'open'), [String((await mine())[6]?.subscription.id)])
      .reply();
    expect(opened.text).toContain('word6');
    expect(opened.text).toContain('Remove');
  });
});

describe('why and history', () => {
  test('show the history of a posting by its link, and what was delivered', async () => {
    await subscribe({ tags: 'rust', exclude: 'intern' });
    const { id } = (await only()).subscription;
    await house.board.addJob(jobOf(3));
    await house.poll();
    const channel = house.guild.channel('jobs').id;
    const why = (job: string) => slash('/jobs why', { subscription: id, job });
    const card = await house.discord.until(() => house.discord.messages(channel)[0], 'the new posting');
    expect(card.text).toContain('Rust Engineer 3');
    // The message appears before its delivery is recorded.
    await until(async () => /was delivered/u.test((await why('3')).text), {
      what: 'the record of the delivery',
    });
    expect((await why('1')).text).toMatch(/already there when the subscription began/u);
    for (const name of ['3', linkOf(3), 'id:3'])
      expect((await why(name)).text).toMatch(/it matched[\s\S]*was delivered/u);
    expect((await why('9999')).text).toMatch(/never returned “9999”/u);
    expect((await slash('/jobs history', { subscription: id })).text).toMatch(/1 posting delivered/u);
  });

  test('name the rule that filtered it out', async () => {
    await subscribe({ tags: 'rust', exclude: 'intern' });
    const { id } = (await only()).subscription;
    await house.board.addJob(jobOf(4, { title: 'Rust Intern' }));
    await house.poll();
    const seen = async () =>
      (await house.app.services.why({ account: `discord:${house.admin.id}` }, id, '4')).fate === 'filtered';
    await expect.poll(seen, { timeout: 30_000 }).toBe(true);
    const reply = await slash('/jobs why', { subscription: id, job: '4' });
    expect(reply.text).toMatch(/filtered out by the rule “without intern”/u);
    expect(reply.text).toContain(
      [
        'Your rules now, for this posting:',
        '- ✅ tags rust · Rust and Backend',
        '- ❌ without intern · intern',
      ].join('\n'),
    );
  });
});
