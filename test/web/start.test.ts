// The public start page over real HTTP: when it is there, what it says, and the link that invites the bot.
import { afterEach, describe, expect, test } from 'vitest';
import { startDiscord } from '../helpers/discord/start-discord.js';
import { later } from '../helpers/later.js';
import { type OperatorHouse, openOperatorHouse } from '../helpers/operator-house.js';
import { until } from '../helpers/until.js';

let house: OperatorHouse | undefined;
afterEach(async () => {
  await house?.close();
  house = undefined;
});

async function open(env: Record<string, string>): Promise<OperatorHouse> {
  house = await openOperatorHouse({ env });
  return house;
}

const PUBLIC = { PUBLIC_URL: 'https://crier.example.org' };

describe('the start page', () => {
  test('is not there without a public address', async () => {
    const { visit } = await open({});
    const answer = await visit('/');
    expect(answer.status).toBe(404);
    expect(await answer.text()).toBe(await (await visit('/no/such/page')).text());
  });

  test.each([
    ['en', 'Postings come from', 'Everything works.', 'sets up the subscriptions'],
    ['de', 'Die Stellen kommen von', 'Alles funktioniert.', 'richtet die Abos ein'],
    ['es', 'Las ofertas vienen de', 'Todo funciona.', 'configura las suscripciones'],
  ])('says what this is, in %s, and nothing about subscriptions', async (locale, ...sentences) => {
    const { visit } = await open(PUBLIC);
    const answer = await visit('/', { headers: { 'accept-language': locale } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const page = await answer.text();
    expect(page).toContain(`<html lang="${locale}`);
    for (const sentence of [...sentences, 'Example Jobs']) expect(page).toContain(sentence);
    expect(page).not.toContain('hook');
    expect(page).not.toContain('discord.com');
  });

  test('says that it does not work while the store is away', async () => {
    const { visit, app } = await open(PUBLIC);
    await app.pipeline.stores.close();
    const broken = async () => (await (await visit('/')).text()).includes('Not working at the moment');
    await until(broken, { what: 'the page to say so', timeoutMs: 20_000 });
  });

  test('invites the bot with the rights that docs/discord.md asks for, once it is connected', async () => {
    const discord = await startDiscord();
    later(() => discord.close());
    const { visit } = await open({
      ...PUBLIC,
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
    });
    const page = await until(
      async () => {
        const text = await (await visit('/')).text();
        return text.includes('Add the bot to Discord') ? text : '';
      },
      { what: 'the link', timeoutMs: 20_000 },
    );
    const [, link = ''] = /<a class="button" href="([^"]+)"/u.exec(page) ?? [];
    const { origin, pathname, searchParams } = new URL(link.replaceAll('&amp;', '&'));
    expect(origin + pathname).toBe('https://discord.com/oauth2/authorize');
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: expect.stringMatching(/^\d+$/u),
      scope: 'bot applications.commands',
      permissions: '274877991936',
    });
    expect(page).toContain('/help');
    expect(page).not.toContain(discord.token);
  });

  test('has no such link when only the owner of the bot can add it', async () => {
    const discord = await startDiscord({ botPublic: false });
    later(() => discord.close());
    const { visit } = await open({
      ...PUBLIC,
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
    });
    await discord.ready(20_000);
    await discord.until(
      () => discord.requests.some(({ path, status }) => path.endsWith('/applications/@me') && status === 200),
      'the application to be read',
    );
    expect(await (await visit('/')).text()).not.toContain('Add the bot to Discord');
  });
});
