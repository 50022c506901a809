// Typed input is kept: a mistake opens a form that contains it, an unusable place can be replaced by another, and a
// subscription that lacks a token is created when the token is set. Only for the person who typed it.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import { type BotHouse, openHouse } from '../helpers/bot-house.js';
import type { MessageRecord } from '../helpers/discord/types.js';

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
const subscribe = (options: Parameters<Slash>[1], user = house.admin) =>
  slash('/jobs subscribe', options, user);
const stored = (user = house.admin) => house.app.services.subscriptions({ account: `discord:${user.id}` });
const said = (text: string) => (message: MessageRecord) => message.text.includes(text);

/** The fields of a shown form, by custom_id. */
function valuesOf(modal: { components: readonly unknown[] }): Record<string, unknown> {
  const lines = modal.components as { component: { custom_id: string; value?: string } }[];
  return Object.fromEntries(lines.map(({ component }) => [component.custom_id, component.value ?? '']));
}

/** Lets another person press a button of a private message, which Discord itself would not. */
function expose(message: MessageRecord): void {
  const live = house.discord.allMessages().find((one) => one.id === message.id);
  Object.assign(live as object, { flags: 0, ephemeralFor: null });
}

describe('a mistake in /jobs subscribe', () => {
  const channel = () => house.guild.channel('jobs');

  test('opens a form with the typed input, and the corrected one is subscribed with all the rest', {
    tags: 'long',
  }, async () => {
    const wrong = await subscribe({
      tags: 'rust, solidty',
      country: 'germny',
      exclude: 'intern',
      remote: true,
      every: 'weekly',
      at: 'moonday 9',
      channel: channel(),
    });
    expect(wrong.text).toMatch(/“solidty”[\s\S]*“germny”[\s\S]*“moonday 9”/u);
    expect(await stored()).toEqual([]);
    await house.restartBot();
    const modal = await house.admin.press(wrong, 'Correct it').modal();
    expect(valuesOf(modal)).toEqual({
      tags: 'rust, solidty',
      country: 'germny',
      at: 'moonday 9',
      exclude: 'intern',
    });
    const still = await house.admin
      .submit(modal, { tags: 'rust', country: 'germany', at: 'moonday 9' })
      .replyWhere((message) => !message.text.includes('germny'));
    expect(still.text).toContain('“moonday 9”');
    const last = await house.admin.press(still, 'Correct it').modal();
    expect(valuesOf(last)).toMatchObject({ at: 'moonday 9', tags: 'rust', country: 'germany' });
    const question = await house.admin
      .submit(last, { at: 'monday 9:00' })
      .replyWhere(said('Which time zone'));
    const menu = question.components[0] as { components: { custom_id: string }[] };
    const done = await house.admin
      .select(question, menu.components[0]?.custom_id ?? '', ['Europe/Berlin'])
      .replyWhere(said('Understood'));
    expect(done.text).toContain('weekly on Monday 09:00 Europe/Berlin');
    const [report, ...others] = await stored();
    expect(others).toEqual([]);
    expect(report?.subscription).toMatchObject({
      filter: { tags: ['rust'], country: 'germany', remote: true, exclude: ['intern'] },
      destinations: [{ target: channel().id }],
    });
  });

  test('an emptied field removes the wish, and a second corrected form does nothing', async () => {
    const wrong = await subscribe({ tags: 'rust', country: 'germny', channel: channel() });
    const modal = await house.admin.press(wrong, 'Correct it').modal();
    const stale = await house.admin.press(wrong, 'Correct it').modal();
    await house.admin.submit(modal, { country: '' }).replyWhere(said('Understood'));
    const [twice] = await house.admin.submit(stale, { country: '' }).followUpsOf(1);
    expect(twice?.text).toMatch(/already answered/u);
    expect((await stored()).map((one) => one.subscription.filter.country)).toEqual([undefined]);
  });

  test("replaces a place that can't be used, and keeps everything else", { tags: 'long' }, async () => {
    const user = house.member();
    await house.app.services.setToken(`discord:${user.id}`, secret(house.board.token));
    const refused = await subscribe({ tags: 'rust', channel: channel() }, user);
    expect(refused.text).toMatch(/You need Manage Channels/u);
    const menu = refused.components
      .flatMap((row) => row.components as { type: number; custom_id: string }[])
      .find((one) => one.type === 8);
    // The right is checked again: another channel helps no more than the first.
    const again = await user
      .select(refused, menu?.custom_id ?? '', [house.guild.channel('general').id])
      .replyWhere(said(house.guild.channel('general').id));
    expect(again.text).toMatch(/You need Manage Channels/u);
    const done = await user.press(again, 'To my direct messages').replyWhere(said('Understood'));
    expect(done.text).toContain('by direct message');
    expect(await stored(user)).toHaveLength(1);
  });

  test("leaves out a role that can't be mentioned, by a button", async () => {
    const role = house.guild.role('@everyone');
    const refused = await subscribe({ tags: 'rust', channel: channel(), mention: role });
    expect(refused.text).toMatch(/do not mention everyone/u);
    const done = await house.admin.press(refused, 'Without the mention').replyWhere(said('Understood'));
    expect(done.text).toContain(`<#${channel().id}>`);
    expect((await stored())[0]?.subscription.destinations[0]?.options).toBeUndefined();
  });

  test('can change the place also after the question for the time zone, and keeps the zone', {
    tags: 'long',
  }, async () => {
    house.admin.record.dmClosed = true;
    const question = await subscribe({ tags: 'rust', exclude: 'intern', every: 'daily', deliver: 'dm' });
    const menu = question.components[0] as { components: { custom_id: string }[] };
    const closed = await house.admin
      .select(question, menu.components[0]?.custom_id ?? '', ['Europe/Berlin'])
      .replyWhere(said('does not let me write to you'));
    expect(await stored()).toEqual([]);
    house.admin.record.dmClosed = false;
    const done = await house.admin.press(closed, 'To my direct messages').replyWhere(said('Understood'));
    expect(done.text).toMatch(/Rust, without intern.*by direct message, daily at 09:00 Europe\/Berlin/u);
  });

  test('can send the form again if the jobs board gave no answer', { tags: 'long' }, async () => {
    const wrong = await subscribe({ tags: 'solidty', exclude: 'intern', channel: channel() });
    const modal = await house.admin.press(wrong, 'Correct it').modal();
    house.front.answer({ status: 503 });
    const [away] = await house.admin.submit(modal, { tags: 'solidity' }).followUpsOf(1);
    expect(away?.text).toMatch(/does not answer/u);
    house.front.answer(undefined);
    const again = await house.admin.press(wrong, 'Correct it').modal();
    await house.admin.submit(again, { tags: 'solidity' }).replyWhere(said('Understood'));
    expect(await stored()).toHaveLength(1);
  });

  test("can't be corrected by another person", async () => {
    const wrong = await subscribe({ tags: 'solidty', channel: channel() });
    expose(wrong);
    const other = house.member();
    const reply = await other.press(wrong, 'Correct it').reply();
    expect(reply.ephemeral).toBe(true);
    expect(reply.text).toMatch(/belongs to someone else/u);
    const modal = await house.admin.press(wrong, 'Correct it').modal();
    const opener = house.discord.interactions.find((one) => one.id === modal.interactionId);
    Object.assign(opener as object, { userId: other.id });
    const sent = await other.submit(modal, { tags: 'rust' }).reply();
    expect(sent.text).toMatch(/belongs to someone else/u);
    expect([await stored(), await stored(other)]).toEqual([[], []]);
  });
});

