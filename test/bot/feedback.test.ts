// "Not for me" and "More like this" on messages that were really delivered: the owner of the rule is asked why, sees the
// effect, changes the rule and undoes it in the same message.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { printTerm } from '../../src/domain/rules/index.js';
import { type BotHouse, jobOf, openHouse } from '../helpers/bot-house.js';
import type { MessageRecord } from '../helpers/discord/types.js';
import { controlsIn, type DiscordUser } from '../helpers/discord/user-actions.js';

let house: BotHouse;
let card: MessageRecord;
beforeAll(async () => {
  house = await openHouse();
});
beforeEach(async () => {
  await house.newServer();
  const channel = house.guild.channel('jobs');
  await house.admin.slash('/jobs subscribe', { tags: 'rust', channel }, { guild: house.guild }).reply();
  await house.board.setJobs([jobOf(3, { title: 'Senior Rust Engineer' }), jobOf(1), jobOf(2)]);
  await house.poll();
  card = await house.discord.until(() => house.discord.messages(channel.id)[0], 'the card');
});
afterEach(() => {
  expect(house.discord.violations).toEqual([]);
  expect(house.logs.filter((line) => line.message === 'interaction failed')).toEqual([]);
});
afterAll(() => house.close());

const pressMore = async (user: DiscordUser, label: string) =>
  user.press(await user.press(card, '···').reply(), label).reply();

interface Menu {
  readonly custom_id: string;
  readonly options: readonly {
    readonly label: string;
    readonly value: string;
    readonly description?: string;
  }[];
}
const menuOf = (message: MessageRecord): Menu => {
  const found = controlsIn(message.components).find((one) => 'options' in one);
  if (!found) throw new Error(`no menu under: ${message.text}`);
  return found as unknown as Menu;
};
/** Chooses the option of the menu whose description begins with `about`, and waits for a text. */
async function choose(message: MessageRecord, about: string, text: string, user = house.admin) {
  const { custom_id: id, options } = menuOf(message);
  const value = options.find(({ description }) => description?.startsWith(about))?.value ?? about;
  return user.select(message, id, [value]).replyWhere((one) => one.text.includes(text));
}
const terms = async () => {
  const [report] = await house.app.services.subscriptions({ account: `discord:${house.admin.id}` });
  return (report?.subscription.filter.terms ?? []).map(printTerm);
};
const marks = async () =>
  (await house.app.services.marks(`discord:${house.admin.id}`)).map(({ mark }) => mark);

test('the owner is asked why, sees the effect, changes the rule and undoes it, all in one message', async () => {
  const asked = await pressMore(house.admin, 'Not for me');
  expect(asked.ephemeral).toBe(true);
  expect(menuOf(asked).options.map(({ label, description }) => `${label}: ${description}`)).toEqual([
    'The company: not at “Firm 3”',
    'The level: not senior',
    'The place: not in Germany',
    'The topic: not tagged Backend',
    'The topic: not engineering roles',
    'Only this one: Your rule stays as it is',
  ]);
  const offered = await choose(asked, 'not at “Firm 3”', 'would also say');
  expect(offered.id).toBe(asked.id);
  expect(offered.text).toMatch(
    /would also say: \*\*not at “Firm 3”\*\*\.\nIn the last 30 days, it would have left out 1 of 3 postings\.\n.*Change the rule\nOnly this one$/u,
  );
  expect(await terms()).toEqual([]);
  const changed = await house.admin
    .press(offered, 'Change the rule')
    .replyWhere((one) => one.text.includes('Your rule now says: **Rust, not at “Firm 3”**'));
  expect(changed.id).toBe(asked.id);
  expect(await terms()).toEqual(['not company: Firm 3']);
  await house.restartBot();
  const back = await house.admin
    .press(changed, 'Undo')
    .replyWhere((one) => one.text.includes('Your rule is as it was before'));
  expect(back.id).toBe(asked.id);
  expect(await terms()).toEqual([]);
  // Another reason can be chosen.
  await choose(back, 'not senior', 'would also say: **not senior**');
  expect(await marks()).toEqual(['dismissed']);
});

