// A job in several places as its readers get it: one card, with each other place as a link to that posting, byte for byte.
import { describe, expect, test } from 'vitest';
import type { EditionPosting } from '../../src/domain/edition.js';
import { cardsOf } from '../../src/domain/same-job.js';
import { secret } from '../../src/domain/secret.js';
import { createTelegramSink } from '../../src/sinks/telegram/sink.js';
import { startDiscord } from '../helpers/discord/start-discord.js';
import { bodyOf, cardsIn } from '../helpers/discord-cards.js';
import { deliverTo, discordSink, sampleDelivery, silent } from '../helpers/discord-delivery.js';
import { later } from '../helpers/later.js';
import { mailDelivery, deliverTo as mailTo, parseMail, setupMail } from '../helpers/mail.js';
import { memoryTable, testClock } from '../helpers/memory-table.js';
import { startSmtp } from '../helpers/smtp.js';
import { startTelegram } from '../helpers/telegram.js';
import { contractDelivery, contractPosting, NASTY_LINKS, realGuard } from './contract-data.js';

const CITIES = ['Berlin', 'Lisbon', 'Porto', 'Oslo', 'Rome', 'Paris', 'Wien', 'Graz', 'Lund', 'Cork'];

/** One job in several places, each with its own link. */
function places(count: number, from = 1, fields: Partial<EditionPosting> = {}): EditionPosting[] {
  return CITIES.slice(0, count).map((location, index) => {
    const link = NASTY_LINKS[index];
    return contractPosting(from + index, {
      title: `Rust Engineer of team ${from}`,
      location,
      ...(link && from === 1 ? { applyUrl: link } : {}),
      ...fields,
    });
  });
}

const withheld = (n: number): EditionPosting => {
  const { applyUrl: _none, ...rest } = contractPosting(n, {
    title: 'Rust Engineer of team 1',
    location: 'Bern',
  });
  return { ...rest, badLink: true };
};

