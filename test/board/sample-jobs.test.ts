// New users see the sample jobs first, and many tests use them: they must have every form that occurs in the API, and
// all of them must be servable.
import { readFile } from 'node:fs/promises';
import RssParser from 'rss-parser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../src/board/job.js';
import { idInLink, parsePosting, usableLink } from '../../src/domain/posting.js';
import { isTag } from '../../src/domain/tags.js';
import { startBoard, type TestBoard } from '../helpers/board.js';

let jobs: Job[];
let board: TestBoard;
beforeAll(async () => {
  jobs = JSON.parse(
    await readFile(new URL('../../config/sample-jobs.json', import.meta.url), 'utf8'),
  ) as Job[];
  board = await startBoard({ jobs, tokens: [{ token: 'demo', partner: 'demo' }] });
});
afterAll(() => board.close());

test('has sixty jobs, and each form of the API occurs', () => {
  expect(jobs).toHaveLength(60);
  const some = (what: string, has: (job: Job) => unknown) => expect(jobs.some(has), what).toBe(true);
  for (const field of 'id title company location remote description tags apply_url url salary postedAt'.split(
    ' ',
  )) {
    some(`with ${field}`, (job) => job[field] !== undefined);
    if (field !== 'apply_url' && field !== 'title')
      some(`without ${field}`, (job) => job[field] === undefined);
  }
  for (const field of 'date date_epoch is_remote country city salary_min_value estimated_min_salary featured'.split(
    ' ',
  )) {
    some(`with ${field}`, (job) => job[field] != null);
  }
  some('a number as id', (job) => typeof job.id === 'number');
  some('a city of null', (job) => job.city === null);
  some('a title encoded twice', (job) => String(job.title).includes('&amp;'));
  some('a location with a leading blank', (job) => String(job.location).startsWith(' '));
  some('a tag outside the list', (job) => ((job.tags ?? []) as string[]).some((tag) => !isTag(tag)));
  some('the line with the word', (job) => String(job.description).includes('mention the word'));
});

test('serves all of them in both forms, with links that contain the owner of the token and name their own job', async () => {
  const asked = { limit: '100' };
  const json = (await (await fetch(board.address('/api/v1', asked))).json()) as [string, string, Job[]];
  const xml = await (await fetch(board.address('/api/v1.xml', asked))).text();
  const feed = await new RssParser().parseString(xml);
  expect(json[2]).toHaveLength(60);
  expect(feed.items.map((item) => item.link)).toEqual(json[2].map((job) => job.apply_url));
  for (const job of json[2]) {
    const link = String(job.apply_url);
    expect(usableLink(link), link).toBe(true);
    expect(link).toContain('__demo?');
    if (job.id !== undefined) expect(idInLink(link)).toBe(String(job.id));
    expect(parsePosting(job)?.posting.applyUrl).toBe(link);
  }
});
