// The language of postings: public ones use that of the server, private ones that of the person, and both the chosen
// one if there is one.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { textsFor } from '../../src/render/texts.js';
import { type BotHouse, jobOf, openHouse } from '../helpers/bot-house.js';
import type { GuildHandle } from '../helpers/discord/world.js';

let house: BotHouse;
let guild: GuildHandle;
const inServer = (locale: string) =>
  house.discord.addGuild({
    channels: [{ name: 'jobs' }, { name: 'more' }],
    members: [{ user: house.admin, permissions: ['MANAGE_CHANNELS'] }],
    preferredLocale: locale,
  });
beforeAll(async () => {
  house = await openHouse();
});
beforeEach(async () => {
  await house.newServer();
  guild = inServer('de');
});
afterEach(() => {
  expect(house.discord.violations).toEqual([]);
});
afterAll(() => house.close());

const subscribe = (options: Parameters<BotHouse['admin']['slash']>[1] = {}, where = guild) =>
  house.admin.slash('/jobs subscribe', { tags: 'rust', ...options }, { guild: where }).reply();
const latest = async () =>
  (await house.app.services.subscriptions({ account: `discord:${house.admin.id}` })).at(-1)?.subscription;
/** The language of the card about a job, by the label of its first button. */
async function cardIn(channel: string, id: number): Promise<string | undefined> {
  const text = await house.discord.until(
    () => house.discord.messages(channel).find((one) => one.text.includes(`Rust Engineer ${id}`))?.text,
    `the card of ${id}`,
  );
  return ['en', 'de', 'es'].find((code) => text.includes(`\n${textsFor(code).card.save}\n`));
}

test('a channel uses the language of its server, and the answer that of the person', {
  tags: 'long',
}, async () => {
  const reply = await subscribe({ channel: guild.channel('jobs') });
  expect(reply.text).toMatch(/Understood/u);
  expect((await latest())?.locale).toBe('de');
  const french = inServer('fr');
  await subscribe({ channel: french.channel('jobs') }, french);
  await subscribe({ channel: guild.channel('more'), language: 'es' });
  expect((await latest())?.locale).toBe('es');
  await house.board.addJob(jobOf(7));
  await house.poll();
  expect(await cardIn(guild.channel('jobs').id, 7)).toBe('de');
  expect(await cardIn(guild.channel('more').id, 7)).toBe('es');
  expect(await cardIn(french.channel('jobs').id, 7)).toBe('en');
});

test('direct messages use the language of the person, unless another one was chosen', {
  tags: 'long',
}, async () => {
  house.admin.record.locale = 'es-ES';
  await subscribe({ deliver: 'dm' });
  expect((await latest())?.locale).toBe('es-ES');
  await house.board.addJob(jobOf(8));
  await house.poll();
  const card = () => house.admin.dms().find(({ text }) => text.includes('Rust Engineer 8'));
  expect((await house.discord.until(card, 'the card')).text).toContain(textsFor('es').card.save);
  await subscribe({ deliver: 'dm', tags: 'solidity', language: 'en' });
  expect((await latest())?.locale).toBe('en');
});

test('the language can be changed later, by the command and in the panel, and the next card uses it', async () => {
  await subscribe({ channel: guild.channel('jobs') });
  const id = (await latest())?.id ?? '';
  const panel = await house.admin
    .slash('/jobs edit', { subscription: id, language: 'es' }, { guild })
    .reply();
  expect(panel.text).toMatch(/Changed/u);
  expect((await latest())?.locale).toBe('es');
  const edit = `edit-language:${id}@${house.admin.id}`;
  await house.admin.select(panel, edit, ['en']).replyWhere((one) => one.text.includes('Changed'));
  expect((await latest())?.locale).toBe('en');
  await house.board.addJob(jobOf(9));
  await house.poll();
  expect(await cardIn(guild.channel('jobs').id, 9)).toBe('en');
});

test('the language changes with a move between a channel and direct messages', { tags: 'long' }, async () => {
  await subscribe({ channel: guild.channel('jobs'), language: 'es' });
  const id = (await latest())?.id ?? '';
  const panel = await house.admin.slash('/jobs edit', { subscription: id }, { guild }).reply();
  const where = (kind: string) => `edit-where:${id}:${kind}@${house.admin.id}`;
  const done = (text: string) => (one: { text: string }) =>
    one.text.includes('Changed') && one.text.includes(text);
  await house.admin
    .select(panel, where('channel'), [guild.channel('more').id])
    .replyWhere(done(guild.channel('more').id));
  expect((await latest())?.locale).toBe('es');
  await house.admin.press(panel, where('dm')).replyWhere(done('by direct message'));
  expect((await latest())?.locale).toBe('en-US');
  await house.admin
    .select(panel, where('channel'), [guild.channel('jobs').id])
    .replyWhere(done(guild.channel('jobs').id));
  expect((await latest())?.locale).toBe('de');
});
