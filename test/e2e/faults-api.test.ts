// A jobs API that refuses one token or asks it to wait: only that account waits, its owner is notified once, the
// token goes nowhere else, and nothing is lost.
import { expect, test } from 'vitest';
import { startDiscord } from '../helpers/discord/start-discord.js';
import type { DiscordUser } from '../helpers/discord/user-actions.js';
import { said, startHole } from '../helpers/fault-house.js';
import type { Answer } from '../helpers/front.js';
import { later } from '../helpers/later.js';
import { tenants } from '../helpers/tenants.js';

const MINUTE = 60_000;
const EVERY_SECOND = '* * * * * *';

test('a refused token stops only its account; the owner is notified once; a new token brings what was missed', {
  timeout: 270_000,
}, async () => {
  const discord = await startDiscord();
  later(() => discord.close());
  const elsewhere = await startHole();
  const refusals: Record<string, Answer> = {
    unknown: { status: 401 },
    forbidden: { status: 403 },
    login: { status: 302, headers: { location: '/login?next=/api' } },
    elsewhere: { status: 307, headers: { location: elsewhere.url } },
  };
  const owners = Object.keys(refusals).map((kind): [string, DiscordUser] => [
    kind,
    discord.addUser({ installed: true }),
  ]);
  const accountOf = (user: DiscordUser) => `discord:${user.record.id}`;
  const all = await tenants(Object.fromEntries(owners.map(([, user]) => [accountOf(user), EVERY_SECOND])), {
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
  });
  const { house, tokens } = all;
  const program = all.run();
  await all.settled(program);
  for (const [kind, user] of owners) house.front.answer(refusals[kind], tokens[accountOf(user)]);
  const before = owners.map(([, user]) => all.asked(accountOf(user)));
  const notices = () => program.json().filter(({ msg }) => msg === 'owner notice');
  await program.until('four notices', () => notices().length === 4);
  for (const id of [2, 3]) await all.post(program, id);
  for (const [index, [kind, user]] of owners.entries()) {
    const account = accountOf(user);
    expect(all.asked(account) - (before[index] ?? 0), kind).toBe(1);
    expect(all.got(account), kind).toEqual([]);
    expect(user.dms(), kind).toHaveLength(1);
    expect(user.dms()[0]?.text).toMatch(/no longer accepts your API token/u);
  }
  expect(notices()).toHaveLength(4);
  const [[, owner] = []] = owners;
  if (!owner) throw new Error('no owner');
  const asked = owners.map(([, user]) => all.asked(accountOf(user)));
  await house.board.setTokens(
    ['operator-token-1', 'brand-new-token-1', ...Object.values(tokens)].map((token) => ({ token })),
  );
  const set = await house.command(['token', 'set', '--account', accountOf(owner)], {}, 'brand-new-token-1\n');
  expect(set.code, set.text).toBe(0);
  await program.until('what was missed', () => all.got(accountOf(owner)).length > 0);
  await all.post(program, 4);
  await program.until('the next one', () => all.got(accountOf(owner)).includes('Position 4'));
  expect(all.got(accountOf(owner))).toEqual([2, 3, 4].map((id) => `Position ${id}`));
  expect(owners.map(([, user]) => all.asked(accountOf(user)))).toEqual(asked);
  expect(owners.slice(1).flatMap(([, user]) => all.got(accountOf(user)))).toEqual([]);
  expect(elsewhere.asked).toBe(0);
  const told = [...program.stdout, ...program.stderr, ...owners.map(([, user]) => user.dms()[0]?.text)];
  for (const token of Object.values(tokens)) expect(told.join('\n')).not.toContain(token);
  program.kill();
  expect(await program.ended).toBe(0);
});

test('429: the token waits as long as the API asks, and no other token does', {
  timeout: 270_000,
}, async () => {
  const all = await tenants({
    seconds: EVERY_SECOND,
    date: EVERY_SECOND,
    absurd: EVERY_SECOND,
    negative: EVERY_SECOND,
  });
  const { house, tokens, clock } = all;
  const program = all.run();
  await all.settled(program);
  const quiet = (retryAfter: string): Answer => ({ status: 429, headers: { 'retry-after': retryAfter } });
  const busy: Record<string, Answer> = {
    seconds: quiet('1800'),
    date: quiet(new Date(clock.now() + 20 * MINUTE).toUTCString()),
    absurd: quiet('999999999999'),
    negative: quiet('-5'),
  };
  const accounts = Object.keys(busy);
  for (const account of accounts) house.front.answer(busy[account], tokens[account]);
  const before = new Map(accounts.map((account) => [account, all.asked(account)]));
  const asked = (account: string) => all.asked(account) - (before.get(account) ?? 0);
  // Without a valid wait it is retried like any failure: four attempts in all.
  await program.until('all of them', () => accounts.every((account) => asked(account) >= 1), 30_000);
  await program.until('the retries', () => asked('negative') >= 4, 30_000);
  await all.post(program, 2);
  const quietOnes = ['seconds', 'date', 'absurd'];
  const count = new Map(quietOnes.map((account) => [account, asked(account)]));
  for (const account of accounts) house.front.answer(undefined, tokens[account]);
  let id = 2;
  /** Moves the clock; returns which accounts have made requests since, and what they got. */
  async function after(minutes: number, ...expected: readonly string[]): Promise<void> {
    await clock.move(minutes * MINUTE);
    await all.post(program, ++id);
    for (const account of expected)
      await program.until(`${account} again`, () => all.got(account).includes(`Position ${id}`));
    const silent = quietOnes.filter((account) => asked(account) === count.get(account));
    expect(silent).toEqual(quietOnes.filter((account) => all.got(account).length === 0));
    for (const account of expected)
      expect(all.got(account)).toEqual(Array.from({ length: id - 1 }, (_, n) => `Position ${n + 2}`));
  }
  await after(10, 'negative');
  expect(all.got('date')).toEqual([]);
  await after(11, 'negative', 'date');
  expect(all.got('seconds')).toEqual([]);
  await after(10, 'negative', 'date', 'seconds');
  expect(all.got('absurd')).toEqual([]);
  await after(30, 'negative', 'date', 'seconds', 'absurd');
  expect(said(program, 'owner notice')()).toBe(false);
  program.kill();
  expect(await program.ended).toBe(0);
});
