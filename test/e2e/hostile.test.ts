// Malicious postings through the real process into every output: each is shown, harmless, with its own link byte for
// byte or with none.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../src/board/job.js';
import { en } from '../../src/render/texts.js';
import { type FullHouse, openFullHouse, READERS } from '../helpers/full-house.js';
import { headerOf } from '../helpers/mail.js';
import type { Program } from '../helpers/process.js';
import {
  activeParts,
  type Shown,
  shownFeed,
  shownHtml,
  shownJson,
  shownMail,
  shownMessage,
} from '../helpers/shown.js';
import { until } from '../helpers/until.js';
import { NASTY_LINKS } from '../sinks/contract-data.js';

/** Far longer than it takes, for busy machines. */
const PATIENCE = 240_000;
const ADMIN_TOKEN = 'operators-own-secret-0123456789';
const READER_TOKEN = 'readers-own-token';

/** The content of every field, in one posting each. */
const attacks = (user: string, role: string): readonly string[] => [
  'Bcc\r\nBcc: victim@example.org\r\n\r\nbody',
  `@everyone @here <@${user}> <@&${role}> <@1> <#1> </help:1>`,
  '[x](javascript:alert(1)) [y](<https://evil.example/>) ![z](https://evil.example/p.png)',
  '<script>alert(1)</script><img src=x onerror=alert(1)><a href="javascript:alert(1)">x</a>',
  ']]><script>alert(2)</script><![CDATA[ &lt;script&gt; &amp;lt;script&amp;gt;',
  '\u202egnp.exe\u202c \u2066hidden\u2069 a\u200bb\ufeffc\u00ad',
  `" onmouseover="alert(3)" x='y' \`code\` \`\`\`block\`\`\` ||spoiler|| **b** __u__ ~~s~~`,
  '\u001b[31mred\u0007 {{ 7 | times: 6 }} {% raw %} <%= 7 %> $' + '{7*7}',
  'https://evil.example/path www.evil.example discord://evil ftp://evil.example',
  'x'.repeat(4000),
];
const BAD_LINKS = [
  'javascript:alert(1)//https://board.example/r/x',
  'data:text/html,<script>alert(1)</script>',
  'https://user:password@board.example/r/x',
  `https://board.example/r/${'x'.repeat(3000)}`,
  'not a link',
  '//board.example/r/x',
  'https://board.example/r/x\r\nBcc: victim@example.org',
  'https://board.example/r/"><script>alert(1)</script>',
  'https://board.example/r/\u202egnp',
];
const LISTING = 'https://board.example/listing/';

/** Words of the operator's filter; every posting has one of them. */
const WORDS = ['marker', '<script>alert(1)</script>', '[x](javascript:alert(1))', '@everyone'];

/** A posting that can be recognized by its mark wherever it is shown. */
const marked = (id: number, fields: Job): Job => ({
  id: String(id),
  url: LISTING + id,
  postedAt: '2026-11-20',
  ...fields,
  title: `Marker ${id} ${fields.title ?? ''}`.trim(),
});
const linkOf = (index: number) =>
  `${NASTY_LINKS[index % NASTY_LINKS.length]}${index < NASTY_LINKS.length ? '' : `&n=${index}`}`;

function hostileJobs(user: string, role: string): readonly Job[] {
  const attacking = attacks(user, role).map((text, index) =>
    marked(100 + index, {
      title: text,
      company: `${index} ${text}`,
      location: text,
      description: text,
      salary: text,
      tags: [text, 'rust'],
      extra: text,
      apply_url: linkOf(index),
    }),
  );
  const linked = BAD_LINKS.map((apply_url, index) =>
    marked(200 + index, { company: `Bad ${index}`, apply_url }),
  );
  return [...attacking, ...linked];
}

let house: FullHouse;
let jobs: readonly Job[];
/** By the name of the output. */
const shown = new Map<string, readonly Shown[]>();
const marks = (some = jobs) => some.map(({ title }) => String(title).slice(0, 10));