test('what would leave out everything is named before the rule changes', { tags: 'long' }, async () => {
  const [report] = await house.app.services.subscriptions({ account: `discord:${house.admin.id}` });
  const subscription = report?.subscription.id ?? '';
  // By a posting: all of them are in its country.
  const why = await pressMore(house.admin, 'Not for me');
  const asked = await choose(why, 'not in Germany', 'would also say');
  expect(asked.text).toContain('This leaves out everything: in the last 30 days, all 3 postings');
  expect(await terms()).toEqual([]);
  // By a sentence.
  const edit = async () => house.admin.slash('/jobs edit', { subscription }, { guild: house.guild }).reply();
  const form = await house.admin.press(await edit(), 'As a sentence').modal();
  const warned = await house.admin.submit(form, { want: 'rust, no engineers' }).reply();
  expect(warned.text).toMatch(/of the last four weeks, none matches\. The rule “.*” alone leaves out 3/u);
  expect(await terms()).toEqual([]);
  const panel = await house.admin.press(warned, 'Change it anyway').reply();
  expect(panel.text).toContain('Changed');
  expect(
    (await house.app.services.subscription({ account: `discord:${house.admin.id}` }, subscription))
      .subscription.filter,
  ).toMatchObject({ tags: ['rust'] });
  expect(await terms()).toEqual(['not role: engineering']);
});

test('only this one changes no rule, and undo takes the mark back', { tags: 'long' }, async () => {
  const asked = await pressMore(house.admin, 'Not for me');
  const only = await choose(asked, 'only', 'Not for you');
  expect(only.text).toMatch(/mails\.\nUndo$/u);
  expect([await terms(), await marks()]).toEqual([[], ['dismissed']]);
  const again = await choose(await pressMore(house.admin, 'Not for me'), 'not senior', 'would also say');
  const kept = await house.admin
    .press(again, 'Only this one')
    .replyWhere((one) => one.text.includes('Not for you'));
  await house.admin.press(kept, 'Undo').replyWhere((one) => one.text.includes('Undone'));
  expect([await terms(), await marks()]).toEqual([[], []]);
});

test('more like this puts postings like it first, and undoes it', { tags: 'long' }, async () => {
  const asked = await pressMore(house.admin, 'More like this');
  expect(asked.text).toMatch(/Senior Rust Engineer.*\nWhat do you want more of\?/u);
  const made = await choose(asked, 'preferably senior', 'Your rule now says: **Rust, preferably senior**');
  expect(made.id).toBe(asked.id);
  expect(made.text).toContain('In the last 30 days, it would have put 1 of 3 postings first.');
  expect(await terms()).toEqual(['rather level: senior']);
  await house.admin.press(made, 'Undo').replyWhere((one) => one.text.includes('as it was before'));
  expect(await terms()).toEqual([]);
  expect(await marks()).toEqual([]);
});

test('a change that was made is shown as made, and a late second press of an old message changes nothing', {
  tags: 'long',
}, async () => {
  const first = await pressMore(house.admin, 'Not for me');
  const second = await pressMore(house.admin, 'Not for me');
  const offered = await choose(first, 'not at “Firm 3”', 'would also say');
  const change = controlsIn(offered.components).find(({ label }) => label === 'Change the rule');
  await house.admin.press(offered, 'Change the rule').replyWhere((one) => one.text.includes('now says'));
  // The other message still has the menu of before.
  const made = await choose(second, 'not at “Firm 3”', 'now says');
  expect(made.id).toBe(second.id);
  const third = await pressMore(house.admin, 'Not for me');
  expect(menuOf(third).options[0]).toMatchObject({ label: '✅ The company' });
  const old = controlsIn(third.components).find((one) => one.type === 2);
  Object.assign(old ?? {}, change);
  await house.admin.press(third, 'Change the rule').replyWhere((one) => one.text.includes('now says'));
  expect(await terms()).toEqual(['not company: Firm 3']);
});

