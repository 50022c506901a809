// The guided way to a subscription: from /help, from a preview and from the first direct message, one step at a time
// on one message that survives a restart.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type BotHouse, openHouse } from '../helpers/bot-house.js';
import type { MessageRecord } from '../helpers/discord/types.js';
import { controlsIn, type DiscordUser } from '../helpers/discord/user-actions.js';

const TOKEN_PAGE = 'https://jobs.example/account/tokens';

let house: BotHouse;
beforeEach(async () => {
  house = await openHouse({ env: { JOBS_TOKEN_PAGE: TOKEN_PAGE } });
});
afterEach(async () => {
  expect(house.discord.violations).toEqual([]);
  expect(house.logs.filter((line) => line.message === 'interaction failed')).toEqual([]);
  await house.close();
});

type Slash = BotHouse['admin']['slash'];

const slash = (command: string, options: Parameters<Slash>[1] = {}, user = house.admin) =>
  user.slash(command, options, { guild: house.guild }).reply();
const stored = (user = house.admin) => house.services.subscriptions({ account: `discord:${user.id}` });
const said = (text: string | RegExp) => (message: MessageRecord) => message.text.match(text) !== null;

interface Control {
  readonly type: number;
  readonly custom_id: string;
  readonly url?: string;
  readonly label?: string;
  readonly options?: readonly { value: string; label: string; default?: boolean }[];
}

/** The control whose custom_id begins with `action`. */
function control(message: MessageRecord, action: string): Control {
  const all = controlsIn(message.components) as unknown as Control[];
  const found = all.find(({ custom_id: id = '' }) => id.startsWith(action));
  if (!found) throw new Error(`no ${action}: ${all.map((one) => one.custom_id).join(' ')}`);
  return found;
}

const choose = (message: MessageRecord, action: string, values: string[], user: DiscordUser = house.admin) =>
  user.select(message, control(message, action).custom_id, values);

const picked = (message: MessageRecord) =>
  (control(message, 'setup-tags').options ?? []).flatMap((one) => (one.default ? [one.value] : []));

async function begun(user = house.admin): Promise<MessageRecord> {
  return user.press(await slash('/help', {}, user), 'New subscription').reply();
}

