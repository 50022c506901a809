// The subscription, button and link of another person, tried on the real process: refused, and nothing changes.
import { expect, test } from 'vitest';
import { startDiscord } from '../helpers/discord/start-discord.js';
import { faultHouse, faultJob, pagesOf } from '../helpers/fault-house.js';
import { HOUSE_KEY, inStore } from '../helpers/house-store.js';
import { later } from '../helpers/later.js';
import { parseMail } from '../helpers/mail.js';
import { pageLinks } from '../helpers/reader-house.js';
import { startSmtp } from '../helpers/smtp.js';

const TIMEOUT = { timeout: 180_000 };

test(
  'a member of the server can neither see, change nor press what belongs to another person',
  TIMEOUT,
  async () => {
    const discord = await startDiscord();
    later(() => discord.close());
    const [owner, stranger] = [discord.addUser(), discord.addUser()];
    const guild = discord.addGuild({
      channels: [{ name: 'jobs' }],
      members: [{ user: owner, permissions: ['MANAGE_CHANNELS'] }, { user: stranger }],
    });
    const house = await faultHouse({
      jobs: [faultJob(1, { tags: ['rust'] })],
      env: { SECRET_KEY: HOUSE_KEY, DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl },
    });
    const program = house.run();
    await program.until('the bot', () => program.json().some(({ msg }) => msg === 'commands registered'));
    const modal = await owner.slash('/token set', {}, { guild }).modal();
    expect((await owner.submit(modal, { token: house.board.token }).reply()).text).toMatch(
      /stored encrypted/u,
    );
    const panel = await owner
      .slash('/jobs subscribe', { tags: 'rust', channel: guild.channel('jobs') }, { guild })
      .reply();
    const id = await inStore(house.dir, async ({ subscriptions }) => {
      for await (const one of subscriptions.list()) if (one.origin !== 'file') return one.id;
      throw new Error('no subscription');
    });
    for (const command of ['show', 'pause', 'remove', 'edit', 'history']) {
      const reply = await stranger.slash(`/jobs ${command}`, { subscription: id }, { guild }).reply();
      expect([reply.ephemeral, reply.text], command).toEqual([
        true,
        expect.stringMatching(/You have no subscription called/u),
      ]);
    }
    // Discord would not allow a press of a private button; a forged one must still be refused.
    const live = discord.allMessages().find((message) => message.id === panel.id);
    Object.assign(live as object, { flags: 0, ephemeralFor: null });
    for (const label of ['Pause', 'Remove', 'Edit']) {
      const reply = await stranger.press(panel, label).reply();
      expect([reply.ephemeral, reply.text], label).toEqual([
        true,
        expect.stringMatching(/belongs to someone else/u),
      ]);
    }
    await house.board.addJob(faultJob(2, { tags: ['rust'] }));
    const posted = () => discord.messages(guild.channel('jobs').id).length === 1;
    await program.until('the posting, as before', posted);
    program.kill();
    expect(await program.ended).toBe(0);
  },
);

test(
  'a link opens only the page and the reader it was made for, and nothing after a change to it',
  TIMEOUT,
  async () => {
    const smtp = await startSmtp();
    later(() => smtp.close());
    const PUBLIC_URL = 'https://crier.example.org';
    const house = await faultHouse({
      env: { SMTP_URL: smtp.url, MAIL_FROM: 'Jobs <jobs@example.org>', PUBLIC_URL },
    });
    const entry = (reader: string) =>
      `- { id: ${reader}, schedule: "* * * * * *", destinations: [{ sink: email, target: ${reader}@example.org, consented: true, cadence: immediate }] }`;
    await house.subscriptions(`${entry('alice')}\n${entry('bob')}\n`);
    const program = house.run();
    const pages = await pagesOf(program);
    const baselines = () => program.json().filter((line) => line.baseline === true).length;
    await program.until('the baselines', () => baselines() === 2);
    const to = (reader: string) => smtp.mails.filter((mail) => mail.to.includes(`${reader}@example.org`));
    await house.board.addJob(faultJob(2));
    await program.until('both mails', () => to('alice').length === 1 && to('bob').length === 1);
    const links = pageLinks(await parseMail(to('alice')[0]?.raw ?? Buffer.alloc(0)));
    const tokenOf = (link = '') => link.slice(link.lastIndexOf('/') + 1);
    const token = tokenOf(links.unsubscribe);
    const changed = `${token.slice(0, 20)}${token[20] === 'A' ? 'B' : 'A'}${token.slice(21)}`;
    const answers = new Set<string>();
    for (const path of [
      `/unsubscribe/${changed}`,
      `/unsubscribe/${token}x`,
      `/unsubscribe/${token.slice(0, -1)}`,
      `/preferences/${token}`,
      `/editions/${token}`,
      `/feed/${token}`,
      `/unsubscribe/${tokenOf(links.preferences)}`,
      `/confirm/${token}`,
    ]) {
      const answer = await fetch(`${pages}${path}`);
      expect(answer.status, path).toBe(404);
      answers.add(await answer.text());
    }
    expect(answers.size).toBe(1);
    const press = (path: string) =>
      fetch(`${pages}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'List-Unsubscribe=One-Click',
      });
    for (const path of [`/unsubscribe/${changed}`, `/resubscribe/${changed}`, `/preferences/${token}`])
      expect((await press(path)).status, path).toBe(404);
    await house.board.addJob(faultJob(3));
    await program.until('both mails again', () => to('alice').length === 2 && to('bob').length === 2);
    expect((await press(`/unsubscribe/${token}`)).status).toBe(200);
    for (const id of [4, 5]) {
      await house.board.addJob(faultJob(id));
      await program.until(`mail ${id} to the other reader`, () => to('bob').length === id - 1);
    }
    expect(to('alice')).toHaveLength(2);
    program.kill();
    expect(await program.ended).toBe(0);
  },
);
