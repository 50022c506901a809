// The access key by slash command: shown once to its owner, reported without the key, revoked.
import { afterEach, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import { type BotHouse, openHouse } from '../helpers/bot-house.js';

let house: BotHouse;
afterEach(async () => {
  expect(house.discord.violations).toEqual([]);
  await house.close();
});

const slash = (command: string, options: Parameters<BotHouse['admin']['slash']>[1] = {}) =>
  house.admin.slash(command, options, { guild: house.guild }).reply();
const keyIn = (text: string) => /`(jobcrier_[\w-]+)`/u.exec(text)?.[1] ?? '';

test('a key is made, replaced and revoked, and only its owner sees it, once', async () => {
  house = await openHouse({ env: { PUBLIC_URL: 'https://crier.example.org' } });
  const account = `discord:${house.admin.id}`;
  expect((await slash('/agent status')).text).toMatch(/You have no access key/u);
  const made = await slash('/agent key');
  expect(made.ephemeral).toBe(true);
  expect(made.text).toMatch(/can change nothing.*https:\/\/crier\.example\.org\/mcp/su);
  const opened = (text: string) => house.app.services.openAccessKey(secret(keyIn(text)));
  expect(await opened(made.text)).toEqual({ account, write: false });

  const writing = await slash('/agent key', { access: 'write' });
  expect(writing.text).toMatch(/add and pause subscriptions/u);
  expect(await opened(made.text)).toBeUndefined();
  expect(await opened(writing.text)).toEqual({ account, write: true });

  const status = await slash('/agent status');
  expect(status.text).toMatch(/access key since <t:\d+:D>.*add and pause/su);
  expect(keyIn(status.text)).toBe('');
  expect((await slash('/agent remove')).text).toMatch(/is revoked/u);
  expect(await opened(writing.text)).toBeUndefined();
  expect((await slash('/agent remove')).text).toMatch(/You have no access key/u);
  expect(JSON.stringify(house.logs)).not.toContain('jobcrier_');
});

test('without a public address, the answer says who knows it', async () => {
  house = await openHouse();
  expect((await slash('/agent key')).text).toMatch(/the operator of this bot knows the address/u);
});
