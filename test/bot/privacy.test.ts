// Only a person can export and delete what is stored about them, in every table.

// Loaded first, as the feed may be; it then handles the requests of discord.js too.
import 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type BotHouse, jobOf, openHouse } from '../helpers/bot-house.js';

let house: BotHouse;
beforeAll(async () => {
  house = await openHouse();
});
beforeEach(() => house.newServer());
afterEach(() => {
  expect(house.discord.violations).toEqual([]);
});
afterAll(() => house.close());

const slash = (
  command: string,
  options: Parameters<BotHouse['admin']['slash']>[1] = {},
  user = house.admin,
) => user.slash(command, options, { guild: house.guild }).reply();

/** Everything in the store that names the person. */
async function traces(id: string): Promise<string[]> {
  const { stores } = house.app.pipeline;
  const found: string[] = [];
  const look = (table: string, key: string, value: unknown) => {
    if (`${key} ${JSON.stringify(value)}`.includes(id)) found.push(`${table} ${key}`);
  };
  for await (const account of stores.accounts.list()) look('accounts', account.id, account);
  for await (const one of stores.subscriptions.list()) look('subscriptions', one.id, one);
  for (const name of ['rejections', 'notices', 'marks', 'misc', 'cache'] as const)
    for await (const [key, value] of stores[name].entries()) look(name, key, value);
  const { history } = stores;
  for (const posting of await history.archived(`discord:${id}`, 90, Date.now())) look('history', id, posting);
  return found;
}

/** A person with something in every table. */
async function busy(): Promise<void> {
  const { admin, guild, board, discord } = house;
  const channel = guild.channel('jobs');
  await slash('/jobs subscribe', { tags: 'rust', channel });
  await board.addJob(jobOf(3));
  await house.poll();
  const card = await discord.until(() => discord.messages(channel.id)[0], 'a card');
  await admin.press(await admin.press(card, '···').reply(), 'Not for me').reply();
  await slash('/jobs subscribe', { tags: 'rust', every: 'weekly' });
  await slash('/jobs subscribe', { tags: 'solidity' });
  await slash('/jobs remove', { subscription: 'solidity' });
}

test('exports a file to the person only, with everything but the token', async () => {
  await busy();
  const reply = await slash('/privacy export');
  expect(reply.ephemeral).toBe(true);
  expect(reply.files).toHaveLength(1);
  const [file] = reply.files;
  expect(file?.name).toBe('jobcrier-export.json');
  const text = file?.data.toString() ?? '';
  expect(text).not.toContain(house.board.token);
  const data = JSON.parse(text);
  expect(data.account.id).toBe(`discord:${house.admin.id}`);
  expect(data.subscriptions).toHaveLength(1);
  expect(data.marks.postings).toBeDefined();
  // The question for a zone, and the removed subscription that can still be restored.
  expect(data.unfinished).toHaveLength(1);
  expect(data.removed).toHaveLength(1);
});

test('compresses a large export so that Discord accepts it', async () => {
  const { exportAccount } = house.app.services;
  await house.newBot({
    services: {
      ...house.app.services,
      exportAccount: async (id) => ({ ...((await exportAccount(id)) as object), pad: 'x'.repeat(9_000_000) }),
    },
  });
  await house.bot.start();
  await house.discord.until(() => house.bot.health().commands, 'the bot');
  const [file] = (await slash('/privacy export')).files;
  expect(file?.name).toBe('jobcrier-export.json.gz');
  expect(file?.data.length).toBeLessThan(1_000_000);
});

test('asks before the deletion, can be declined, and then deletes everything of the person', async () => {
  await busy();
  const { admin } = house;
  expect((await traces(admin.id)).length).toBeGreaterThan(4);
  const first = await slash('/privacy erase');
  expect(first.ephemeral).toBe(true);
  await admin
    .press(first, 'Keep my data')
    .replyWhere((message) => message.text.includes('Nothing was deleted'));
  expect((await traces(admin.id)).length).toBeGreaterThan(4);
  const question = await slash('/privacy erase');
  await house.restartBot();
  const done = await admin
    .press(question, 'Delete everything')
    .replyWhere((message) => message.text.includes('is deleted'));
  expect(done.text).not.toContain('Delete everything');
  expect(await traces(admin.id)).toEqual([]);
  expect((await slash('/token status')).text).toMatch(/no API token here/u);
  expect((await slash('/jobs list')).text).toMatch(/no subscriptions/u);
});

test('does not delete another person', async () => {
  const question = await slash('/privacy erase');
  Object.assign(house.discord.allMessages().find((one) => one.id === question.id) as object, {
    flags: 0,
    ephemeralFor: null,
  });
  const other = house.member();
  const reply = await other.press(question, 'Delete everything').reply();
  expect(reply.ephemeral).toBe(true);
  expect(reply.text).toMatch(/belongs to someone else/u);
  expect((await slash('/token status')).text).toMatch(/is set and was accepted/u);
});

test('help shows three steps and marks those that are done', async () => {
  const newcomer = house.member();
  const first = await slash('/help', {}, newcomer);
  expect(first.ephemeral).toBe(true);
  expect(first.text).toMatch(/1\. Your token[\s\S]*2\. Preview[\s\S]*3\. Subscribe/u);
  expect(first.text).toMatch(/<\/token set:\d+>/u);
  expect(first.text).toContain('Set token');
  const later = await slash('/help');
  expect(later.text).toMatch(/1\. Your token.*✅/u);
  expect(later.text).not.toContain('Set token');
});