describe('from /help', () => {
  test('tags, a search, other wishes, how often and where are chosen on one message, also after a restart', {
    tags: 'long',
  }, async () => {
    const help = await slash('/help');
    const panel = await house.admin.press(help, 'New subscription').reply();
    expect(panel.id).not.toBe(help.id);
    expect(panel.ephemeral).toBe(true);
    expect(control(panel, 'setup-tags').options).toHaveLength(25);
    const tagged = await choose(panel, 'setup-tags', ['rust', 'defi']).replyWhere(said('Rust or DeFi'));
    expect(tagged.id).toBe(panel.id);
    await house.restartBot();
    const search = await house.admin.press(tagged, 'Search for a tag').modal();
    const exact = await house.admin.submit(search, { tag: 'zk' }).replyWhere(said('ZK'));
    expect(picked(exact)).toEqual(['rust', 'defi', 'zero-knowledge']);
    const near = await house.admin.press(exact, 'Search for a tag').modal();
    const offered = await house.admin
      .submit(near, { tag: 'solan' })
      .replyWhere(
        (one) => control(one, 'setup-tags').options?.some(({ value }) => value === 'solana') === true,
      );
    expect(picked(offered)).toEqual(['rust', 'defi', 'zero-knowledge']);
    const fewer = await choose(offered, 'setup-tags', ['rust', 'solana']).replyWhere(said('Rust or Solana'));
    const more = await house.admin.press(fewer, 'Country, words, pay').modal();
    const wished = await house.admin
      .submit(more, { country: 'USA', remote: 'yes', exclude: 'intern', min_salary: '80k' })
      .replyWhere(said('in the United States'));
    expect(wished.text).toMatch(/Rust or Solana, remote, in the United States, from \$80k, without intern/u);
    const again = await house.admin.press(wished, 'Country, words, pay').modal();
    const fields = JSON.stringify(again.components);
    expect(fields).toContain('"value":"united-states"');
    expect(fields).toMatch(/"value":"yes","default":true|"default":true[^}]*"value":"yes"/u);
    const often = await choose(wished, 'setup-every', ['hourly']).replyWhere(said('How often: hourly'));
    const channel = house.guild.channel('jobs');
    const placed = await choose(often, 'setup-channel', [channel.id]).replyWhere(said(`<#${channel.id}>`));
    await house.restartBot();
    const done = await house.admin.press(placed, 'Subscribe').replyWhere(said('Understood'));
    expect(done.id).toBe(panel.id);
    const [report, ...others] = await stored();
    expect(others).toEqual([]);
    expect(report?.subscription).toMatchObject({
      filter: {
        tags: ['rust', 'solana'],
        country: 'united-states',
        remote: true,
        exclude: ['intern'],
        minSalary: 80_000,
      },
      destinations: [{ target: channel.id, cadence: { every: 'hourly' } }],
    });
  });

  test('nothing is posted in a channel unless one is chosen', async () => {
    const panel = await begun();
    expect(panel.text).toContain('Where: by direct message');
    const done = await house.admin.press(panel, 'Subscribe').replyWhere(said('Understood'));
    expect(done.text).toContain('by direct message');
    expect((await stored())[0]?.subscription.guild).toBeUndefined();
  });

  test('a mistake in the wishes is corrected in the form, and the message keeps what was chosen', {
    tags: 'long',
  }, async () => {
    const panel = await begun();
    const tagged = await choose(panel, 'setup-tags', ['rust']).replyWhere(said(/What: \*\*Rust\*\*/u));
    const more = await house.admin.press(tagged, 'Country, words, pay').modal();
    const wrong = await house.admin
      .submit(more, { country: 'germny', remote: 'yes', min_salary: 'lots' })
      .reply();
    expect(wrong.text).toMatch(/“germny”[\s\S]*“lots”/u);
    const again = await house.admin.press(wrong, 'Correct it').modal();
    expect(JSON.stringify(again.components)).toContain('"value":"germny"');
    const right = await house.admin
      .submit(again, { country: 'germany', min_salary: '' })
      .replyWhere(said('in Germany'));
    expect(right.text).toMatch(/Rust, remote, in Germany/u);
    const search = await house.admin.press(tagged, 'Search for a tag').modal();
    expect((await house.admin.submit(search, { tag: 'qqqqqq' }).reply()).text).toMatch(
      /“qqqqqq” is not a tag/u,
    );
  });

  test('asks for the time zone of a digest, and an old message starts nothing', {
    tags: 'long',
  }, async () => {
    const old = await begun();
    const panel = await begun();
    const stale = await house.admin.press(old, 'Subscribe').followUpsOf(1);
    expect(stale[0]?.text).toMatch(/too old/u);
    expect((await choose(old, 'setup-tags', ['defi']).reply()).text).toMatch(/too old/u);
    const weekly = await choose(panel, 'setup-every', ['weekly']).replyWhere(said('weekly'));
    const question = await house.admin.press(weekly, 'Subscribe').replyWhere(said('Which time zone'));
    await choose(question, 'zone', ['Europe/Berlin']).replyWhere(
      said('weekly on Monday 09:00 Europe/Berlin'),
    );
    expect(await stored()).toHaveLength(1);
  });

  test('a member without a token gets the link to the token page, and the draft is subscribed once the token is set', async () => {
    const user = house.member();
    const help = await slash('/help', {}, user);
    const links = (controlsIn(help.components) as unknown as Control[]).flatMap(({ url }) => url ?? []);
    expect(links).toEqual([
      TOKEN_PAGE,
      `https://discord.com/oauth2/authorize?client_id=${house.discord.appId}&integration_type=1&scope=applications.commands`,
    ]);
    const panel = await user.press(help, 'New subscription').reply();
    expect(panel.text).toContain('You need an API token');
    const tagged = await choose(panel, 'setup-tags', ['rust'], user).replyWhere(said('Rust'));
    const asked = await user.press(tagged, 'Subscribe').replyWhere(said('no API token yet'));
    expect((controlsIn(asked.components) as unknown as Control[]).map(({ url }) => url)).toContain(
      TOKEN_PAGE,
    );
    const modal = await user.press(asked, 'Set token').modal();
    const set = await user.submit(modal, { token: house.board.token }).reply();
    expect(set.text).toMatch(/stored encrypted[\s\S]*Understood[\s\S]*Rust/u);
    expect(await stored(user)).toHaveLength(1);
  });

  test('the choices belong to one person, are in the export, and are deleted with their data', {
    tags: 'long',
  }, async () => {
    const panel = await begun();
    const other = house.member();
    const live = house.discord.allMessages().find((one) => one.id === panel.id);
    Object.assign(live as object, { flags: 0, ephemeralFor: null });
    const refused = await other.press(panel, 'Subscribe').reply();
    expect(refused.text).toMatch(/belongs to someone else/u);
    expect(await stored(other)).toEqual([]);
    const { files } = await slash('/privacy export');
    expect(JSON.parse(String(files[0]?.data)).unfinished).toMatchObject([
      { waiting: { typed: { options: { deliver: 'dm', every: 'live' } } } },
    ]);
    const asked = await slash('/privacy erase');
    await house.admin.press(asked, 'Delete everything').replyWhere(said('deleted'));
    const rows = [];
    for await (const [key] of house.app.pipeline.stores.misc.entries('discord:setup')) rows.push(key);
    expect(rows).toEqual([]);
  });
});

