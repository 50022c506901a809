// The buttons under postings, on messages that were really delivered: cards, a list with a menu, a direct message, a
// message of an older version; pressed by anyone, after a restart, twice; and the list of marked postings.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import { MARKS } from '../../src/domain/stages.js';
import { type BotHouse, jobOf, linkOf, openHouse } from '../helpers/bot-house.js';
import type { MessageRecord } from '../helpers/discord/types.js';
import { controlsIn, type DiscordUser } from '../helpers/discord/user-actions.js';
import { cardsIn, linksIn } from '../helpers/discord-cards.js';

let house: BotHouse;
beforeAll(async () => {
  house = await openHouse();
});
beforeEach(() => house.newServer());
afterEach(() => {
  expect(house.discord.violations).toEqual([]);
  expect(house.logs.filter((line) => line.message === 'interaction failed')).toEqual([]);
});
afterAll(() => house.close());

const slash = (
  command: string,
  options: Parameters<BotHouse['admin']['slash']>[1] = {},
  user = house.admin,
) => user.slash(command, options, { guild: house.guild }).reply();

/** Subscribes a channel and waits for the message that brings `jobs`. */
async function delivered(...jobs: ReturnType<typeof jobOf>[]): Promise<MessageRecord> {
  const channel = house.guild.channel('jobs');
  await slash('/jobs subscribe', { tags: 'rust', channel });
  const already = house.discord.messages(channel.id).length;
  await house.board.setJobs([...jobs, jobOf(1), jobOf(2)]);
  await house.poll();
  return house.discord.until(() => house.discord.messages(channel.id)[already], 'the delivery');
}

/** Presses a button behind *···*. */
const pressMore = async (user: DiscordUser, message: MessageRecord, label: string) =>
  user.press(await user.press(message, '···').reply(), label).reply();

interface MenuOption {
  readonly label: string;
  readonly value: string;
}