test('a reader who does not own the rule can’t change it, also not by a forged button', async () => {
  const reader = house.member();
  const liked = await pressMore(reader, 'More like this');
  expect(liked.text).toMatch(/belongs to another person, so only that person can change it/u);
  const asked = await pressMore(house.admin, 'Not for me');
  const offered = await choose(asked, 'not at “Firm 3”', 'would also say');
  const id = String(controlsIn(offered.components)[0]?.custom_id);
  const mine = await pressMore(reader, 'Not for me');
  const button = controlsIn(mine.components).find((one) => one.type === 2);
  for (const forged of [id, id.replace(/@\d+$/u, `@${reader.id}`)]) {
    Object.assign(button ?? {}, { custom_id: forged });
    const refused = await reader.press(mine, forged).replyWhere((one) => one.id !== mine.id);
    expect(refused.text, forged).toMatch(/belongs to (?:someone else|another person)/u);
  }
  expect(await terms()).toEqual([]);
});

test('a press after the rule has changed is answered with a sentence', { tags: 'long' }, async () => {
  const asked = await pressMore(house.admin, 'Not for me');
  const account = `discord:${house.admin.id}`;
  const [report] = await house.app.services.subscriptions({ account });
  const id = report?.subscription.id ?? '';
  await house.app.services.edit({ account }, id, {
    filter: { tags: ['rust'], terms: ['not level: senior'] },
  });
  const { custom_id: menu } = menuOf(asked);
  const late = await house.admin.select(asked, menu, ['not-level']).replyWhere((one) => one.id !== asked.id);
  expect(late.text).toMatch(/Your rule has changed since/u);
  await house.app.services.remove({ account }, id);
  const gone = await house.admin
    .select(asked, menu, ['not-company'])
    .replyWhere((one) => one.text.includes('too old'));
  expect(gone.ephemeral).toBe(true);
});

test('tells a reader alone about an application to the same job under another id', {
  tags: 'long',
}, async () => {
  const reader = house.member();
  await pressMore(reader, 'Applied');
  await house.board.addJob(jobOf(9, { title: 'Senior Rust Engineer', company: 'Firm 3', location: 'Paris' }));
  await house.poll();
  const channel = house.guild.channel('jobs').id;
  const repost = await house.discord.until(() => house.discord.messages(channel)[1], 'the repost');
  const today = new Date().toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
  const more = await reader.press(repost, '···').reply();
  expect(more.text).toContain(`✅ you applied to this on ${today}`);
  expect((await house.admin.press(repost, '···').reply()).text).not.toContain('you applied');
  expect((await reader.press(card, '···').reply()).text).not.toContain('you applied');
});

test('the card of a company tells its figures, and follows and mutes it in the same message', {
  tags: 'long',
}, async () => {
  await pressMore(house.admin, 'Applied');
  const about = await pressMore(house.admin, 'About the company');
  expect(about.text).toMatch(
    /^🏢 \*\*Firm 3\*\*\n1 posting in the last 90 days, 1 open now\.\nYou: ✅ applied 1 \(<t:\d+:R>\)\nFollow\nMute$/u,
  );
  const followed = await house.admin
    .press(about, 'Follow')
    .replyWhere((one) => one.text.includes('You follow it'));
  expect(followed.id).toBe(about.id);
  const muted = await house.admin
    .press(followed, 'Mute')
    .replyWhere((one) => one.text.includes('It stays out'));
  expect(muted.text).toContain('Do not follow\nDo not mute');
  const account = `discord:${house.admin.id}`;
  expect(await house.app.services.hidden(account)).toEqual([{ company: 'Firm 3' }]);
  expect(await house.app.services.subscriptions({ account })).toHaveLength(2);
  const back = await house.admin.press(muted, 'Do not mute').replyWhere((one) => one.text.includes('\nMute'));
  await house.admin.press(back, 'Do not follow').replyWhere((one) => one.text.includes('\nFollow'));
  expect(await house.app.services.hidden(account)).toEqual([]);
  expect(await house.app.services.subscriptions({ account })).toHaveLength(1);
  const reader = house.member();
  const theirs = await pressMore(reader, 'About the company');
  expect(theirs.text).toContain('You have not marked any of its postings.');
  const refused = await reader.press(theirs, 'Follow').replyWhere((one) => one.id !== theirs.id);
  expect(refused.text).toMatch(/no API token yet/u);
});
