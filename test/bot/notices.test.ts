// Notices to owners have buttons for the fix. They work after a restart, and only for the owner. Reminders are sent the same
// way, with the exact apply link.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { noticeButtons } from '../../src/bot/views/notice.js';
import { createDiscordRest, type DiscordRest } from '../../src/discord/rest.js';
import type { Posting } from '../../src/domain/posting.js';
import type { Reminder } from '../../src/domain/reminders.js';
import { secret } from '../../src/domain/secret.js';
import type { Mark } from '../../src/domain/stages.js';
import type { Notice } from '../../src/ports/notice.js';
import { createDiscordMessenger } from '../../src/sinks/discord/messenger.js';
import { type BotHouse, openHouse } from '../helpers/bot-house.js';
import type { MessageRecord } from '../helpers/discord/types.js';
import { silent } from '../helpers/discord-delivery.js';

let house: BotHouse;
let rest: DiscordRest;
beforeAll(async () => {
  // The client of each test counts its requests apart from the bot. Both together send more to one channel, and more in a
  // second, than Discord usually allows.
  house = await openHouse({ discord: { rateWindowMs: 100, globalPerSecond: 200 } });
});
beforeEach(async () => {
  await house.newServer();
  rest = createDiscordRest({ token: secret(house.discord.token), apiUrl: house.discord.apiUrl, log: silent });
});
afterEach(async () => {
  expect(house.discord.violations).toEqual([]);
  expect(house.logs.filter((line) => line.message === 'interaction failed')).toEqual([]);
  await rest.close();
});
afterAll(() => house.close());

const account = () => `discord:${house.admin.id}`;
const said = (text: string) => (message: MessageRecord) => message.text.includes(text);
const stored = () => house.app.services.subscriptions({ account: account() });

async function subscribed() {
  const options = { tags: 'rust', channel: house.guild.channel('jobs') };
  await house.admin.slash('/jobs subscribe', options, { guild: house.guild }).reply();
  const [report] = await stored();
  return report?.subscription.id as string;
}

/** The direct message of a notice. */
async function told(notice: Partial<Notice>): Promise<MessageRecord> {
  const tell = createDiscordMessenger(rest, { log: silent, buttonsOf: noticeButtons });
  const whole = { kind: 'destination', subject: 'x', account: account(), text: 'Stopped.', ...notice };
  expect(await tell(whole as Notice)).toBe(true);
  return house.admin.dms().at(-1) as MessageRecord;
}

