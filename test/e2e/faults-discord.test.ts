// Discord refuses a place for good, or loses a message: the first parks that one place and notifies its owner, the
// second is retried under the same nonce, so that there is one message in the end.
import { expect, test } from 'vitest';
import type { Fault } from '../helpers/discord/faults.js';
import { startDiscord } from '../helpers/discord/start-discord.js';
import { holding } from '../helpers/discord-cards.js';
import { later } from '../helpers/later.js';
import { tenants } from '../helpers/tenants.js';

const TIMEOUT = { timeout: 270_000 };
const EVERY_SECOND = '* * * * * *';
const to = (target: string) => `{ sink: discord, target: "${target}", cadence: immediate }`;

test(
  '50001, 50013, 10003, 50007: that place parks at the first refusal, its owner is notified once, and others continue',
  TIMEOUT,
  async () => {
    const discord = await startDiscord();
    later(() => discord.close());
    const names = ['unseen', 'readonly', 'deleted', 'fine'];
    const guild = discord.addGuild({ channels: names.map((name) => ({ name })) });
    const [first, second, third, closed] = Array.from({ length: 4 }, () =>
      discord.addUser({ installed: true }),
    );
    if (!first || !second || !third || !closed) throw new Error('no users');
    const users = [first, second, third, closed];
    const accounts = users.map((user) => `discord:${user.record.id}`);
    const channels = names.map((name) => guild.channel(name).id);
    const targets = [...channels.slice(0, 3), `dm:${closed.record.id}`];
    const all = await tenants(
      Object.fromEntries(accounts.map((account) => [account, EVERY_SECOND])),
      { DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl },
      {
        ...Object.fromEntries(accounts.map((account, n) => [account, to(String(targets[n]))])),
        operator: to(String(channels[3])),
      },
    );
    const program = all.run();
    await all.settled(program);
    await program.until('the bot', () => program.json().some(({ msg }) => msg === 'commands registered'));
    const [unseen = '', readonly = '', deleted = '', fine = ''] = channels;
    discord.setPermissions(unseen, 'bot', []);
    discord.setPermissions(readonly, 'bot', ['VIEW_CHANNEL']);
    discord.deleteChannel(deleted);
    closed.record.dmClosed = true;
    const notices = () => program.json().filter(({ msg }) => msg === 'owner notice');
    for (const id of [2, 3, 4]) {
      await all.post(program, id);
      await program.until('the notices', () => notices().length === 4);
      const delivered = () => holding(discord.messages(fine), `x${id}?`) > 0;
      await program.until(`posting ${id} where all is well`, delivered);
      for (const account of accounts)
        await program.until(`posting ${id} by webhook`, () => all.got(account).includes(`Position ${id}`));
    }
    expect(
      notices()
        .map(({ account, kind, reached }) => [account, kind, reached])
        .sort(),
    ).toEqual(accounts.map((account, n) => [account, 'destination', n < 3]).sort());
    for (const user of users.slice(0, 3)) expect(user.dms()).toHaveLength(1);
    expect(closed.dms()).toEqual([]);
    expect(discord.messages(fine)).toHaveLength(3);
    // One refusal for each place: a person with closed direct messages is not notified there.
    const refused = discord.requests.filter(({ status }) => status === 403 || status === 404);
    expect(refused).toHaveLength(4);
    expect(discord.violations).toEqual([]);
    const why = await all.house.command(
      ['why', '--subscription', `sub-${accounts[0]?.replace(':', '-')}`, '--posting', 'id:4', '--json'],
      all.clock.env,
    );
    expect(why.text).toMatch(/50001/u);
    program.kill();
    expect(await program.ended).toBe(0);
  },
);

const LOST: readonly Fault[] = [
  { kind: 'drop-after-store' },
  { kind: '500-after-store' },
  { kind: 'status', status: 502, body: {} },
  { kind: 'drop', reset: true },
  { kind: '429', retryAfter: 1 },
  { kind: '429', retryAfter: 6 },
];

test(
  '429, 5xx and connections that break, before or after the message was stored: one message each',
  TIMEOUT,
  async () => {
    const discord = await startDiscord();
    later(() => discord.close());
    const channel = discord.addGuild({ channels: [{ name: 'jobs' }] }).channel('jobs').id;
    const env = { DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl };
    const all = await tenants({}, env, { operator: to(channel) });
    const program = all.run();
    await all.settled(program);
    const count = (one: number) => holding(discord.messages(channel), `x${one}?`);
    let id = 1;
    for (const fault of LOST) {
      const order = discord.faults.next('POST /channels/:id/messages', fault);
      await all.post(program, ++id);
      await program.until(`${fault.kind} at posting ${id}`, () => order.hits === 1);
      // The next attempt is due then, and the next posting triggers it.
      await all.clock.move(10_000);
      await all.post(program, ++id);
      await program.until(`posting ${id} after ${fault.kind}`, () => count(id) > 0, 30_000);
    }
    const numbers = Array.from({ length: id - 1 }, (_, n) => n + 2);
    expect(numbers.map(count)).toEqual(numbers.map(() => 1));
    expect(discord.messages(channel)).toHaveLength(numbers.length);
    expect(program.json().filter(({ msg }) => msg === 'owner notice')).toEqual([]);
    expect(discord.violations).toEqual([]);
    expect(discord.naturalRateLimits).toBe(0);
    program.kill();
    expect(await program.ended).toBe(0);
  },
);
