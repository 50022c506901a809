// What "Your jobs" shows of marked postings, and which days its calendar file has.
import { expect, test } from 'vitest';
import type { MarkedPosting } from '../../src/ports/services.js';
import { jobsCalendar, jobsView } from '../../src/render/jobs-view.js';

const NOW = Date.parse('2026-11-30T23:30:00Z');
const frame = {
  locale: 'en',
  source: 'Example Board',
  base: '',
  csrf: 'x',
  now: NOW,
  timezone: 'UTC',
  done: undefined,
} as const;

function marked(fields: Partial<MarkedPosting> = {}): MarkedPosting {
  const posting = {
    key: 'id:1',
    title: 'Rust Engineer',
    applyUrl: 'https://jobs.example/r/1__me',
    applyBy: { day: '2026-11-30', words: 'Apply by 30 November 2026' },
  };
  return { key: 'id:1', mark: 'saved', at: NOW, posting, ...fields };
}

test('a last day to apply is on the page and in the file until it has passed where the person is', () => {
  const shownIn = (timezone: string) => {
    const view = jobsView([marked()], false, { ...frame, timezone });
    const file = jobsCalendar('alice', [marked()], { ...frame, timezone }, undefined)?.file;
    return [view.stages[0]?.jobs[0]?.applyBy, view.calendar, file !== undefined];
  };
  const link = '/manage/jobs/deadlines.ics';
  expect(shownIn('UTC')).toEqual(['“Apply by 30 November 2026”', link, true]);
  expect(shownIn('America/New_York')).toEqual(['“Apply by 30 November 2026”', link, true]);
  expect(shownIn('Europe/Berlin')).toEqual([null, null, false]);
});

test('entries of two people for the same posting have different ids, which tell nothing about them', () => {
  const uid = (account: string) =>
    /UID:(.*)\r/u.exec(jobsCalendar(account, [marked()], frame, undefined)?.file ?? '')?.[1];
  expect(uid('discord:1001')).toMatch(/^[0-9a-f]{32}@jobcrier$/u);
  expect(uid('discord:1001')).toBe(uid('discord:1001'));
  expect(uid('discord:1001')).not.toBe(uid('discord:1002'));
});

test('a posting of another account has no link, says where it is, and leads to its message', () => {
  const { applyUrl: _theirs, ...posting } = marked().posting;
  const card = 'https://discord.com/channels/1/2/3';
  const [job] = jobsView([marked({ posting, card })], false, frame).stages[0]?.jobs ?? [];
  expect(job).toMatchObject({
    link: null,
    message: card,
    noLink: 'the apply link is on the card you saved it from',
  });
  expect(jobsCalendar('alice', [marked({ posting, card })], frame, undefined)?.file).not.toContain('URL:');
});

test('a stage shows its newest hundred postings and says how many more there are; what was dismissed is not shown', () => {
  const many = Array.from({ length: 103 }, (_, n) => marked({ key: `id:${n}` }));
  const view = jobsView([...many, marked({ key: 'no', mark: 'dismissed' })], false, frame);
  expect(view.stages[0]).toMatchObject({ count: '103', more: 'and 3 more' });
  expect(view.stages.flatMap(({ jobs }) => jobs)).toHaveLength(100);
});