/** Everything that has arrived, as its reader gets it. */
async function arrived(program: Program): Promise<ReadonlyMap<string, readonly Shown[]>> {
  const { discord, guild, user, receiver } = house;
  const channel = (name: string) => discord.messages(guild.channel(name).id).map(shownMessage);
  const mails = async (reader: keyof typeof READERS) => (await house.mails(reader)).flatMap(shownMail);
  const lines = program.stdout.filter((line) => line.startsWith('{"event":"edition"'));
  return new Map([
    ['the channel', channel('jobs')],
    ['the digest on Discord', channel('digests')],
    ['the direct messages', user.dms().map(shownMessage)],
    ['the mails at once', await mails('now')],
    ['the weekly mails', await mails('weekly')],
    ['the webhook', receiver.received.map(({ raw }) => shownJson(raw))],
    ['the console', lines.map(shownJson)],
  ]);
}

const wordsOf = (parts: readonly Shown[] = []) => parts.map(({ words }) => words).join('\n');
const linksOf = (parts: readonly Shown[] = []) => parts.flatMap(({ links }) => links);

async function publish(program: Program, some: readonly Job[]): Promise<void> {
  await house.board.setJobs([...some, { id: '1', title: 'Marker of old' }]);
  const complete = async () => {
    const all = [...(await arrived(program)).values()].map(wordsOf);
    return all.every((words) => marks(some).every((mark) => words.includes(mark)));
  };
  await until(complete, { what: 'every posting in every output', timeoutMs: 60_000 });
}

async function previews(): Promise<readonly Shown[]> {
  const { user, guild } = house;
  const asked = [{ tags: 'rust' }, { include: WORDS.slice(1).join(', ') }];
  const replies = asked.map((options) => user.slash('/jobs preview', options, { guild }).reply(20_000));
  return (await Promise.all(replies)).map(shownMessage);
}

beforeAll(async () => {
  house = await openFullHouse({
    jobs: [{ id: '1', title: 'Marker of old' }],
    tokens: [{ token: 'operators-token' }, { token: READER_TOKEN }],
    filter: { include: WORDS },
    env: { ADMIN_TOKEN, SOURCE_NAME: 'Example Jobs' },
  });
  const { user, guild, discord } = house;
  jobs = hostileJobs(user.id, guild.role('readers').id);
  try {
    const line = ['token', 'set', '--account', `discord:${user.id}`];
    expect(await house.command(line, { input: READER_TOKEN })).toMatchObject({ code: 0 });
    const program = house.start(['run']);
    const ready = () => program.json().some(({ baseline }) => baseline === true);
    await program.until('the baseline', ready, 60_000);
    // Alone, so that the subject of a mail names it.
    await publish(program, jobs.slice(0, 1));
    await publish(program, jobs);
    await discord.ready();
    const { edition, feed } = await house.readerPages(program);
    for (const [name, parts] of await arrived(program)) shown.set(name, parts);
    shown.set('the edition page', [shownHtml(edition)]);
    shown.set('the feed', [await shownFeed(feed)]);
    shown.set('the preview', await previews());
    const admin = await house.adminPages(program, ADMIN_TOKEN);
    shown.set('the operator’s pages', admin.map(shownHtml));
    expect(await house.stop(program)).toBe(0);
  } finally {
    await house.close();
  }
}, PATIENCE);