test('also keeps the input of /jobs preview and /email set, and of the forms of /jobs edit and the zone', {
  tags: 'long',
}, async () => {
  const preview = await slash('/jobs preview', { tags: 'solidty', include: 'zk' });
  const form = await house.admin.press(preview, 'Correct it').modal();
  expect(valuesOf(form)).toEqual({ tags: 'solidty', include: 'zk' });
  await house.admin.submit(form, { tags: 'rust', include: '' }).replyWhere(said('current postings match'));

  await subscribe({ tags: 'rust', channel: house.guild.channel('jobs') });
  const panel = await slash('/jobs edit', { subscription: 'rust' });
  const what = await house.admin.press(panel, 'What: tags, words, pay').modal();
  const wrong = await house.admin
    .submit(what, { tags: 'rust, solidty', exclude: 'intern', minSalary: 'lots' })
    .reply();
  expect(wrong.text).toMatch(/“solidty”[\s\S]*“lots”/u);
  const again = await house.admin.press(wrong, 'Correct it').modal();
  expect(valuesOf(again)).toMatchObject({ tags: 'rust, solidty', exclude: 'intern', minSalary: 'lots' });
  await house.admin.submit(again, { tags: 'rust, solidity', minSalary: '80k' }).replyWhere(said('Changed'));
  expect((await stored())[0]?.subscription.filter).toMatchObject({
    tags: ['rust', 'solidity'],
    exclude: ['intern'],
    minSalary: 80_000,
  });
});

