// List, show, edit, pause, resume, remove, history, why: by command and by button, before and after a restart, by the
// owner and by managers of the server only.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BotHouse, openHouse } from '../helpers/bot-house.js';
import type { MessageRecord } from '../helpers/discord/types.js';
import { later } from '../helpers/later.js';

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

describe('buttons', () => {
  test('pause and resume in the same message, also after a restart', { tags: 'long' }, async () => {
    const panel = await subscribe();
    await house.restartBot();
    const paused = await house.admin.press(panel, 'Pause').replyWhere(changed(/Paused/u));
    expect(paused.id).toBe(panel.id);
    expect((await only()).state).toBe('paused');
    const resumed = await house.admin.press(paused, 'Resume').replyWhere(changed(/Resumed/u));
    expect((await only()).state).toBe('active');
    expect(resumed.text).toContain('Pause');
  });

  test('pressed twice together have one effect', async () => {
    const panel = await subscribe();
    const id = idOf(panel, 'sub:remove');
    const [first, second] = [house.admin.press(panel, id), house.admin.press(panel, id)];
    await first.replyWhere(changed(/Removed/u));
    await second.acked();
    expect(await mine()).toEqual([]);
    expect(house.logs.filter((line) => line.level === 'error')).toEqual([]);
  });

  test('undo restores a removed subscription once, also after a restart', { tags: 'long' }, async () => {
    const panel = await subscribe({ tags: 'rust, zk', every: 'weekly', at: 'friday 17:00', timezone: 'UTC' });
    const before = (await only()).subscription;
    const removed = await house.admin.press(panel, 'Remove').replyWhere(changed(/Removed/u));
    await house.restartBot();
    const stale = idOf(removed, 'undo');
    const back = await house.admin.press(removed, 'Undo').replyWhere(changed(/Restored/u));
    expect(back.text).toContain('weekly on Friday 17:00 UTC');
    const after = (await only()).subscription;
    expect(after).toMatchObject({ filter: before.filter, guild: before.guild, schedule: before.schedule });
    expect(after.destinations).toEqual(before.destinations);
    expect(stale).not.toBe('');
    expect(await mine()).toHaveLength(1);
  });

  test('of a subscription that was removed answer with a sentence', async () => {
    const panel = await subscribe();
    await slash('/jobs remove', { subscription: (await only()).subscription.id });
    const reply = await house.admin.press(panel, 'Pause').reply();
    expect(reply.id).not.toBe(panel.id);
    expect(reply.ephemeral).toBe(true);
    expect(reply.text).toMatch(/You do not have this subscription/u);
    expect(reply.text).toMatch(/<\/jobs list:\d+>/u);
  });

  test('preview and history answer with a separate message', async () => {
    const panel = await subscribe();
    const preview = await house.admin.press(panel, 'Preview').reply();
    expect(preview.id).not.toBe(panel.id);
    expect(preview.ephemeral).toBe(true);
    expect(preview.text).toMatch(/\*\*2\*\* of 2 current postings match/u);
    const history = await house.admin.press(panel, 'History').reply();
    expect(history.text).toMatch(/started/u);
  });
});

