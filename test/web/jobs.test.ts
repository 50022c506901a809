// "Your jobs": the postings that a person marked, by stage, in a session of their account, and the calendar file.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { attributionFaults } from '../../src/domain/attribution.js';
import { sendReminders } from '../../src/pipeline/reminders.js';
import {
  newReader,
  openReaderHouse,
  type Reader,
  type ReaderHouse,
  rustJob,
  subscribeReader,
} from '../helpers/reader-house.js';

let house: ReaderHouse;
let reader: Reader;
let next = 100;

beforeAll(async () => {
  house = await openReaderHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  reader = await newReader(house);
});

/** Opens a session as a browser does; the cookie that it sends from now on. */
async function open(account = reader.account): Promise<string> {
  const link = (await house.app.services.manageLink(account, 'reply')) as string;
  const answer = await house.press(link);
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] as string;
}

const get = (path: string, cookie: string) => house.visit(path, { headers: { cookie } });
const page = async (cookie: string) => (await get('/manage/jobs', cookie)).text();
const csrfOf = (html: string) => /name="csrf" value="([^"]+)"/u.exec(html)?.[1] ?? '';

async function move(cookie: string, fields: Record<string, string>, csrf?: string) {
  const body = new URLSearchParams({ csrf: csrf ?? csrfOf(await page(cookie)), ...fields });
  return house.visit('/manage/jobs', { method: 'POST', body, headers: { cookie } });
}

/** Announces jobs to the reader, who saves them. Returns their keys and links. */
async function saved(...fields: Parameters<typeof rustJob>[1][]) {
  await subscribeReader(house, { reader });
  const before = (await house.mails(reader.address)).length;
  const jobs = fields.map((one) => rustJob(next++, one));
  for (const [index, job] of jobs.entries()) {
    await house.announce(job);
    await house.mail(before + index + 1, reader.address);
    await expect
      .poll(() => house.app.services.markKept(reader.account, job.apply_url as string, 'saved'))
      .toBeDefined();
  }
  return jobs.map((job) => ({ key: `id:${job.id}`, link: job.apply_url as string, title: job.title }));
}

const DEADLINE = { description: '<p>Rust.</p><p>Apply by 11 December 2099.</p>' };

/** The sections of the page, by stage: the titles in it. */
async function board(cookie: string): Promise<Record<string, string[]>> {
  const sections = (await page(cookie)).matchAll(/<section aria-labelledby="(\w+)">([\s\S]*?)<\/section>/gu);
  return Object.fromEntries(
    [...sections].map(([, stage = '', html = '']) => [
      stage,
      [...html.matchAll(/<h3>(?:<a [^>]*>)?([^<]*)/gu)].map(([, title = '']) => title),
    ]),
  );
}

const marks = async (account = reader.account) =>
  (await house.app.services.marks(account)).map(({ key, mark, before }) => [
    key,
    mark,
    before?.map((one) => one.mark),
  ]);

test('is linked from the page of subscriptions, and says what to do when nothing is marked', async () => {
  const cookie = await open();
  expect(await (await get('/manage', cookie)).text()).toContain('<a href="/manage/jobs">Your jobs</a>');
  expect(await page(cookie)).toContain('You have not marked any posting yet.');
});

