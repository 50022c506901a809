// Reminders in Discord: turned on in the list of marked postings, sent as a direct message with the exact apply link, and
// answered with its buttons.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { noticeButtons } from '../../src/bot/views/notice.js';
import { createDiscordRest, type DiscordRest } from '../../src/discord/rest.js';
import type { Posting } from '../../src/domain/posting.js';
import type { Reminder } from '../../src/domain/reminders.js';
import { secret } from '../../src/domain/secret.js';
import type { Mark } from '../../src/domain/stages.js';
import { createDiscordMessenger } from '../../src/sinks/discord/messenger.js';
import { type BotHouse, openHouse } from '../helpers/bot-house.js';
import type { MessageRecord } from '../helpers/discord/types.js';
import { silent } from '../helpers/discord-delivery.js';

const AT = Date.parse('2026-11-17T10:00Z');
const LINK = 'https://jobs.example/r/1__me?a=1&b=%20';
let house: BotHouse;
let rest: DiscordRest;

beforeAll(async () => {
  house = await openHouse({ discord: { rateWindowMs: 100 } });
});
beforeEach(async () => {
  await house.anew();
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
async function told(kind: Reminder['kind'], one: Posting, locale = 'en'): Promise<MessageRecord> {
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

const stage = async () => (await house.services.marks(account())).map(({ key, mark }) => [key, mark]);

test('of a deadline quotes the posting, has the exact link, and moves the posting', async () => {
  await put(posting(), 'saved');
  const message = await told('deadline', posting());
  expect(message.text).toMatch(
    /^🔔 Rust \\\*Engineer\\\* \(Acme\): the last day to apply is Friday,? 27 November 2026\. The posting says: “Apply by 27 November 2026”\./u,
  );
  expect(message.text).toContain('use them exactly as they are');
  expect(message.pinged).toEqual([]);
  expect(JSON.stringify(message)).toContain(JSON.stringify(LINK));
  const done = await house.admin.press(message, '✅ applied').replyWhere(said('✅ applied: '));
  expect(done.id).toBe(message.id);
  expect(await stage()).toEqual([['id:1', 'applied']]);
  await house.admin.press(done, 'Saved postings').replyWhere(said('Postings you marked: 1'));
});

test('has a link that fits no button in the message, byte for byte', async () => {
  const applyUrl = `https://jobs.example/r/${'x'.repeat(900)}__me`;
  const message = await told('deadline', posting({ applyUrl }));
  expect(JSON.stringify(message)).toContain(`<${applyUrl}>`);
});

test('of an application asks again in a week, and takes the answer', async () => {
  const { applyUrl: _link, ...one } = posting();
  await put(one, 'applied');
  const message = await told('reply', one);
  expect(message.text).toMatch(/you applied on Tuesday,? 17 November 2026\. Did you hear back\?/u);
  const later = await house.admin.press(message, 'Ask again in a week').replyWhere(said('in a week: '));
  expect(later.text).toContain('I will ask again in a week: **Rust \\*Engineer\\*** (Acme).');
  const [mark] = await house.services.marks(account());
  expect(mark?.remindAt).toBeGreaterThan(Date.now() + 6 * 86_400_000);
  const again = await told('reply', one, 'de');
  expect(again.text).toContain('Du hast dich am Dienstag, 17. November 2026 beworben.');
  await house.admin.press(again, '💬 Vorstellungsgespräch').replyWhere(said('💬 interview: '));
  expect(await stage()).toEqual([['id:1', 'interview']]);
  await house.services.moveMarked(account(), 'id:1', undefined);
  const last = await told('reply', one, 'es');
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
  const message = await told('deadline', posting());
  await house.admin.press(message, 'Turn off reminders').replyWhere(said('Reminders are off.'));
  expect(await house.services.reminders(account())).toBe(false);
});

test('whose link would be altered is held back', async () => {
  const tell = createDiscordMessenger(rest, { log: silent });
  const before = house.admin.dms().length;
  const reminder = { kind: 'deadline', posting: posting(), at: AT, timezone: 'UTC' } as const;
  // Without its button the message has no link at all.
  expect(await tell({ kind: 'reminder', subject: 'x', account: account(), text: 'x', reminder })).toBe(false);
  expect(house.admin.dms()).toHaveLength(before);
});
