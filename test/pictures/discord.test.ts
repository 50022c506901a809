// Pictures of Discord for the README, with real messages of the shipped program. Made by `npm run pictures`.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBoard, type TestBoard } from '../helpers/board.js';
import { jobOf } from '../helpers/bot-house.js';
import { type Discord, startDiscord } from '../helpers/discord/start-discord.js';
import type { DiscordUser } from '../helpers/discord/user-actions.js';
import type { GuildHandle } from '../helpers/discord/world.js';
import { type Program, startProgram, workFolder } from '../helpers/process.js';
import { discordPage } from './discord-look.js';
import type { Names } from './discord-markdown.js';
import { openBrowser, picture, WANTED } from './studio.js';

const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
const JOB = {
  title: 'Senior Solidity Engineer',
  company: 'Meridian Labs',
  location: 'Berlin, Germany',
  tags: ['solidity', 'defi', 'rust'],
  salary: '$110k - 150k',
  postedAt: YESTERDAY,
  description:
    '<p>You will own the lending contracts from the first sketch to the audit, in a team of six that ships every second week.</p>',
};

/** Each has both tags of the subscription, so that one poll finds all. */
const BURST = [
  { title: 'Protocol Engineer, Rust', company: 'Northwind Chain', salary: '$140k - 180k' },
  { title: 'Smart Contract Auditor', company: 'Fathom Security', location: 'Lisbon, Portugal', salary: '' },
  { title: 'Solidity Developer', company: 'Harbour Finance', salary: '€75k - 95k' },
  { title: 'Zero-Knowledge Researcher', company: 'Meridian Labs', location: 'Zug, Switzerland', salary: '' },
  { title: 'Backend Engineer, Indexing', company: 'Graphite', location: 'Prague, Czechia' },
  { title: 'DeFi Engineer', company: 'Tidewater', salary: '$120k - 160k' },
];

describe.runIf(WANTED)('the documentation shows', () => {
  let discord: Discord;
  let board: TestBoard;
  let guild: GuildHandle;
  let user: DiscordUser;
  let folder: Awaited<ReturnType<typeof workFolder>>;
  let program: Program | undefined;

  beforeAll(async () => {
    discord = await startDiscord();
    board = await startBoard({ jobs: [1, 2, 3, 4].map((id) => jobOf(id, { postedAt: YESTERDAY })) });
    folder = await workFolder();
    user = discord.addUser({ username: 'ada' });
    guild = discord.addGuild({
      channels: [{ name: 'jobs' }, { name: 'weekly' }],
      members: [{ user, permissions: ['MANAGE_CHANNELS'] }],
    });
  });
  afterAll(async () => {
    program?.kill('SIGKILL');
    await program?.ended;
    await board.close();
    await discord.close();
    await folder.remove();
  });

  async function run(env: Record<string, string> = {}): Promise<Program> {
    const started = startProgram(['run'], {
      cwd: folder.dir,
      env: {
        DISCORD_TOKEN: discord.token,
        DISCORD_API_URL: discord.apiUrl,
        JOBS_API_URL: board.url,
        SOURCE_NAME: 'Example Jobs',
        SECRET_KEY: Buffer.alloc(32, 9).toString('base64'),
        HTTP_PORT: '0',
        ...env,
      },
    });
    program = started;
    await started.until('the bot', () => started.json().some((line) => line.msg === 'commands registered'));
    return started;
  }

  function names(): Names {
    const known = ['jobs', 'weekly'].map((name) => [guild.channel(name).id, name] as const);
    return { names: new Map(known), now: Date.now() };
  }

  test('the answer to /jobs subscribe, a posting as a card with the answer of ···, and a burst', async () => {
    const first = await run();
    const modal = await user.slash('/token set', {}, { guild }).modal();
    await user.submit(modal, { token: board.token }).reply();
    const options = { tags: 'solidity, rust', remote: true, min_salary: 80_000, every: 'weekly', at: '9:00' };
    const reply = await user
      .slash(
        '/jobs subscribe',
        { ...options, timezone: 'Europe/Berlin', channel: guild.channel('weekly') },
        { guild },
      )
      .reply();
    expect(reply.text).toContain('Understood');
    first.kill('SIGTERM');
    await first.ended;

    await run({ MIN_POLL_SECONDS: '1', LIVE_SCHEDULE: '* * * * * *', API_SPACING_MS: '5' });
    await user
      .slash('/jobs subscribe', { tags: 'solidity, rust', channel: guild.channel('jobs') }, { guild })
      .reply();
    await board.addJob(jobOf(9, JOB));
    const { id } = guild.channel('jobs');
    const card = await discord.until(() => discord.messages(id)[0], 'the card');
    const more = await user.press(card, '···').reply();
    const jobs = [...BURST.map((job, n) => jobOf(20 + n, { ...JOB, ...job })), jobOf(9, JOB)];
    await board.setJobs([...jobs, ...[1, 2, 3, 4].map((one) => jobOf(one, { postedAt: YESTERDAY }))]);
    const burst = await discord.until(() => discord.messages(id)[1], 'the list');
    expect(discord.violations).toEqual([]);

    const browser = await openBrowser();
    try {
      const width = 720;
      const shots = [
        ['discord-card', card, undefined],
        ['discord-more', more, '···'],
        ['discord-burst', burst, undefined],
        ['discord-subscribe', reply, '/jobs subscribe'],
      ] as const;
      for (const [name, message, used] of shots)
        await picture(
          browser,
          { html: discordPage(message, names(), used) },
          { name, as: name, width, element: '#shot' },
        );
    } finally {
      await browser.close();
    }
  }, 360_000);
});
