// The commands in the menu of a message ("Save job", "Why did I get this?"), and the recent postings that /jobs why
// offers.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import { type BotHouse, jobOf, linkOf, openHouse } from '../helpers/bot-house.js';
import type { MessageRecord } from '../helpers/discord/types.js';
import { controlsIn } from '../helpers/discord/user-actions.js';

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

const slash = (
  command: string,
  options: Parameters<BotHouse['admin']['slash']>[1] = {},
  user = house.admin,
) => user.slash(command, options, { guild: house.guild }).reply();

/** Subscribes a channel and waits for the message that brings `jobs`. */
async function delivered(...jobs: ReturnType<typeof jobOf>[]): Promise<MessageRecord> {
  const channel = house.guild.channel('jobs');
  await slash('/jobs subscribe', { tags: 'rust', channel });
  await house.board.setJobs([...jobs, jobOf(1), jobOf(2)]);
  await house.poll();
  return house.discord.until(() => house.discord.messages(channel.id)[0], 'the delivery');
}

describe('on a message with one posting', () => {
  test('saves it for anyone, privately, with the link to the message', async () => {
    const card = await delivered(jobOf(3));
    const reader = house.member();
    const saved = await reader.onMessage('Save job', card).reply();
    expect(saved.ephemeral).toBe(true);
    expect(saved.text).toMatch(/Saved: \*\*Rust Engineer 3\*\* \(Firm 3\)/u);
    const list = await slash('/jobs saved', {}, reader);
    expect(JSON.stringify(list.embeds)).toContain(`/${card.channelId}/${card.id}`);
    expect(JSON.stringify(list.embeds)).not.toContain(linkOf(3));
    const undone = await reader.press(saved, 'Undo').replyWhere((one) => one.text.includes('Undone'));
    expect(undone.id).toBe(saved.id);
    expect((await slash('/jobs saved', {}, reader)).text).toMatch(/not saved anything/u);
  });

  test('explains why it came, in the language of who asks', { tags: 'long' }, async () => {
    const card = await delivered(jobOf(3));
    const reader = house.member();
    const why = await reader.onMessage('Why did I get this?', card, { locale: 'de' }).reply();
    expect(why.ephemeral).toBe(true);
    expect(why.text).toContain('Rust Engineer 3');
    expect(why.text).not.toMatch(/because/u);
  });
});

test('on a message with several postings asks which one, also after a restart', {
  tags: 'long',
}, async () => {
  const list = await delivered(...[3, 4, 5, 6, 7, 8].map((id) => jobOf(id)));
  const reader = house.member();
  const asked = await reader.onMessage('Save job', list).reply();
  expect(asked.ephemeral).toBe(true);
  expect(asked.text).toMatch(/^Which posting do you mean\?/u);
  const [menu] = controlsIn(asked.components) as {
    custom_id: string;
    options: { value: string; label: string }[];
  }[];
  expect(menu?.options.map(({ label }) => label).sort()).toEqual(
    [3, 4, 5, 6, 7, 8].map((id) => `Rust Engineer ${id} · Firm ${id}`),
  );
  await house.restartBot();
  const fifth = menu?.options.find(({ label }) => label.includes('5'));
  const saved = await reader
    .select(asked, menu?.custom_id ?? '', [fifth?.value ?? ''])
    .replyWhere((one) => one.text.includes('Saved'));
  expect(saved.id).toBe(asked.id);
  expect(saved.text).toContain('Rust Engineer 5');
});

test('on any other message says what to use it on', { tags: 'long' }, async () => {
  const reply = await slash('/help');
  const refused = await house.admin.onMessage('Save job', reply).reply();
  expect(refused.ephemeral).toBe(true);
  expect(refused.text).toMatch(/has no postings of mine/u);
  // A message of someone else, with a copy of our buttons.
  const card = await delivered(jobOf(3));
  const live = house.discord.allMessages().find((one) => one.id === card.id);
  Object.assign(live as object, { authorId: house.member().id });
  expect((await house.admin.onMessage('Save job', card).reply()).text).toMatch(/has no postings of mine/u);
});

describe('/jobs why', () => {
  const jobs = (typed: string, others: Record<string, string> = {}, user = house.admin) =>
    user.autocomplete('/jobs why', 'job', typed, others, { guild: house.guild });

  test('offers what was found recently, delivered or not, and explains the chosen one', {
    tags: 'long',
  }, async () => {
    await slash('/jobs subscribe', { tags: 'rust', exclude: 'intern', channel: house.guild.channel('jobs') });
    await house.board.setJobs([jobOf(3, { title: 'Rust intern' }), jobOf(1), jobOf(2)]);
    await house.poll();
    await expect.poll(async () => (await jobs('')).map(({ name }) => name)).toContain('Rust intern · Firm 3');
    const [choice, ...others] = await jobs('intern firm');
    expect(others).toEqual([]);
    const [subscription] = await house.services.subscriptions({ account: `discord:${house.admin.id}` });
    const why = await slash('/jobs why', {
      subscription: subscription?.subscription.id ?? '',
      job: String(choice?.value),
    });
    expect(why.text).toMatch(/filtered out by the rule .*without intern/u);
    expect(await jobs('nothing like this')).toEqual([]);
  });

  test("offers another member's postings to no one but managers of the server, and then only of that subscription", async () => {
    const owner = house.discord.addUser();
    house.guild.addMember({ user: owner, permissions: ['MANAGE_CHANNELS'] });
    await house.services.setToken(`discord:${owner.id}`, secret(house.board.token));
    await slash('/jobs subscribe', { tags: 'rust', channel: house.guild.channel('jobs') }, owner);
    await house.board.addJob(jobOf(9, { title: 'Secret design', tags: ['design'] }));
    await slash('/jobs subscribe', { tags: 'design', deliver: 'dm' }, owner);
    const all = await house.services.subscriptions({ account: `discord:${owner.id}` });
    const shared = all.find(({ subscription }) => subscription.guild)?.subscription.id ?? '';
    const dm = all.find(({ subscription }) => !subscription.guild)?.subscription.id ?? '';
    expect((await jobs('', {}, owner)).map(({ name }) => name)).toContain('Secret design · Firm 9');
    const member = house.member();
    for (const subscription of [shared, dm]) expect(await jobs('', { subscription }, member)).toEqual([]);
    const seen = (await jobs('', { subscription: shared })).map(({ name }) => name);
    expect(seen).toContain('Rust Engineer 1 · Firm 1');
    expect(seen).not.toContain('Secret design · Firm 9');
    expect(await jobs('', { subscription: dm })).toEqual([]);
  });
});