describe('without a token', () => {
  const OPTIONS = () => ({ tags: 'rust', exclude: 'intern', channel: house.guild.channel('jobs') });

  async function manager() {
    const user = house.discord.addUser();
    house.guild.addMember({ user, permissions: ['MANAGE_CHANNELS'] });
    return user;
  }

  test('creates the subscription as soon as the token is set by the button', async () => {
    const user = await manager();
    const asked = await subscribe(OPTIONS(), user);
    expect(asked.text).toMatch(/no API token yet[\s\S]*Your input is saved/u);
    await house.restartBot();
    const modal = await user.press(asked, 'Set token').modal();
    const failed = await user.submit(modal, { token: 'wrong-token' }).reply();
    expect(failed.text).toMatch(/does not accept this token/u);
    const retry = await user.press(failed, 'Set token').modal();
    expect(valuesOf(retry)).toEqual({ token: '' });
    const done = await user.submit(retry, { token: house.board.token }).reply();
    expect(done.text).toMatch(/works and is stored[\s\S]*Understood[\s\S]*Rust/u);
    const [report, ...others] = await stored(user);
    expect(others).toEqual([]);
    expect(report?.subscription).toMatchObject({
      filter: { exclude: ['intern'] },
      destinations: [{ target: house.guild.channel('jobs').id }],
    });
    // Nothing waits any more: another token creates nothing.
    const renewed = await user.slash('/token set', {}, { guild: house.guild }).modal();
    expect((await user.submit(renewed, { token: house.board.token }).reply()).text).not.toContain(
      'Understood',
    );
  });

  test('continues where it was started when the token is set elsewhere by /token set, and checks the rights again', async () => {
    const user = await manager();
    const { channel: _here, ...options } = OPTIONS();
    const asked = await subscribe({ ...options, deliver: 'channel' }, user);
    const elsewhere = await user.slash('/token set').modal();
    const set = await user.submit(elsewhere, { token: house.board.token }).reply();
    expect(set.text).toMatch(/Continue in <#\d+>/u);
    expect(await stored(user)).toEqual([]);
    const done = await user.press(asked, 'Set token').reply();
    expect(done.text).toContain('Understood');
    expect(await stored(user)).toHaveLength(1);
  });

  test.each([
    ['not be tested', '', 0, /could not be tested[\s\S]*Press “Continue”/u],
    [
      'be tested, but not the filter',
      'rust',
      1,
      /works and is stored[\s\S]*does not answer[\s\S]*“Continue”/u,
    ],
  ])('a token that could %s: keeps the input, and a button continues', async (_name, only, after, words) => {
    const user = await manager();
    const asked = await subscribe(OPTIONS(), user);
    const modal = await user.press(asked, 'Set token').modal();
    house.front.answer({ status: 503 }, only);
    const before = house.front.asked.length;
    const told = await user.submit(modal, { token: house.board.token }).reply();
    expect(told.text).toMatch(words);
    expect(house.front.asked.length - before).toBe(1 + after);
    expect(await stored(user)).toEqual([]);
    house.front.answer(undefined, only);
    await house.restartBot();
    const done = await user.press(told, 'Continue').reply();
    expect(done.text).toContain('Understood');
    expect((await stored(user))[0]?.subscription.filter.exclude).toEqual(['intern']);
  });

  test('reports a mistake in the kept input after the token is set, and it can be corrected', async () => {
    const user = await manager();
    const asked = await subscribe({ ...OPTIONS(), tags: 'solidty' }, user);
    const modal = await user.press(asked, 'Set token').modal();
    const told = await user.submit(modal, { token: house.board.token }).reply();
    expect(told.text).toMatch(/works and is stored[\s\S]*“solidty”/u);
    const form = await user.press(told, 'Correct it').modal();
    await user.submit(form, { tags: 'solidity' }).replyWhere(said('Understood'));
  });

  test('stores no token, is in the export, and is deleted by /privacy erase', async () => {
    const user = await manager();
    await subscribe(OPTIONS(), user);
    const misc = async () => {
      const found = [];
      for await (const [key, value] of house.app.pipeline.stores.misc.entries())
        if (key.endsWith(user.id)) found.push(JSON.stringify([key, value]));
      return found;
    };
    expect(await misc()).toHaveLength(1);
    await subscribe(OPTIONS(), user);
    expect(await misc()).toHaveLength(1);
    expect((await misc()).join()).not.toContain(house.board.token);
    const asked = await slash('/privacy erase', {}, user);
    await user.press(asked, 'Delete everything').replyWhere(said('deleted'));
    expect(await misc()).toEqual([]);
  });
});