describe('the panel', () => {
  const open = async () => slash('/jobs edit', { subscription: (await only()).subscription.id });

  test('changes the filter in a form with the present values', async () => {
    await subscribe({ tags: 'rust', country: 'germany', min_salary: 90_000 });
    const { id, filter } = (await only()).subscription;
    const terms = ['rather level: senior'];
    const owner = { account: `discord:${house.admin.id}` };
    await house.app.services.edit(owner, id, { filter: { ...filter, terms } });
    const modal = await house.admin.press(await open(), 'What: tags, words, pay').modal();
    const fields = JSON.stringify(modal.components);
    for (const value of ['rust', 'germany', '90000']) expect(fields).toContain(`"value":"${value}"`);
    const done = await house.admin
      .submit(modal, {
        tags: 'solidity, zk',
        country: '',
        include: 'audit, smart contract',
        minSalary: '100k',
      })
      .replyWhere(changed(/Changed/u));
    expect(done.text).toMatch(/Solidity or ZK.*preferably senior/u);
    expect((await only()).subscription.filter).toMatchObject({
      tags: ['solidity', 'zero-knowledge'],
      include: ['audit', 'smart contract'],
      minSalary: 100_000,
    });
    expect((await only()).subscription.filter.country).toBeUndefined();
  });

  test("reports what it can't read and changes nothing", async () => {
    await subscribe();
    const modal = await house.admin.press(await open(), 'What: tags, words, pay').modal();
    const reply = await house.admin.submit(modal, { tags: 'soldity' }).reply();
    expect(reply.text).toMatch(/“soldity”.*solidity/u);
    expect((await only()).subscription.filter.tags).toEqual(['rust']);
  });

  test('switches remote, and keeps the rest', async () => {
    await subscribe({ tags: 'rust', exclude: 'intern' });
    const on = await house.admin
      .press(await open(), 'Remote only: off')
      .replyWhere(changed('Remote only: on'));
    expect((await only()).subscription.filter).toMatchObject({ remote: true, exclude: ['intern'] });
    await house.admin.press(on, 'Remote only: on').replyWhere(changed('Remote only: off'));
    expect((await only()).subscription.filter.remote).toBeUndefined();
  });

  test('changes the cadence: immediately for hourly, by a form for a digest', async () => {
    await subscribe();
    const panel = await open();
    const hourly = await house.admin
      .select(panel, idOf(panel, 'edit-when'), ['hourly'])
      .replyWhere(changed(/hourly/u));
    expect((await only()).subscription.destinations[0]?.cadence.every).toBe('hourly');
    const modal = await house.admin.select(hourly, idOf(hourly, 'edit-when'), ['weekly']).modal();
    const done = await house.admin
      .submit(modal, { at: 'fri 17:30', timezone: 'new york' })
      .replyWhere(changed(/weekly on Friday 17:30 America\/New_York/u));
    const { cadence } = (await only()).subscription.destinations[0] ?? {};
    expect(cadence).toEqual({ every: 'weekly', day: 'friday', at: '17:30', timezone: 'America/New_York' });
    // The zone is remembered for the next form.
    const again = await house.admin.select(done, idOf(done, 'edit-when'), ['daily']).modal();
    expect(JSON.stringify(again.components)).toContain('America/New_York');
  });

  test('changes the place, with the rights of the new place', async () => {
    await subscribe();
    const panel = await open();
    const general = house.guild.channel('general');
    const moved = await house.admin
      .select(panel, idOf(panel, 'edit-where:'), [general.id])
      .replyWhere(changed(`<#${general.id}>`));
    expect((await only()).subscription.destinations[0]?.target).toBe(general.id);
    const quiet = house.discord.addChannel(house.guild, { name: 'quiet', bot: ['VIEW_CHANNEL'] });
    const press = house.admin.select(moved, idOf(moved, 'edit-where:'), [quiet.id]);
    expect((await press.reply()).text).toMatch(/I need \*\*/u);
    await house.admin.press(moved, 'To my direct messages').replyWhere(changed(/by direct message/u));
    expect((await only()).subscription.destinations[0]?.target).toBe(`dm:${house.admin.id}`);
    // A subscription that became private no longer belongs to the server: its managers don't see it, and leaving the
    // server does not end it.
    expect((await only()).subscription.guild).toBeUndefined();
    const back = await open();
    await house.admin
      .select(back, idOf(back, 'edit-where:'), [general.id])
      .replyWhere(changed(`<#${general.id}>`));
    expect((await only()).subscription.guild).toBe(house.guild.id);
  });
});

describe('/jobs manage', () => {
  test('gives a link that only the caller sees, and that works once', async () => {
    const own = await openHouse({ env: { PUBLIC_URL: 'https://crier.example.org' } });
    later(own.close);
    const reply = await own.admin.slash('/jobs manage', {}, { guild: own.guild }).reply();
    expect(reply.ephemeral).toBe(true);
    const [url = ''] =
      /https:\/\/crier\.example\.org\/manage\/[\w.-]+/u.exec(JSON.stringify(reply.components)) ?? [];
    const token = url.split('/').at(-1) as string;
    expect(reply.text).toMatch(/works once and expires <t:\d+:R>/u);
    expect(reply.text).not.toContain(token);
    const cookie = (await own.services.openSession(token))!;
    expect((await own.services.session(cookie))?.account).toBe(`discord:${own.admin.id}`);
    expect(await own.services.openSession(token)).toBeUndefined();
    expect(JSON.stringify(own.logs)).not.toContain(token);
    expect(own.discord.violations).toEqual([]);
  });

  test('says what to use instead when there is no public address', async () => {
    const reply = await house.admin.slash('/jobs manage', {}, { guild: house.guild }).reply();
    expect(reply.text).toMatch(/no such page here/u);
  });
});