test('moves a posting from stage to stage and removes it, with its apply link byte for byte', async () => {
  const [one] = await saved(DEADLINE);
  const { key, link, title } = one!;
  const cookie = await open();
  const html = await page(cookie);
  expect(html).toContain('“Apply by 11 December 2099”');
  expect(attributionFaults({ format: 'html', body: html }, [{ key, applyUrl: link }])).toEqual([]);
  expect(html).toContain('use them exactly as they are');
  expect(await board(cookie)).toEqual({ saved: [title], applied: [], interview: [], offer: [], closed: [] });
  for (const stage of ['applied', 'interview', 'offer', 'closed']) {
    const answer = await move(cookie, { job: key, to: stage });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toMatch(/^\/manage\/jobs\?done=moved#job-[\w-]{10}$/u);
    expect((await board(cookie))[stage]).toEqual([title]);
  }
  // The form sent twice is one change.
  await move(cookie, { job: key, to: 'closed' });
  expect(await marks()).toEqual([[key, 'closed', ['saved', 'applied', 'interview', 'offer']]]);
  expect(await page(cookie)).toMatch(
    /Saved: [^<]+ · Applied: [^<]+ · Interview: [^<]+ · Offer: [^<]+ · Closed: /u,
  );
  expect((await move(cookie, { job: key, to: 'none' })).headers.get('location')).toBe(
    '/manage/jobs?done=removed',
  );
  expect(await marks()).toEqual([]);
  // It is gone, so a form that is still open changes nothing.
  expect((await move(cookie, { job: key, to: 'offer' }, csrfOf(html))).headers.get('location')).toBe(
    '/manage/jobs',
  );
  expect(await marks()).toEqual([]);
});

test('shows no posting that was dismissed, and the newest hundred of a stage', { tags: 'long' }, async () => {
  const [one, two] = await saved({}, {});
  await house.app.services.moveMarked(reader.account, two!.key, 'dismissed');
  const cookie = await open();
  expect((await board(cookie)).saved).toEqual([one!.title]);
  const { marks: table } = house.app.pipeline.stores;
  await table.update(reader.account, (before) => {
    const [first] = Object.values(before?.postings ?? {}).filter(({ mark }) => mark === 'saved');
    const many = Array.from({ length: 120 }, (_, n) => {
      const posting = { ...first!.posting, key: `id:m${n}`, applyUrl: `https://jobs.example/r/m${n}__me` };
      return [`id:m${n}`, { ...first!, at: first!.at + n, posting }] as const;
    });
    return { ...before!, postings: { ...before!.postings, ...Object.fromEntries(many) } };
  });
  expect((await board(cookie)).saved).toHaveLength(100);
  expect(await page(cookie)).toContain('and 21 more');
});

test('needs a session and its own form, and shows and changes nothing of another account', async () => {
  const [one] = await saved(DEADLINE);
  const { key } = one!;
  const other = await newReader(house);
  const [mine, theirs] = [await open(), await open(other.account)];
  for (const path of ['/manage/jobs', '/manage/jobs/deadlines.ics']) {
    expect((await get(path, '')).status).toBe(403);
    expect((await get(path, mine)).headers.get('cache-control')).toBe('no-store');
  }
  expect((await move(mine, { job: key, to: 'offer' }, 'wrong')).status).toBe(403);
  expect(
    (await move(mine, { job: key, to: 'offer' }, csrfOf(await (await get('/manage', theirs)).text()))).status,
  ).toBe(403);
  for (const to of ['dismissed', 'nonsense', '']) await move(mine, { job: key, to });
  const csrf = csrfOf(await (await get('/manage', theirs)).text());
  expect((await move(theirs, { job: key, to: 'offer' }, csrf)).headers.get('location')).toBe('/manage/jobs');
  expect(await page(theirs)).toContain('You have not marked any posting yet.');
  expect((await get('/manage/jobs/deadlines.ics', theirs)).headers.get('location')).toBe('/manage/jobs');
  expect(await marks()).toEqual([[key, 'saved', undefined]]);
  expect(await marks(other.account)).toEqual([]);
});

describe('the calendar file', () => {
  const unfolded = async (path: string, cookie: string) =>
    (await (await get(path, cookie)).text()).replaceAll('\r\n ', '');

  test('has the saved postings that name a last day to apply, all or one, and is the same each time', {
    tags: 'long',
  }, async () => {
    const [first, second, none] = await saved(DEADLINE, { description: 'Bewerbungsschluss: 01.02.2099' }, {});
    const cookie = await open();
    const html = await page(cookie);
    const answer = await get('/manage/jobs/deadlines.ics', cookie);
    expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="jobs.ics"');
    const all = await unfolded('/manage/jobs/deadlines.ics', cookie);
    expect(all.match(/^DTSTART;VALUE=DATE:\d+/gmu)?.sort()).toEqual([
      'DTSTART;VALUE=DATE:20990201',
      'DTSTART;VALUE=DATE:20991211',
    ]);
    expect(all).toContain(`SUMMARY:Apply by 11 December 2099: ${first!.title}\r\n`);
    expect(all).toContain(`URL:${first!.link}\r\n`);
    expect(all).not.toContain(none!.title);
    expect(all).not.toContain(reader.account);
    expect(all).not.toContain(reader.address);
    const links = [...html.matchAll(/href="(\/manage\/jobs\/deadlines\.ics\?job=[^"]+)"/gu)].map(
      ([, to = '']) => to,
    );
    expect(links).toHaveLength(2);
    const singles = await Promise.all(links.map((to) => unfolded(to, cookie)));
    for (const single of singles) expect(single.match(/BEGIN:VEVENT/gu)).toHaveLength(1);
    const uids = (text: string) => text.match(/^UID:.*$/gmu) ?? [];
    expect(singles.flatMap(uids).sort()).toEqual([...uids(all)].sort());
    expect(new Set(uids(all)).size).toBe(2);
    // What was applied to needs no reminder.
    await move(cookie, { job: second!.key, to: 'applied' });
    expect(await unfolded('/manage/jobs/deadlines.ics', cookie)).not.toContain('20990201');
    await move(cookie, { job: first!.key, to: 'closed' });
    expect((await get('/manage/jobs/deadlines.ics', cookie)).headers.get('location')).toBe('/manage/jobs');
    expect(await page(cookie)).not.toContain('.ics');
  });
});

test('turns reminders on and off, and the mail has the exact apply link', async () => {
  const now = house.app.pipeline.clock.now();
  const [one] = await saved({
    title: 'Rust <b>& Go</b>',
    description: `<p>Apply by ${inTwoDays(now)}.</p>`,
  });
  const { key, link } = one!;
  const cookie = await open();
  const turn = async (to: 'on' | 'off') => {
    const html = await page(cookie);
    expect(html).toContain(`name="reminders" value="${to}"`);
    const answer = await move(cookie, { reminders: to });
    expect(answer.headers.get('location')).toBe(`/manage/jobs?done=reminders-${to}`);
    expect(await (await get(`/manage/jobs?done=reminders-${to}`, cookie)).text()).toContain(
      `Reminders are ${to}.`,
    );
  };
  await turn('on');
  await turn('off');
  await turn('on');
  const before = (await house.mails(reader.address)).length;
  // As if the next morning had come.
  await house.app.pipeline.stores.misc.update(`reminders:${reader.account}`, () => ({ at: 0 }));
  await sendReminders(house.app.pipeline);
  const mail = await house.mail(before + 1, reader.address);
  expect(mail.subject).toMatch(/^Deadline near: Rust /u);
  expect(mail.text).toContain(`\nApply:\n${link}\n`);
  expect(mail.text).toMatch(/the last day to apply is \w+, .*The posting says: “Apply by /u);
  expect(mail.text).toContain('You get this email because you turned on reminders.');
  for (const [format, body] of [
    ['html', mail.html],
    ['text', mail.text],
  ] as const)
    expect(
      attributionFaults({ format, body: String(body), note: 'use them exactly as they are' }, [
        { key, applyUrl: link },
      ]),
    ).toEqual([]);
  await sendReminders(house.app.pipeline);
  expect(await house.mails(reader.address)).toHaveLength(before + 1);
});

const inTwoDays = (now: number) => new Date(now + 2 * 86_400_000).toISOString().slice(0, 10);