const DISCORD = ['the channel', 'the digest on Discord', 'the direct messages'];
const MACHINES = ['the webhook', 'the console'];
const PEOPLE = [...DISCORD, 'the mails at once', 'the weekly mails', 'the feed'];
const OUTPUTS = [...PEOPLE, ...MACHINES, 'the edition page', 'the preview', 'the operator’s pages'];
const OWN =
  /^(?:https:\/\/crier\.example\.org\/|mailto:jobs@crier\.example\.org|cid:|\.{0,2}\/|[?#]|https:\/\/crier\.example\.org$)/u;
/** Characters that reorder or hide text, or move the cursor of a terminal. */
const HIDING =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not be there
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;

describe.each(OUTPUTS)('%s', (name) => {
  test('links only to apply links, unchanged, and to its own pages', () => {
    const good = jobs.slice(0, -BAD_LINKS.length).map(({ apply_url }) => String(apply_url));
    const links = linksOf(shown.get(name));
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((link) => !good.includes(link) && !OWN.test(link))).toEqual([]);
  });

  test('hides and reorders nothing', () => {
    const parts = shown.get(name) ?? [];
    expect(wordsOf(parts)).not.toBe('');
    for (const { words, html = '' } of parts)
      expect(HIDING.exec(words + html)?.[0].codePointAt(0)).toBe(undefined);
  });

  test('never has the listing address in the place of a link', () => {
    const all = JSON.stringify(shown.get(name));
    expect(all).not.toContain(LISTING);
    expect(all.toLowerCase()).not.toContain(encodeURIComponent(LISTING).toLowerCase());
  });
});

describe.each([...PEOPLE, ...MACHINES])('%s', (name) => {
  test('shows every posting, and each good link byte for byte', () => {
    const parts = shown.get(name);
    for (const mark of marks()) expect(wordsOf(parts)).toContain(mark);
    const links = linksOf(parts);
    for (const [index] of attacks('', '').entries()) expect(links).toContain(linkOf(index));
  });
});

test.each(['the mails at once', 'the weekly mails', 'the feed', 'the edition page', 'the operator’s pages'])(
  '%s contain nothing that runs',
  (name) => {
    const pages = (shown.get(name) ?? []).flatMap(({ html }) => html ?? []);
    expect(pages.length).toBeGreaterThan(0);
    expect(pages.flatMap(activeParts)).toEqual([]);
  },
);

test.each([...PEOPLE, 'the edition page'])('%s says of each bad link that it is withheld', (name) => {
  for (const part of name.includes('mail') ? (shown.get(name) ?? []).slice(-2) : [undefined]) {
    const words = part ? part.words : wordsOf(shown.get(name));
    expect(words.split(en.card.linkWithheld)).toHaveLength(BAD_LINKS.length + 1);
  }
});

test.each(MACHINES)('%s leaves a bad link out', (name) => {
  const links = linksOf(shown.get(name)).filter((link) => link.includes('board.example'));
  expect(new Set(links).size).toBe(jobs.length - BAD_LINKS.length);
});

test('shows hostile text as text, and does not leave it out', () => {
  for (const name of ['the channel', 'the mails at once', 'the edition page', 'the feed', 'the webhook'])
    for (const text of [
      '<script>alert(1)</script>',
      '@everyone @here',
      'javascript:alert(1)',
      ']]>',
      '{{ 7 | times: 6 }}',
    ])
      expect(wordsOf(shown.get(name)), name).toContain(text);
  expect(wordsOf(shown.get('the operator’s pages'))).toContain('<script>alert(1)</script>');
});

test('Discord notifies no one and accepts every message', () => {
  const { discord } = house;
  const sent = discord.requests.filter(({ method, path }) => method === 'POST' && /\/messages$/u.test(path));
  expect(sent.length).toBeGreaterThan(3);
  for (const { body } of sent) expect(body).toMatchObject({ allowed_mentions: { parse: [], roles: [] } });
  expect(discord.allMessages().flatMap(({ pinged }) => pinged)).toEqual([]);
  expect(discord.violations).toEqual([]);
});

test('no mail has a header or a recipient from a posting', async () => {
  const mails = await house.mails();
  expect(mails.length).toBeGreaterThanOrEqual(4);
  expect(new Set(house.smtp.mails.flatMap(({ to }) => to))).toEqual(new Set(Object.values(READERS)));
  for (const mail of mails) {
    const keys = mail.headers.map(({ key }) => key);
    expect(keys).not.toContain('bcc');
    expect(keys.filter((key) => key === 'to' || key === 'subject')).toHaveLength(2);
    expect(headerOf(mail, 'subject')).not.toMatch(/[\r\n]/u);
  }
  expect(mails.some(({ subject }) => subject?.includes('Marker 100 Bcc Bcc: victim'))).toBe(true);
  for (const { raw } of house.smtp.mails)
    expect(raw.toString().split('\r\n\r\n', 1)[0]).not.toMatch(/^bcc:/imu);
});
