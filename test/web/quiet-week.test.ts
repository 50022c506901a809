// A week that brings nothing: no mail, unless its reader asked for one. Then it says what nearly matched, and why not.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { attributionFaults } from '../../src/domain/attribution.js';
import { nextEditionAt } from '../../src/domain/cadence.js';
import { secret } from '../../src/domain/secret.js';
import { tellQuietWeeks } from '../../src/pipeline/quiet-weeks.js';
import { textsFor } from '../../src/render/texts.js';
import { headerOf } from '../helpers/mail.js';
import { put } from '../helpers/put.js';
import {
  openReaderHouse,
  pageLinks,
  READER,
  type ReaderHouse,
  rustJob,
  subscribeReader,
} from '../helpers/reader-house.js';
import { until } from '../helpers/until.js';

const caller = { account: READER.account };
const CADENCE = { every: 'weekly', day: 'monday', at: '09:00', timezone: 'Europe/Berlin' } as const;
const MINUTE = 60_000;
const DAY = 86_400_000;

let house: ReaderHouse;
let id: string;

beforeEach(async () => {
  house = await openReaderHouse();
  id = await subscribeReader(house, {
    cadence: { weekly: CADENCE.day, at: CADENCE.at },
    filter: { tags: ['rust'], exclude: ['intern'], minSalary: 80_000 },
  });
});

afterEach(() => house.close());

const now = () => house.app.pipeline.clock.now();

/** Goes to a minute after the next slot, and asks for what is due. */
async function nextWeek(): Promise<void> {
  house.advance(nextEditionAt(CADENCE, now()) + MINUTE - now());
  await house.settled();
  await tellQuietWeeks(house.app.pipeline);
}

async function askForIt(): Promise<void> {
  const [destination] = (await house.app.services.subscription(caller, id)).subscription.destinations;
  await house.app.services.edit(caller, id, {
    destinationId: destination!.id,
    destination: {
      sink: 'email',
      target: READER.address,
      cadence: { weekly: CADENCE.day, at: CADENCE.at },
      timezone: CADENCE.timezone,
      options: { quietWeek: true },
    },
  });
}

/** Announces a job that the filter removes, and waits until it was. */
async function miss(n: number, fields: Parameters<typeof rustJob>[1]): Promise<void> {
  await house.announce(rustJob(n, fields));
  await until(async () => (await house.app.services.why(caller, id, `id:${n}`)).fate === 'filtered', {
    what: `posting ${n}`,
  });
}

test('sends nothing to a reader who did not ask for it', async () => {
  await nextWeek();
  await nextWeek();
  expect(house.smtp.mails).toHaveLength(1);
});