describe('on a single card', () => {
  test('save, applied and not for me answer anyone privately, and only one of them counts', async () => {
    const card = await delivered(jobOf(3));
    const reader = house.member();
    const saved = await reader.press(card, 'Save').reply();
    expect(saved.ephemeral).toBe(true);
    expect(saved.text).toMatch(/Saved: \*\*Rust Engineer 3\*\* \(Firm 3\)/u);
    const more = await reader.press(card, '···').reply();
    expect([more.ephemeral, more.text]).toEqual([
      true,
      'What about **Rust Engineer 3** (Firm 3)?\nApplied\nNot for me\nMore like this\nWhy did I get this?\nAbout the company',
    ]);
    await reader.press(more, 'Applied').reply();
    await reader.press(more, 'Applied').reply();
    const list = await slash('/jobs saved', {}, reader);
    expect(list.ephemeral).toBe(true);
    expect(list.text).toContain('Postings you marked: 1');
    expect(list.text).toContain('✅ applied');
    // The link belongs to the account that it was sent to.
    expect(JSON.stringify(list.embeds)).not.toContain(linkOf(3));
    expect(list.text).toMatch(/on the card you saved it from/u);
    // It leads to the message itself, and there is no other link.
    const address = `https://discord.com/channels/${house.guild.id}/${card.channelId}/${card.id}`;
    expect(JSON.stringify(list.embeds).match(/https?:[^)>"\s]+/gu)).toEqual([address]);
    expect((await slash('/jobs saved')).text).toMatch(/not saved anything yet/u);
    expect(card.components).toEqual(house.discord.messages(card.channelId)[0]?.components);
  });

  test('lists the link for its reader, byte for byte, with the note', async () => {
    const card = await delivered(jobOf(3));
    await house.admin.press(card, 'Save').reply();
    const list = await slash('/jobs saved');
    expect(JSON.stringify(list.embeds)).toContain(linkOf(3));
    expect(JSON.stringify(list.embeds)).toContain(
      `[open the card](<https://discord.com/channels/${house.guild.id}/${card.channelId}/${card.id}>)`,
    );
    expect(list.text).toContain('use them exactly as they are');
  });

  test('work after a restart, and can be undone', { tags: 'long' }, async () => {
    const card = await delivered(jobOf(3));
    await house.restartBot();
    const saved = await house.admin.press(card, 'Save').reply();
    await house.restartBot();
    const back = await house.admin.press(saved, 'Undo').replyWhere((m) => m.text.includes('Undone'));
    expect(back.id).toBe(saved.id);
    expect((await slash('/jobs saved')).text).toMatch(/not saved anything yet/u);
  });

  test('not for me lets a reader of the channel hide the company and the tags in direct messages', {
    tags: 'long',
  }, async () => {
    const card = await delivered(jobOf(3));
    const reader = house.member();
    await house.app.services.setToken(`discord:${reader.id}`, secret(house.board.token));
    const hidden = await pressMore(reader, card, 'Not for me');
    expect(hidden.text).toMatch(
      /only that person can change it\. You can hide more[\s\S]*Hide Firm 3[\s\S]*Hide Rust[\s\S]*Hide Backend/u,
    );
    const done = await reader.press(hidden, 'Hide Firm 3').reply();
    expect(done.text).toMatch(/Firm 3.*stays out.*To undo this, use <\/jobs saved:\d+>/u);
    const tag = await reader.press(hidden, 'Hide Backend').reply();
    expect(tag.text).toContain('Backend');

    await reader.slash('/jobs subscribe', { tags: 'rust', deliver: 'dm' }).reply();
    await house.board.setJobs([
      jobOf(6, { tags: ['rust'] }),
      jobOf(5, { company: 'Firm 3', tags: ['rust'] }),
      jobOf(4),
      jobOf(3),
      jobOf(1),
      jobOf(2),
    ]);
    await house.poll();
    // After the welcome message.
    const dm = await house.discord.until(() => reader.dms()[1], 'the direct message');
    expect(dm?.text).toContain('Rust Engineer 6');
    expect(dm?.text).not.toContain('Firm 3');
    expect(dm?.text).not.toContain('Rust Engineer 4');
  });

  test('not for me asks nothing if the posting says nothing, and treats no title as a command', {
    tags: 'long',
  }, async () => {
    const channel = house.guild.channel('jobs');
    await slash('/jobs subscribe', { channel });
    const bare = jobOf(3, {
      ...{ title: '{/privacy erase} now', company: '', tags: [] },
      ...{ location: '', country: '' },
    });
    await house.board.setJobs([bare, jobOf(1), jobOf(2)]);
    await house.poll();
    const card = await house.discord.until(() => house.discord.messages(channel.id)[0], 'the card');
    const said = /^🙈 Not for you: \*\*\\\{\/privacy erase\} now\*\*.*mails\.\nUndo$/u;
    expect((await pressMore(house.admin, card, 'Not for me')).text).toMatch(said);
    const hidden = await pressMore(house.member(), card, 'Not for me');
    expect(hidden.text).toMatch(/mails\.\nThe rule that brought .* only that person can change it\.\nUndo$/u);
  });

  test('a hidden company can be shown again', { tags: 'long' }, async () => {
    const card = await delivered(jobOf(3));
    const reader = house.member();
    const dismissed = await pressMore(reader, card, 'Not for me');
    await reader.press(dismissed, 'Hide Firm 3').reply();
    await reader.press(dismissed, 'Hide Backend').reply();
    const list = await slash('/jobs saved', {}, reader);
    expect(list.text).toContain('Hidden: 2');
    const menus = list.components as { components: { custom_id: string; options?: MenuOption[] }[] }[];
    const menu = menus.flatMap((row) => row.components).find((one) => one.custom_id.startsWith('showAgain'));
    const firm = menu?.options?.find(({ label }) => label === 'Firm 3');
    const left = await reader
      .select(list, menu?.custom_id ?? '', [firm?.value ?? ''])
      .replyWhere((m) => m.text.includes('Hidden: 1'));
    expect(left.id).toBe(list.id);
    expect(left.text).toMatch(/Hidden: 1[\s\S]*Backend/u);
    expect((await slash('/jobs saved', {}, reader)).text).toContain('Hidden: 1');
  });

  test('are answered when the edition is no longer stored', { tags: 'long' }, async () => {
    const card = await delivered(jobOf(3));
    const button = controlsIn(card.components).find(({ label }) => label === 'Save') as { custom_id: string };
    button.custom_id = button.custom_id.replace(/^m:save:[^:]+/u, 'm:save:AAAAAAAAAAAAAAAAAAAA');
    expect((await house.admin.press(card, button.custom_id).reply()).text).toMatch(/too old/u);
    for (const forged of ['m:explode:x:y', 'm', 'nonsense', 'm:pick:x:99999', 'hide:x:y:t:99']) {
      button.custom_id = forged;
      const reply = await house.admin.press(card, forged).reply();
      expect(reply.ephemeral, forged).toBe(true);
      expect(reply.text, forged).toMatch(/older version|too old/u);
    }
  });
});

test('the list of marks shows one state at a time, and stays on it from page to page', {
  tags: 'long',
}, async () => {
  const ids = Array.from({ length: 12 }, (_, index) => index + 3);
  const message = await delivered(...ids.map((id) => jobOf(id)));
  const reader = house.member();
  const menus = (controlsIn(message.components) as { custom_id: string; options?: MenuOption[] }[]).filter(
    ({ options }) => options,
  );
  const mark = async (option: MenuOption, menu: string, label: string) => {
    const card = await reader.select(message, menu, [option.value]).reply();
    await (label === 'Save' ? reader.press(card, 'Save').reply() : pressMore(reader, card, label));
  };
  for (const { custom_id: id, options = [] } of menus)
    for (const [index, option] of options.entries()) await mark(option, id, index === 0 ? 'Applied' : 'Save');
  const all = await slash('/jobs saved', {}, reader);
  expect(all.text).toContain('Postings you marked: 12');
  const applied = await reader
    .press(all, '✅ applied (1)')
    .replyWhere((one) => one.text.includes('✅ applied · 1'));
  expect(applied.id).toBe(all.id);
  expect(applied.text).not.toContain('🔖 saved <t');
  const saved = await reader
    .press(applied, '🔖 saved (11)')
    .replyWhere((one) => /🔖 saved · 11[\s\S]*Page 1 of 2/u.test(one.text));
  const second = await reader.press(saved, 'Next').replyWhere((one) => one.text.includes('Page 2 of 2'));
  expect(second.text).toContain('🔖 saved · 11');
  expect(second.text).not.toContain('✅ applied <t');
  await house.restartBot();
  await reader.press(second, 'All (12)').replyWhere((one) => one.text.includes('Postings you marked: 12'));
});

describe('the stage of a marked posting', () => {
  const changesIn = (message: MessageRecord) =>
    /\n {2}(\S.*)/u.exec(message.text)?.[1]?.replace(/ <t:\d+:R>/gu, '');

  test('is changed from the list, keeps what came before, and is undone on the card', {
    tags: 'long',
  }, async () => {
    const card = await delivered(jobOf(3), jobOf(4));
    const reader = house.member();
    for (const { custom_id: id } of controlsIn(card.components).filter(({ label }) => label === 'Save'))
      await reader.press(card, String(id)).reply();
    const list = await slash('/jobs saved', {}, reader);
    const menu = (controlsIn(list.components) as { custom_id: string; options?: MenuOption[] }[]).find(
      ({ custom_id: id }) => id.startsWith('stage'),
    );
    const option = menu?.options?.find(({ label }) => label === 'Rust Engineer 3 · Firm 3');
    const choose = reader.select(list, menu?.custom_id ?? '', [option?.value ?? '']);
    const asked = await choose.replyWhere((one) => one.text.includes('Where are you with this posting?'));
    expect(asked.id).toBe(list.id);
    await house.restartBot();
    await reader.press(asked, '✅ applied').replyWhere((one) => one.text.includes('✅ applied <t'));
    const done = await reader
      .press(asked, '💬 interview')
      .replyWhere((one) => one.text.includes('💬 interview <t'));
    expect(changesIn(done)).toBe('🔖 saved · ✅ applied · 💬 interview');
    const back = await reader
      .press(done, 'Back to the list')
      .replyWhere((one) => one.text.includes('Postings you marked: 2'));
    const filtered = await reader
      .press(back, '💬 interview (1)')
      .replyWhere((one) => one.text.includes('💬 interview · 1'));
    expect(changesIn(filtered)).toBe('💬 interview');
    // Not for me, and back: an undo brings back the stage with its history.
    const { custom_id: more } = controlsIn(card.components).filter(({ label }) => label === '···')[
      cardsIn(card).findIndex(({ url }) => url === linkOf(3))
    ] as { custom_id: string };
    const not = await reader.press(await reader.press(card, more).reply(), 'Not for me').reply();
    await reader.press(not, 'Undo').replyWhere((one) => one.text.includes('Undone'));
    expect(
      (await house.app.services.marks(`discord:${reader.id}`)).find(({ key }) => key === 'id:3'),
    ).toMatchObject({
      mark: 'interview',
      before: [{ mark: 'saved' }, { mark: 'applied' }],
    });
  });

  test('can be ended by taking the posting off the list; a forged button changes nothing', async () => {
    const card = await delivered(jobOf(3));
    const reader = house.member();
    await reader.press(card, 'Save').reply();
    const list = await slash('/jobs saved', {}, reader);
    const menu = (controlsIn(list.components) as { custom_id: string; options: MenuOption[] }[]).find(
      ({ custom_id: id }) => id.startsWith('stage'),
    );
    const shown = await reader
      .select(list, menu?.custom_id ?? '', [menu?.options[0]?.value ?? ''])
      .replyWhere((one) => one.text.includes('Where are you'));
    const button = controlsIn(shown.components).find(({ label }) => label === '🎉 offer') as {
      custom_id: string;
    };
    const real = button.custom_id;
    button.custom_id = real.replace(':offer@', ':nonsense@');
    await reader.press(shown, button.custom_id).reply();
    expect(await house.app.services.marks(`discord:${reader.id}`)).toMatchObject([{ mark: 'saved' }]);
    button.custom_id = real;
    await reader
      .press(shown, 'Take off the list')
      .replyWhere((one) => one.text.includes('You have not saved anything yet'));
    expect(await house.app.services.marks(`discord:${reader.id}`)).toEqual([]);
  });

  test('has a list with every stage that Discord accepts, in each language', { tags: 'long' }, async () => {
    const ids = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    await delivered(...ids.map((id) => jobOf(id)));
    const { services } = house.app;
    const account = `discord:${house.admin.id}`;
    const sent = async () => (await services.editions(account, 10)).flatMap(({ postings }) => postings);
    await expect.poll(async () => (await sent()).length).toBe(10);
    for (const [index, { key }] of (await sent()).entries())
      await services.markKept(account, key, MARKS[index % MARKS.length]);
    await services.hide(account, { company: 'Firm 3' });
    for (const locale of ['en-GB', 'de', 'es-ES']) {
      house.admin.record.locale = locale;
      const list = await slash('/jobs saved');
      expect(list.text).toContain('🏁');
      expect(list.components).toHaveLength(5);
    }
  });
});

describe('why a posting came', () => {
  test('is explained to anyone who asks: what it matched, and what the subscription asks for', async () => {
    const card = await delivered(jobOf(3));
    const reader = house.member();
    const why = await pressMore(reader, card, 'Why did I get this?');
    expect(why.ephemeral).toBe(true);
    expect(why.text).toBe(
      '**Rust Engineer 3** (Firm 3) is here because a subscription asks for **Rust**.\nIt matched Rust.',
    );
  });

  test('is explained to its owner as by /jobs why, also after a restart', async () => {
    const card = await delivered(jobOf(3));
    await house.restartBot();
    const { guild, admin } = house;
    const [choice] = await admin.autocomplete('/jobs why', 'subscription', '', {}, { guild });
    const ask = () => slash('/jobs why', { subscription: String(choice?.value), job: linkOf(3) });
    // A message appears before its delivery is recorded.
    await expect.poll(async () => (await ask()).text).toMatch(/was delivered/u);
    const why = await pressMore(admin, card, 'Why did I get this?');
    expect(why.text).toContain(`It matched Rust.\n${(await ask()).text}`);
  });
});

describe('on a message of several cards', () => {
  test('each has its own buttons', { tags: 'long' }, async () => {
    const message = await delivered(jobOf(3), jobOf(4), jobOf(5));
    const cards = cardsIn(message);
    expect(new Set(linksIn(message))).toEqual(new Set([3, 4, 5].map(linkOf)));
    const place = cards.findIndex(({ url }) => url === linkOf(4));
    const save = controlsIn(message.components).filter(({ label }) => label === 'Save')[place];
    const saved = await house.member().press(message, String(save?.custom_id)).reply();
    expect(saved.text).toMatch(/Saved: .*Rust Engineer 4/u);
  });
});

describe('on a long list', () => {
  test('the menu shows the card of one posting with its buttons', { tags: 'long' }, async () => {
    const ids = [3, 4, 5, 6, 7, 8];
    const message = await delivered(...ids.map((id) => jobOf(id)));
    expect(cardsIn(message)).toEqual([]);
    expect(new Set(linksIn(message))).toEqual(new Set(ids.map(linkOf)));
    const [menu] = controlsIn(message.components) as { custom_id: string; options: MenuOption[] }[];
    const option = menu?.options.find((one) => one.label.includes('Rust Engineer 4'));
    const reader = house.member();
    const picked = await reader.select(message, menu?.custom_id ?? '', [option?.value ?? '']).reply();
    expect(picked.ephemeral).toBe(true);
    expect(cardsIn(picked)).toEqual([{ url: linkOf(4), text: expect.stringContaining('Rust Engineer 4') }]);
    expect(picked.text).toContain('use them exactly as they are');
    await house.restartBot();
    expect((await reader.press(picked, 'Save').reply()).text).toMatch(/Saved: .*Rust Engineer 4/u);
    const list = await slash('/jobs saved', {}, reader);
    expect(list.text).toContain('Rust Engineer 4');
    // The message in the channel, not the private one with the button.
    const address = `https://discord.com/channels/${house.guild.id}/${message.channelId}/${message.id}`;
    expect(JSON.stringify(list.embeds)).toContain(address);
    await pressMore(reader, picked, 'Applied');
    const again = await slash('/jobs saved', {}, reader);
    expect(again.text).toContain('✅ applied');
    expect(JSON.stringify(again.embeds)).toContain(address);
  });
});

describe('on a message of version 0.1', () => {
  test('the three buttons and the menu still work', async () => {
    const message = await delivered(jobOf(3), jobOf(4));
    const save = controlsIn(message.components).find(({ label }) => label === 'Save');
    const [, , edition = '', ref = ''] = String(save?.custom_id).split(':');
    const button = (verb: string) => ({
      type: 2,
      style: 2,
      label: verb,
      custom_id: `m:${verb}:${edition}:${ref}`,
    });
    const menu = { type: 3, custom_id: `m:pick:${edition}:0`, options: [{ label: 'One', value: ref }] };
    const old = { flags: 0, embeds: [{ title: 'Rust Engineer' }] };
    const buttons = ['save', 'applied', 'dismiss'].map(button);
    Object.assign(message, old, { components: [{ type: 1, components: buttons }] });
    const reader = house.member();
    expect((await reader.press(message, 'save').reply()).text).toMatch(/Saved: \*\*Rust Engineer/u);
    expect((await reader.press(message, 'applied').reply()).text).toMatch(/Marked as applied/u);
    expect((await reader.press(message, 'dismiss').reply()).text).toMatch(/Not for you/u);
    Object.assign(message, { components: [{ type: 1, components: [menu] }] });
    const picked = await reader.select(message, menu.custom_id, [ref]).reply();
    expect(linksIn(picked)).toHaveLength(1);
  });
});

describe('the list of marked postings', () => {
  test('has pages, with complete links of any length', { tags: 'long' }, async () => {
    const long = (id: number) => `${linkOf(id)}&pad=${'x'.repeat(1200)}`;
    const jobs = Array.from({ length: 9 }, (_, index) => jobOf(10 + index, { apply_url: long(10 + index) }));
    await delivered(...jobs);
    const account = `discord:${house.admin.id}`;
    const sent = async () => house.app.services.editions(account, 10);
    await expect
      .poll(async () => (await sent()).flatMap((edition) => edition.postings).length, { timeout: 30_000 })
      .toBe(9);
    const editions = await sent();
    for (const edition of editions)
      for (const index of edition.postings.keys())
        await house.app.services.mark(account, edition.id, index, 'saved');
    const first = await slash('/jobs saved');
    expect(first.text).toMatch(/Postings you marked: 9/u);
    expect(first.text).toMatch(/Page 1 of \d/u);
    const seen = new Set<string>();
    let page = first;
    for (let number = 1; ; number++) {
      const text = JSON.stringify(page.embeds);
      for (let id = 10; id < 19; id++) if (text.includes(long(id))) seen.add(long(id));
      if (!page.text.includes('Next')) break;
      page = await house.admin
        .press(page, 'Next')
        .replyWhere((message) => message.text.includes(`Page ${number + 1} of`));
    }
    expect(seen.size).toBe(9);
  });
});

describe('preview', () => {
  test('shows totals and three cards as they would be posted, without their buttons', {
    tags: 'long',
  }, async () => {
    await delivered(jobOf(3), jobOf(4));
    const shown = await slash('/jobs preview', { tags: 'rust', exclude: 'Engineer 1', min_salary: 50_000 });
    expect(shown.ephemeral).toBe(true);
    expect(shown.text).toMatch(/\*\*3\*\* of 4 current postings match/u);
    expect(shown.text).toMatch(/last 30 days: .*\(\d+\)/u);
    expect(shown.text).toMatch(/rule “without Engineer 1”/u);
    expect(cardsIn(shown)).toHaveLength(3);
    expect(linksIn(shown)[0]).toBe(linkOf(3));
    expect(shown.text).toContain('use them exactly as they are');
    expect(controlsIn(shown.components).map(({ label }) => label)).toEqual([
      'Apply',
      'Apply',
      'Apply',
      'Subscribe to this',
    ]);
    expect((await slash('/jobs preview', { tags: 'solidity' })).text).toMatch(/Nothing matches right now/u);
    expect((await slash('/jobs preview', { tags: 'rust', include: 'zebra' })).text).toMatch(
      /The rule “mentioning zebra” leaves out everything\. Without it, 4 of 4 current postings would match\./u,
    );
  });

  test('shows hostile postings safely: endless titles, emoji, right-to-left, mentions, Markdown', async () => {
    const nasty = '@everyone <@123456789012345678> [x](https://evil.example) **`|| \u202Eabc 👩‍👩‍👧‍👦'.repeat(
      100,
    );
    await house.board.setJobs([
      jobOf(3, { title: nasty, company: nasty, location: nasty, tags: ['rust', nasty] }),
      jobOf(4, { title: '', company: '' }),
      jobOf(5, { title: '🦀'.repeat(3000), description: nasty }),
    ]);
    const shown = await slash('/jobs preview', { tags: 'rust' });
    expect(cardsIn(shown)).toHaveLength(3);
    expect(shown.text).toContain('…');
    expect(shown.pinged).toEqual([]);
  });

  test('shows as many postings as fit into one message', async () => {
    const long = (id: number) => `${linkOf(id)}&pad=${'x'.repeat(1900)}`;
    await house.board.setJobs([3, 4, 5].map((id) => jobOf(id, { apply_url: long(id) })));
    const shown = await slash('/jobs preview', { tags: 'rust' });
    expect(cardsIn(shown)).toHaveLength(1);
    expect(shown.text).toMatch(/\*\*3\*\* of 3 current postings match[\s\S]*exactly as they are/u);
  });

  test('says in one sentence that the jobs board is down', async () => {
    house.front.answer('reset');
    const shown = await slash('/jobs preview', { tags: 'rust' });
    expect(shown.text).toMatch(/does not answer right now/u);
  });
});
