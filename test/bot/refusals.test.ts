// Every refusal of the services has a name, and the bot has a text for each name in every language, so that a reader
// of another language sees no English sentence of the service.
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { refusal } from '../../src/domain/errors.js';
import { type BotHouse, openHouse } from '../helpers/bot-house.js';

let house: BotHouse | undefined;
afterEach(async () => {
  await house?.close();
  house = undefined;
});

test('every refusal of the services has a name', () => {
  const folder = new URL('../../src/services/', import.meta.url);
  const files = readdirSync(folder).map((file) => new URL(file, folder));
  const question = new URL('../../src/sinks/email/confirmations.ts', import.meta.url);
  const sources = [...files, question].map((file) => readFileSync(file, 'utf8'));
  expect(sources.filter((source) => source.includes('refusal(')).length).toBeGreaterThan(3);
  expect(sources.filter((source) => source.includes('new UserError('))).toEqual([]);
});

test('the text contains the number and the command that fixes it', async () => {
  const cap = refusal('capServer', 'This server has 50 subscriptions.', 50);
  house = await openHouse({
    services: (services) => ({ ...services, subscribe: () => Promise.reject(cap) }),
  });
  const { admin, guild } = house;
  for (const [locale, words] of [
    ['es-ES', /^⚠️ Este servidor tiene 50 suscripciones.*<\/jobs remove:\d+>/u],
    ['de', /^⚠️ Dieser Server hat 50 Abos/u],
    ['en-US', /^⚠️ This server has 50 subscriptions, which is the most allowed here/u],
  ] as const) {
    const where = { guild, locale };
    const reply = await admin.slash('/jobs subscribe', { tags: 'rust', deliver: 'dm' }, where).reply();
    expect(reply.ephemeral).toBe(true);
    expect(reply.text).toMatch(words);
  }
});