test('about a parked place offer Resume, another place and Remove, and work after a restart', {
  tags: 'long',
}, async () => {
  const subscription = await subscribed();
  await house.services.pause({ account: account() }, subscription);
  const data = {
    fix: 'mayNotPost',
    about: 'Rust',
    sink: 'discord',
    channel: 'jobs',
    server: 'Rust @everyone',
  };
  const notice = await told({ subscription, data });
  expect(notice.text).toMatch(/^🔔 Rust · #jobs · Rust \\@everyone: I may not post/u);
  expect(notice.pinged).toEqual([]);
  await house.restartBot();
  const moved = await house.admin
    .press(notice, 'Choose another place')
    .replyWhere(said('What would you like to change?'));
  expect(moved.text).toMatch(/You can only choose a channel in its server/u);
  const again = await told({ subscription, data: { ...data, about: 'Rust again' } });
  await house.admin.press(again, 'Resume').replyWhere(said('Resumed'));
  expect((await stored())[0]?.state).toBe('active');
  const last = await told({ subscription, data: { ...data, about: 'Rust at last' } });
  await house.admin.press(last, 'Remove').replyWhere(said('Removed'));
  expect(await stored()).toEqual([]);
});

test('about a rejected token open the form for a new one; about a server that was left, another place', async () => {
  const subscription = await subscribed();
  const token = await told({ kind: 'token', data: { source: 'the board' } });
  const modal = await house.admin.press(token, 'Set token').modal();
  const done = await house.admin.submit(modal, { token: house.board.token }).reply();
  expect(done.text).toMatch(/works and is stored/u);
  const left = await told({
    kind: 'left',
    subject: 'l',
    subscription,
    data: { count: 1, days: 30, server: 'Web3' },
  });
  expect(left.text).toMatch(/^🔔 Web3: I was removed from a Discord server/u);
  const panel = await house.admin
    .press(left, 'Choose another place')
    .replyWhere(said('What would you like to change?'));
  await house.admin.press(panel, 'To my direct messages').replyWhere(said('by direct message'));
  const several = await told({ kind: 'left', subject: 'm', data: { count: 2, days: 30 } });
  await house.admin.press(several, 'My subscriptions').replyWhere(said('1 subscription'));
});

test('refuse everyone else, however the button is pressed', async () => {
  const subscription = await subscribed();
  const other = house.member();
  for (const one of noticeButtons(
    { kind: 'destination', subject: 'x', account: account(), text: '', subscription },
    house.admin.id,
    'en',
  )) {
    const id = 'custom_id' in one ? one.custom_id : '';
    // Someone puts the owner's button under a message of the channel, without a fault of Discord.
    const channel = house.guild.channel('general').id;
    const body = {
      content: id,
      components: [{ type: 1, components: [{ type: 2, style: 2, label: 'Press', custom_id: id }] }],
    };
    const posted = (await rest.request('POST', `/channels/${channel}/messages`, {
      body: { ...body, allowed_mentions: { parse: [] } },
    })) as { id: string };
    const message = house.discord.messages(channel).find((one) => one.id === posted.id) as MessageRecord;
    const reply = await other.press(message, 'Press').reply();
    expect(reply.ephemeral).toBe(true);
    expect(reply.text).toMatch(/belongs to someone else/u);
    // With the stranger's own id it gains nothing: the service checks the right.
    const forged = id.replace(house.admin.id, other.id);
    const second = (await rest.request('POST', `/channels/${channel}/messages`, {
      body: {
        content: forged,
        components: [{ type: 1, components: [{ type: 2, style: 2, label: 'Press', custom_id: forged }] }],
        allowed_mentions: { parse: [] },
      },
    })) as { id: string };
    const theirs = house.discord.messages(channel).find((one) => one.id === second.id) as MessageRecord;
    expect((await other.press(theirs, 'Press').reply()).text).toMatch(/You do not have this subscription/u);
  }
  expect((await stored()).map(({ state }) => state)).toEqual(['active']);
});

const AT = Date.parse('2026-11-17T10:00Z');
const LINK = 'https://jobs.example/r/1__me?a=1&b=%20';

describe('a reminder', () => {
  function posting(fields: Partial<Posting> = {}): Posting {
    const applyBy = { day: '2026-11-27', words: 'Apply by 27 November 2026' };
    return { key: 'id:1', title: 'Rust *Engineer*', company: 'Acme', applyUrl: LINK, applyBy, ...fields };
  }

  async function put(one: Posting, mark: Mark): Promise<void> {
    await house.app.pipeline.stores.marks.update(account(), (before) => ({
      hiddenCompanies: [],
      hiddenTags: [],
      postings: { ...before?.postings, [one.key]: { mark, at: AT, posting: one } },
    }));
  }

  /** The direct message of a reminder. */
  async function reminderOf(kind: Reminder['kind'], one: Posting, locale = 'en'): Promise<MessageRecord> {
    const tell = createDiscordMessenger(rest, {
      log: silent,
      buttonsOf: noticeButtons,
      localeOf: () => locale,
    });
    const reminder = { kind, posting: one, at: AT, timezone: 'UTC' };
    const notice = { kind: 'reminder', subject: `${kind}${one.key}${locale}`, account: account(), text: 'x' };
    expect(await tell({ ...notice, kind: 'reminder', reminder })).toBe(true);
    return house.admin.dms().at(-1) as MessageRecord;
  }

  const stages = async () => (await house.services.marks(account())).map(({ key, mark }) => [key, mark]);

  test('of a deadline quotes the posting, has the exact link, and moves the posting', async () => {
    await put(posting(), 'saved');
    const message = await reminderOf('deadline', posting());
    expect(message.text).toMatch(
      /^🔔 Rust \\\*Engineer\\\* \(Acme\): the last day to apply is Friday,? 27 November 2026\. The posting says: “Apply by 27 November 2026”\./u,
    );
    expect(message.text).toContain('use them exactly as they are');
    expect(message.pinged).toEqual([]);
    expect(JSON.stringify(message)).toContain(JSON.stringify(LINK));
    const done = await house.admin.press(message, '✅ applied').replyWhere(said('✅ applied: '));
    expect(done.id).toBe(message.id);
    expect(await stages()).toEqual([['id:1', 'applied']]);
    await house.admin.press(done, 'Saved postings').replyWhere(said('Postings you marked: 1'));
  });

  test('has a link that fits no button in the message, byte for byte', async () => {
    const applyUrl = `https://jobs.example/r/${'x'.repeat(900)}__me`;
    const message = await reminderOf('deadline', posting({ applyUrl }));
    expect(JSON.stringify(message)).toContain(`<${applyUrl}>`);
  });

  test('of an application asks again in a week, and takes the answer', async () => {
    const { applyUrl: _link, ...one } = posting();
    await put(one, 'applied');
    const message = await reminderOf('reply', one);
    expect(message.text).toMatch(/you applied on Tuesday,? 17 November 2026\. Did you hear back\?/u);
    const later = await house.admin.press(message, 'Ask again in a week').replyWhere(said('in a week: '));
    expect(later.text).toContain('I will ask again in a week: **Rust \\*Engineer\\*** (Acme).');
    const [mark] = await house.services.marks(account());
    expect(mark?.remindAt).toBeGreaterThan(Date.now() + 6 * 86_400_000);
    const again = await reminderOf('reply', one, 'de');
    expect(again.text).toContain('Du hast dich am Dienstag, 17. November 2026 beworben.');
    await house.admin.press(again, '💬 Vorstellungsgespräch').replyWhere(said('💬 interview: '));
    expect(await stages()).toEqual([['id:1', 'interview']]);
    // An older message: the posting has moved since, and is not asked about.
    const old = await reminderOf('reply', { ...one, title: 'Rust' });
    await house.admin.press(old, 'Ask again in a week').replyWhere(said('💬 interview: '));
    await house.services.moveMarked(account(), 'id:1', undefined);
    const last = await reminderOf('reply', one, 'es');
    await house.admin.press(last, '🎉 propuesta recibida').replyWhere(said('not on your list any more'));
  });

  test('are turned on and off in the list, and off by the reminder itself', async () => {
    await put(posting(), 'saved');
    const list = await house.admin.slash('/jobs saved').reply();
    const on = await house.admin.press(list, 'Turn on reminders').replyWhere(said('Reminders are on.'));
    expect(await house.services.reminders(account())).toBe(true);
    const back = await house.admin.press(on, 'Saved postings').replyWhere(said('Postings you marked: 1'));
    await house.admin.press(back, 'Turn off reminders').replyWhere(said('Reminders are off.'));
    expect(await house.services.reminders(account())).toBe(false);
    await house.services.setReminders(account(), true);
    const message = await reminderOf('deadline', posting());
    await house.admin.press(message, 'Turn off reminders').replyWhere(said('Reminders are off.'));
    expect(await house.services.reminders(account())).toBe(false);
  });

  test('whose link would be altered is held back', async () => {
    const tell = createDiscordMessenger(rest, { log: silent });
    const before = house.admin.dms().length;
    const reminder = { kind: 'deadline', posting: posting(), at: AT, timezone: 'UTC' } as const;
    // Without its button the message has no link at all.
    expect(await tell({ kind: 'reminder', subject: 'x', account: account(), text: 'x', reminder })).toBe(
      false,
    );
    expect(house.admin.dms()).toHaveLength(before);
  });
});