describe('“Subscribe to this”', () => {
  test('is under a preview with cards and under one without, and opens the panel with that filter', {
    tags: 'long',
  }, async () => {
    const found = await slash('/jobs preview', { tags: 'zk, rust', exclude: 'intern' });
    const nothing = await slash('/jobs preview', { tags: 'design', remote: true });
    const panel = await house.admin.press(found, 'Subscribe to this').reply();
    expect(panel.text).toMatch(/ZK or Rust, without intern/u);
    expect(picked(panel)).toEqual(['zero-knowledge', 'rust']);
    const second = await house.admin.press(nothing, 'Subscribe to this').reply();
    expect(second.text).toMatch(/Design, remote/u);
    await house.admin.press(second, 'Subscribe').replyWhere(said('Understood'));
    expect((await stored())[0]?.subscription.filter).toMatchObject({ tags: ['design'], remote: true });
  });

  test('keeps what no option can say', { tags: 'long' }, async () => {
    const panel = await slash('/jobs subscribe', { tags: 'rust', min_salary: 90_000, deliver: 'dm' });
    const [first] = await stored();
    const { id = '', filter } = first?.subscription ?? {};
    const caller = { account: `discord:${house.admin.id}` };
    await house.services.edit(caller, id, { filter: { ...filter, payUnknown: 'drop', limit: 50 } });
    const preview = await house.admin.press(panel, 'Preview').reply();
    const draft = await house.admin.press(preview, 'Subscribe to this').reply();
    const channel = house.guild.channel('jobs');
    const placed = await choose(draft, 'setup-channel', [channel.id]).replyWhere(said(`<#${channel.id}>`));
    await house.admin.press(placed, 'Subscribe').replyWhere(said('Understood'));
    const [, second] = await stored();
    expect(second?.subscription.filter).toEqual((await stored())[0]?.subscription.filter);
    expect(second?.subscription.filter).toMatchObject({ payUnknown: 'drop', limit: 50 });
  });

  test('is under the previews of a subscription and of a draft, and survives a restart', {
    tags: 'long',
  }, async () => {
    const panel = await slash('/jobs subscribe', { tags: 'rust', channel: house.guild.channel('jobs') });
    const preview = await house.admin.press(panel, 'Preview').reply();
    await house.restartBot();
    const draft = await house.admin.press(preview, 'Subscribe to this').reply();
    const again = await house.admin.press(draft, 'Preview').reply();
    expect(again.id).not.toBe(draft.id);
    expect(controlsIn(again.components).map(({ label }) => label)).toContain('Subscribe to this');
    await house.admin.press(draft, 'Subscribe').replyWhere(said('Understood'));
    expect(await stored()).toHaveLength(2);
  });
});

test('the panel says how many postings a week match, once polls have found some', {
  tags: 'long',
}, async () => {
  expect((await begun()).text).not.toContain('a week');
  await slash('/jobs subscribe', { tags: 'rust', deliver: 'dm' });
  const panel = await begun();
  const rust = await choose(panel, 'setup-tags', ['rust']).replyWhere(said(/What: \*\*Rust\*\*/u));
  expect(rust.text).toMatch(/📊 Matches about (?:one posting|\d+ postings) a week/u);
});

test('the first direct message has the list and the way to another subscription below it', {
  tags: 'long',
}, async () => {
  await slash('/jobs subscribe', { tags: 'rust', deliver: 'dm' });
  const [hello] = house.admin.dms();
  if (!hello) throw new Error('no direct message');
  const list = await house.admin.press(hello, 'My subscriptions').reply();
  expect(list.id).not.toBe(hello.id);
  expect(list.text).toContain('1 subscription');
  const panel = await house.admin.press(hello, 'New subscription').reply();
  const tagged = await choose(panel, 'setup-tags', ['design']).replyWhere(said('Design'));
  await house.admin.press(tagged, 'Subscribe').replyWhere(said('Understood'));
  expect(await stored()).toHaveLength(2);
  expect(house.admin.dms()[0]?.text).toContain('👋');
});
