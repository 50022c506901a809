// The invite link of docs/discord.md: with exactly the rights it asks for, the shipped program can do everything it
// does in a server.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { startBoard } from '../helpers/board.js';
import { jobOf, linkOf } from '../helpers/bot-house.js';
import { PERMISSIONS, type Permission } from '../helpers/discord/permissions.js';
import { startDiscord } from '../helpers/discord/start-discord.js';
import { holding } from '../helpers/discord-cards.js';
import { later } from '../helpers/later.js';
import { startProgram, workFolder } from '../helpers/process.js';

/** Names of the rights in the link. */
async function invited(): Promise<Permission[]> {
  const page = await readFile(new URL('../../docs/discord.md', import.meta.url), 'utf8');
  const given = BigInt(/oauth2\/authorize\S*[?&]permissions=(\d+)/u.exec(page)?.[1] ?? '0');
  const names = (Object.keys(PERMISSIONS) as Permission[]).filter((name) => given & PERMISSIONS[name]);
  expect(names.reduce((all, name) => all | PERMISSIONS[name], 0n)).toBe(given);
  return names;
}

test('asks for exactly the rights that posting to every kind of channel needs', {
  timeout: 360_000,
}, async () => {
  const rights = await invited();
  expect(rights).not.toContain('ADMINISTRATOR');
  const discord = await startDiscord({ archivedThreads: 'refuse' });
  const board = await startBoard({ jobs: [jobOf(1)] });
  const { dir, remove } = await workFolder();
  later(
    remove,
    () => board.close(),
    () => discord.close(),
  );
  const user = discord.addUser();
  const guild = discord.addGuild({
    channels: [
      { name: 'jobs', bot: rights },
      { name: 'old', type: 'thread', parent: 'jobs', archived: true },
      { name: 'forum', type: 'forum', tags: ['rust'], requireTag: true, bot: rights },
    ],
    members: [{ user, permissions: ['MANAGE_CHANNELS'] }],
  });
  const run = (env: Record<string, string> = {}) => {
    const program = startProgram(['run'], {
      cwd: dir,
      env: {
        DISCORD_TOKEN: discord.token,
        DISCORD_API_URL: discord.apiUrl,
        JOBS_API_URL: board.url,
        MIN_POLL_SECONDS: '1',
        LIVE_SCHEDULE: '* * * * * *',
        API_SPACING_MS: '5',
        HTTP_PORT: '0',
        ...env,
      },
    });
    later(async () => {
      program.kill('SIGKILL');
      await program.ended;
    });
    return program;
  };
  const first = run();
  await first.until('the bot', () => first.json().some((line) => line.msg === 'commands registered'));
  const modal = await user.slash('/token set', {}, { guild }).modal();
  await user.submit(modal, { token: board.token }).reply();
  for (const name of ['jobs', 'old', 'forum']) {
    const asked = { tags: name === 'forum' ? 'rust' : 'solidity', channel: guild.channel(name) };
    expect((await user.slash('/jobs subscribe', asked, { guild }).reply()).text).toMatch(/Understood/u);
  }
  first.kill('SIGTERM');
  expect(await first.ended).toBe(0);

  // Killed between sending and settling: only the right to read history prevents a second forum post.
  await board.addJob(jobOf(2));
  expect(await run({ JOBCRIER_CRASH_AT: 'dispatch.sent' }).ended).toBe('SIGKILL');
  const last = run();
  const delivered = () => last.json().filter((line) => line.msg === 'edition delivered').length;
  await last.until('the delivery to the forum', () => delivered() === 1);
  await board.addJob(jobOf(3, { tags: ['solidity'] }));
  await last.until('the other deliveries', () => delivered() === 3);
  const posts = (id: number) => holding(discord.allMessages(), linkOf(id));
  expect([posts(2), posts(3)]).toEqual([1, 2]);
  expect(discord.violations).toEqual([]);
  expect(discord.requests.filter(({ status }) => status === 403)).toEqual([]);
});
