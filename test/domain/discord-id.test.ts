// Discord's ids in settings, account names and texts.
import { expect, test } from 'vitest';
import { discordId, discordUser, withoutDiscordIds } from '../../src/domain/discord-id.js';

const [SHORT, LONG] = ['12345678901234567', '12345678901234567890'];

test('17 to 20 digits are an id', () => {
  expect([SHORT, LONG].map(discordId)).toEqual([SHORT, LONG]);
  for (const value of [SHORT.slice(1), `${LONG}1`, `x${SHORT}`, `${SHORT} `, Number(SHORT), undefined])
    expect(discordId(value)).toBeUndefined();
});

test('an account of a Discord user names that user', () => {
  expect(discordUser(`discord:${SHORT}`)).toBe(SHORT);
  for (const account of [SHORT, `other:${SHORT}`, 'discord:', 'discord:12', 'operator'])
    expect(discordUser(account)).toBeUndefined();
});

test('every id in a text is replaced, other numbers are not', () => {
  expect(withoutDiscordIds(`<@${SHORT}> in <#${LONG}>, 2026`, 'ID')).toBe('<@ID> in <#ID>, 2026');
});