test('says what nearly matched and which change would let it through, once', { tags: 'long' }, async () => {
  await askForIt();
  // The subscription is younger than this week.
  await nextWeek();
  expect(house.smtp.mails).toHaveLength(1);
  await miss(3, { title: 'Rust Intern', salary: '$90k - 140k' });
  await miss(4, { salary: '$40k - 50k' });
  await miss(5, { title: 'Second Rust Intern', salary: '$10k - 20k' });
  await nextWeek();
  const mail = await house.mail(2);
  expect(mail.subject).toMatch(/^No new postings this week: Rust/u);
  const { quiet } = textsFor('en').mail;
  for (const body of [mail.html ?? '', mail.text ?? '']) {
    expect(body).toContain(quiet.exclude({ word: 'intern' }));
    expect(body).toContain(quiet.minSalary({ pay: '$80k' }));
    expect(body).not.toContain('Second Rust Intern');
  }
  const jobs = [3, 4].map((n) => ({ key: String(n), applyUrl: rustJob(n).apply_url as string }));
  expect(attributionFaults({ format: 'html', body: mail.html ?? '' }, jobs)).toEqual([]);
  expect(
    attributionFaults({ format: 'text', body: mail.text ?? '', note: textsFor('en').card.note }, jobs),
  ).toEqual([]);
  expect(headerOf(mail, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
  const { unsubscribe = '', preferences = '' } = pageLinks(mail);
  expect(headerOf(mail, 'List-Unsubscribe')).toBe(`<${unsubscribe}>`);
  expect(await (await house.visit(preferences)).text()).toMatch(/name="quietWeek" value="yes" checked/u);

  await tellQuietWeeks(house.app.pipeline);
  expect(house.smtp.mails).toHaveLength(2);
  await house.press(unsubscribe);
  await nextWeek();
  expect(house.smtp.mails).toHaveLength(2);
});

/** How many mails about a quiet week were sent. A jump of the clock may cause others, about polls that did not happen. */
const told = () =>
  house.smtp.mails.filter(({ raw }) => raw.includes('Subject: No new postings this week')).length;

test('says nothing about a week that ended more than a day ago, or to a reader who paused', {
  tags: 'long',
}, async () => {
  await askForIt();
  await nextWeek();
  house.advance(nextEditionAt(CADENCE, now()) + 2 * DAY - now());
  await house.settled();
  await tellQuietWeeks(house.app.pipeline);
  expect(told()).toBe(0);
  house.advance(nextEditionAt(CADENCE, now()) - MINUTE - now());
  await house.settled();
  await house.app.services.pause(caller, id);
  house.advance(2 * MINUTE);
  await tellQuietWeeks(house.app.pipeline);
  expect(told()).toBe(0);
  await house.app.services.resume(caller, id);
});

const NEXT_TOKEN = 'reader+token/0002==';

/** Goes to a week later, in which `fields` nearly matched, and asks for what is due with another token. */
async function weekWithToken(fields: Parameters<typeof rustJob>[1]): Promise<void> {
  const { accounts } = house.app.pipeline.stores;
  await nextWeek();
  await miss(3, fields);
  house.advance(nextEditionAt(CADENCE, now()) + MINUTE - now());
  await house.settled();
  const account = await accounts.get(READER.account);
  await put(accounts, { id: READER.account, createdAt: 0, ...account, token: secret(NEXT_TOKEN) });
  await tellQuietWeeks(house.app.pipeline);
}

test('does not contain the token, also if the posting was recorded before it was the token', async () => {
  await askForIt();
  await weekWithToken({
    title: `Rust Intern ${NEXT_TOKEN}`,
    apply_url: `https://jobs.example/r/x3__me?t=${encodeURIComponent(NEXT_TOKEN)}`,
  });
  const mail = await house.mail(2);
  expect(mail.html).toContain('Rust Intern [token taken out]');
  for (const body of [mail.html ?? '', mail.text ?? '']) {
    expect(body).not.toContain('token/0002');
    expect(body).not.toContain('/r/x3__me');
  }
});

test('is held back when a rule of the filter is the token', async () => {
  await askForIt();
  await house.app.services.edit(caller, id, { filter: { tags: ['rust'], exclude: [NEXT_TOKEN] } });
  await weekWithToken({ title: `Rust Engineer ${NEXT_TOKEN}` });
  expect(house.smtp.mails).toHaveLength(1);
  expect(house.log.lines.join('\n')).toContain('held back: it contains the API token');
});

test('is not said of a week with a posting', { tags: 'long' }, async () => {
  await askForIt();
  await nextWeek();
  await house.announce(rustJob(3));
  await until(async () => (await house.app.services.why(caller, id, 'id:3')).fate === 'matched');
  house.advance(nextEditionAt(CADENCE, now()) + MINUTE - now());
  const digest = await house.mail(2);
  expect(digest.subject).toContain('Rust Engineer 3');
  await tellQuietWeeks(house.app.pipeline);
  expect(house.smtp.mails).toHaveLength(2);
});

test('can be asked for and turned off on the preferences page', { tags: 'long' }, async () => {
  const options = async () =>
    (await house.app.services.subscription(caller, id)).subscription.destinations[0]?.options;
  await askForIt();
  await nextWeek();
  await nextWeek();
  const { preferences = '' } = pageLinks(await house.mail(2));
  const form = { do: 'save', every: 'weekly', day: 'monday', at: '09:00', timezone: 'UTC', locale: 'en' };
  await house.press(preferences, form);
  expect(await options()).toBeUndefined();
  await house.press(preferences, { ...form, quietWeek: 'yes' });
  expect(await options()).toEqual({ quietWeek: true });
});