describe('Discord', () => {
  async function open() {
    const discord = await startDiscord();
    const { sink, rest } = discordSink(discord);
    later(discord.close, () => rest.close());
    return { discord, sink };
  }

  test('shows a card with a link for each other place, and a posting without a link on its own', async () => {
    const { discord, sink } = await open();
    const { id } = discord.addGuild({ channels: [{ name: 'jobs' }] }).channel('jobs');
    const postings = [...places(8), withheld(20)];
    expect(await deliverTo(sink, sampleDelivery(id, { postings }))).toBeUndefined();
    const [message] = discord.messages(id);
    const cards = cardsIn(message ?? {});
    expect(cards.map(({ url }) => url)).toEqual([NASTY_LINKS[0], undefined]);
    expect(cards[0]?.text).toContain(`also: [Lisbon](<${NASTY_LINKS[1]}>), `);
    // A parenthesis would end a link behind words.
    expect(cards[0]?.text).toContain(`Oslo: <${NASTY_LINKS[3]}>`);
    expect(cards[1]?.text).toContain('Apply link withheld');
    expect(discord.violations).toEqual([]);
  });

  test('shows up to five cards, and lists more, whatever the number of places', async () => {
    const { discord, sink } = await open();
    const { id } = discord.addGuild({ channels: [{ name: 'jobs' }] }).channel('jobs');
    const jobs = (count: number) => Array.from({ length: count }, (_, n) => places(3, 100 * (n + 1))).flat();
    for (const count of [5, 6]) {
      const whole = sampleDelivery(id, { postings: jobs(count) });
      const parts = sink.pack?.(whole.postings, whole.destination) ?? [];
      expect(parts).toEqual([whole.postings]);
      expect(await deliverTo(sink, whole)).toBeUndefined();
    }
    const [cards, list] = discord.messages(id);
    expect(cardsIn(cards ?? {})).toHaveLength(5);
    expect(cardsIn(list ?? {})).toEqual([]);
    const body = bodyOf(list ?? {});
    expect(body.match(/- \[/gu)).toHaveLength(6);
    expect(body.match(/also: \[Lisbon\]/gu)).toHaveLength(6);
    expect(body).toContain('18 new postings');
    expect(discord.violations).toEqual([]);
  });

  test('makes one forum post of a card', async () => {
    const { discord, sink } = await open();
    const forum = discord.addGuild({ channels: [{ name: 'board', type: 'forum' }] }).channel('board');
    const whole = sampleDelivery(forum.id, { postings: [...places(3), ...places(2, 50)] });
    const destination = { ...whole.destination, options: { forum: 'posting' as const } };
    const parts = sink.pack?.(whole.postings, destination) ?? [];
    expect(parts.map(({ length }) => length)).toEqual([3, 2]);
    for (const [part, postings] of parts.entries()) {
      const one = { ...whole, destination, part, parts: 2, postings: postings as EditionPosting[] };
      expect(await deliverTo(sink, one)).toBeUndefined();
      expect(await deliverTo(sink, { ...one, attempt: 2 })).toBeUndefined();
    }
    const posts = discord.allMessages().filter((message) => message.id === message.channelId);
    expect(posts.map((post) => cardsIn(post).length)).toEqual([1, 1]);
    const made = discord.requests.filter((one) => one.path.endsWith('/threads') && one.method === 'POST');
    expect(made.map(({ body }) => body)).toMatchObject(
      [1, 50].map((team) => ({ name: `Rust Engineer of team ${team} · Acme Labs` })),
    );
    expect(discord.violations).toEqual([]);
  });
});

describe('Telegram', () => {
  const CHANNEL = '-1001234567890';

  async function open() {
    const far = await startTelegram();
    far.addChat(CHANNEL, 'Rust jobs');
    const clock = testClock();
    const table = memoryTable(clock);
    const sink = createTelegramSink({ token: secret(far.token), apiUrl: far.url, log: silent, clock, table });
    later(
      () => far.stop(),
      () => sink.close?.(),
    );
    return { far, sink };
  }

  test('shows a card whose places are buttons', async () => {
    const { far, sink } = await open();
    const postings = [...places(3), withheld(20)];
    const delivery = contractDelivery(sink, CHANNEL, { postings });
    await sink.deliver(delivery, CHANNEL, realGuard(postings));
    const [message] = far.sent;
    expect(message?.buttons.map(({ text, url }) => [text, url])).toEqual([
      ['1. Rust Engineer of team 1', NASTY_LINKS[0]],
      ['1. Lisbon', NASTY_LINKS[1]],
      ['1. Porto', NASTY_LINKS[2]],
    ]);
    expect(message?.text).toMatch(/Berlin · Remote\nalso: Lisbon, Porto\n/u);
    expect(message?.text).toContain('⚠️ Apply link withheld');
  });

  test('shows links in the text where a button is not accepted', async () => {
    const { far, sink } = await open();
    const postings = places(3, 30, { remote: false }).map((one) =>
      one.location === 'Porto' ? { ...one, applyUrl: 'https://localhost/r/1__me?a=1&b=2' } : one,
    );
    const delivery = contractDelivery(sink, CHANNEL, { postings });
    await sink.deliver(delivery, CHANNEL, realGuard(postings));
    expect(far.sent[0]?.buttons).toEqual([]);
    expect(far.sent[0]?.text).toContain(', <a href="https://localhost/r/1__me?a=1&amp;b=2">Porto</a>\n');
  });

  test('lists places as links, at most a hundred parts with markup in a message', async () => {
    const { far, sink } = await open();
    const cadence = { every: 'weekly', day: 'monday', at: '09:00', timezone: 'Europe/Berlin' } as const;
    const postings = Array.from({ length: 14 }, (_, n) => places(10, 100 * n + 1)).flat();
    const whole = contractDelivery(sink, CHANNEL, { postings, every: 'weekly' });
    const destination = { ...whole.destination, cadence };
    const parts = (sink.pack?.(postings, destination) ?? []) as readonly EditionPosting[][];
    expect(parts.flat().map(({ key }) => key)).toEqual(postings.map(({ key }) => key));
    for (const [part, members] of parts.entries()) {
      const one = { ...whole, destination, part, parts: parts.length, postings: members, all: postings };
      await sink.deliver(one, CHANNEL, realGuard(members));
    }
    const links = far.sent.map(({ text }) => text.match(/<a href/gu)?.length ?? 0);
    expect(links.reduce((sum, count) => sum + count, 0)).toBe(140);
    expect(Math.max(...far.sent.map(({ text }) => text.match(/<(?:a|b|i)\b/gu)?.length ?? 0))).toBeLessThan(
      100,
    );
    expect(far.sent.length).toBeLessThan(4);
  });
});

test('a mail shows a card with a link for each other place, in HTML and in text', async () => {
  const smtp = await startSmtp();
  const setup = setupMail(smtp.url);
  later(
    () => smtp.close(),
    () => setup.sink.close?.(),
  );
  const postings = [...places(8), withheld(20), contractPosting(40)];
  expect(cardsOf(postings)).toHaveLength(3);
  await mailTo(setup, { ...mailDelivery(), postings });
  const { subject, html = '', text = '' } = await parseMail(smtp.mails.at(-1)!.raw);
  expect(subject).toMatch(/\+ 9 more$/u);
  expect(html.match(/Rust Engineer of team 1</gu)).toHaveLength(2);
  expect(html).toMatch(/also: <a [^>]*>Lisbon<\/a>, <a /u);
  expect(html.match(/Apply link withheld/gu)).toHaveLength(1);
  for (const link of NASTY_LINKS)
    expect(text.split('\n').filter((line) => line.endsWith(link))).toHaveLength(1);
  expect(text).toContain(`\n- Lisbon: ${NASTY_LINKS[1]}\n`);
});
