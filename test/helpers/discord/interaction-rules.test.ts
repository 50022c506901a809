// First answers and follow-ups: once, in time, of an allowed kind, within the life of the token.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answer, raw } from './raw-api.js';
import { type Discord, startDiscord } from './start-discord.js';
import type { GuildHandle } from './world.js';

let discord: Discord;
let guild: GuildHandle;

beforeEach(async () => {
  discord = await startDiscord();
  guild = discord.addGuild({ channels: [{ name: 'general' }] });
});

afterEach(() => discord.close());

const row = (...components: unknown[]) => ({ type: 1, components });

describe('interaction answers', () => {
  async function slash() {
    const user = discord.addUser();
    guild.addMember({ user });
    await raw(discord, 'PUT', `/applications/${discord.appId}/commands`, [
      {
        name: 'go',
        description: 'Go',
        options: [{ type: 3, name: 'tag', description: 'Tag', autocomplete: true }],
      },
    ]);
    return { user, record: user.slash('/go', {}, { guild }).record };
  }

  it('are accepted once only', async () => {
    const { record } = await slash();
    expect((await answer(discord, record, 4, { content: 'a' })).status).toBe(204);
    expect((await answer(discord, record, 4, { content: 'b' })).body.code).toBe(40060);
    expect(discord.violations).toEqual([expect.stringContaining('40060')]);
  });

  it('are refused after the deadline', async () => {
    const { record } = await slash();
    record.dispatchedAt -= 3001;
    expect((await answer(discord, record, 5)).body.code).toBe(10062);
    expect(discord.violations).toEqual([expect.stringContaining('10062')]);
  });

  it.each([1, 6, 7, 8, 10])('of type %i do not fit a command', async (type) => {
    const { record } = await slash();
    expect((await answer(discord, record, type, { content: 'a' })).body.code).toBe(50035);
    expect(record.ackedAt).toBeNull();
  });

  it('report field errors below data, and can then be repeated', async () => {
    const { record } = await slash();
    const { body } = await answer(discord, record, 4, { content: 'x'.repeat(2001) });
    expect(body.errors.data.content._errors[0].code).toBe('BASE_TYPE_MAX_LENGTH');
    expect((await answer(discord, record, 4, { content: 'a' })).status).toBe(204);
  });

  it('check modals', async () => {
    const { record } = await slash();
    const input = { type: 4, custom_id: 'a', label: 'x'.repeat(46), style: 1 };
    const { body } = await answer(discord, record, 9, {
      title: 'x'.repeat(46),
      custom_id: 'm',
      components: [row(input)],
    });
    expect(body.errors.data.title).toBeDefined();
    expect(body.errors.data.components[0].components[0].label).toBeDefined();
  });

  it('show the defaults of menus in a modal, which are sent if no one changes them', async () => {
    const { user, record } = await slash();
    const options = [
      { value: 'a', label: 'A' },
      { value: 'b', label: 'B', default: true },
    ];
    const label = (component: object) => ({ type: 18, label: 'x', component });
    const modal = {
      title: 'm',
      custom_id: 'm',
      components: [
        label({ type: 3, custom_id: 'menu', options }),
        label({ type: 6, custom_id: 'role', required: false, default_values: [{ id: '1', type: 'role' }] }),
      ],
    };
    await answer(discord, record, 9, modal);
    const shown = { interactionId: record.id, customId: 'm', title: 'm', components: modal.components };
    expect(user.submit(shown, {}).record.payload.data).toMatchObject({
      components: [{ component: { values: ['b'] } }, { component: { values: ['1'] } }],
    });
    expect(user.submit(shown, { menu: 'a', role: [] }).record.payload.data).toMatchObject({
      components: [{ component: { values: ['a'] } }, { component: { values: [] } }],
    });
  });

  it('check autocomplete choices', async () => {
    const { user } = await slash();
    const choices = user.autocomplete('/go', 'tag', '', {}, { guild });
    const record = discord.interactions.at(-1)!;
    const many = Array.from({ length: 26 }, (_, i) => ({ name: `${i}`, value: `${i}` }));
    expect((await answer(discord, record, 8, { choices: many })).body.code).toBe(50035);
    expect(
      (await answer(discord, record, 8, { choices: [{ name: 'x'.repeat(101), value: 'a' }] })).body.code,
    ).toBe(50035);
    expect((await answer(discord, record, 8, { choices: many.slice(0, 25) })).status).toBe(204);
    expect(await choices).toHaveLength(25);
  });

  it('need an acknowledgement before follow-ups, and end with the token', async () => {
    const { record } = await slash();
    const path = `/webhooks/${discord.appId}/${record.token}`;
    const body = { content: 'a', allowed_mentions: { parse: [] } };
    expect((await raw(discord, 'POST', path, body)).body.code).toBe(10015);
    await answer(discord, record, 5, { flags: 64 });
    expect((await raw(discord, 'PATCH', `${path}/messages/@original`, body)).body.flags).toBe(64);
    record.dispatchedAt -= 15 * 60_000;
    expect((await raw(discord, 'POST', path, body)).body).toMatchObject({ code: 50027 });
  });
});
