// Where the jobs are in a JSON root of mixed types (jobs API, Locating the jobs), and what is not a listing.
import { describe, expect, test } from 'vitest';
import { FeedError } from '../../src/domain/errors.js';
import { openJson, parseJson } from '../../src/sources/jobs-api/json.js';

const JOB = { id: 1, title: 'Dev', apply_url: 'https://a.example/?a=1&b=2' };
const read = (root: unknown) => parseJson({ text: JSON.stringify(root), lossy: false });
const readText = (text: string) => parseJson({ text, lossy: false });

describe('the jobs are', () => {
  test.each([
    ['in the first array of the root', ['ok', 'v1', [JOB]]],
    ['there with one string before', ['help', [JOB]]],
    ['there with other things around', [null, 7, { meta: true }, [JOB], [{ id: 2 }, { id: 3 }]]],
    ['the objects of a root without arrays', [JOB]],
    ['the objects even beside strings', ['help', JOB]],
    ['there without their broken neighbours', ['ok', 'v1', [null, 'x', 5, [JOB], {}, { foo: 1 }, JOB]]],
  ])('%s', async (_, root) => {
    const postings = await read(root);
    expect(postings).toHaveLength(1);
    expect(postings[0]?.posting).toMatchObject({ id: '1', applyUrl: JOB.apply_url });
  });

  test.each([
    ['an empty array', ['ok', 'v1', []]],
    ['an empty array alone', [[]]],
    ['a job without any field', ['ok', 'v1', [{}]]],
  ])('none in %s', async (_, root) => {
    expect(await read(root)).toEqual([]);
  });
});

describe('malformed is', () => {
  test.each([
    ['an object', { jobs: [JOB] }],
    ['a string', 'ok'],
    ['a number', 1],
    ['null', null],
    ['an empty root', []],
    ['strings alone', ['ok', 'v1']],
    ['an error in an array', [{ error: 'no' }]],
    ['an array of strings', ['ok', 'v1', ['a', 'b']]],
    ['an array of numbers', ['ok', 'v1', [5]]],
    ['an array of nulls', ['ok', 'v1', [null]]],
    ['an array of empty arrays', ['ok', 'v1', [[]]]],
    ['an array of unknown things', ['ok', 'v1', [{ foo: 1 }, { bar: 2 }]]],
  ])('%s', async (_, root) => {
    await expect(read(root)).rejects.toThrow(
      expect.objectContaining({ name: 'FeedError', fault: 'malformed' }),
    );
  });

  test.each([
    ['nothing', ''],
    ['HTML', '<!doctype html><html></html>'],
    ['a cut', '["ok","v1",[{"id":1,"title":"De'],
    ['a cut in an escape', '["ok\\'],
    ['two roots', '["a",[]]["b"]'],
    ['deep nesting', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['deep nesting that never closes', '['.repeat(8_000_000)],
    ['deep nesting of objects', '{"a":'.repeat(1_000_000)],
    ['a sea of values', `["ok","v1",[${'{},'.repeat(2_000_000)}{}]]`],
    ['a sea of numbers', `["ok","v1",[${'1,'.repeat(4_000_000)}1]]`],
    ['NaN', '["ok","v1",[{"id":NaN}]]'],
  ])('%s', async (_, text) => {
    await expect(readText(text)).rejects.toThrow(
      expect.objectContaining({ name: 'FeedError', fault: 'malformed' }),
    );
  });

  test.each([
    ['null', 'The response is JSON, but not an array.'],
    ['["ok"]', 'The response is JSON without jobs.'],
    ['[null, 5]', 'The response is JSON without jobs.'],
    ['{"a":'.repeat(65), 'The response is nested too deeply.'],
    [`[${'{}'.repeat(500_000)}`, 'The response has too many values.'],
    [`[${'[]'.repeat(500_000)}`, 'The response has too many values.'],
    [`[${','.repeat(500_000)}`, 'The response has too many values.'],
  ])('%.20s, with its reason', async (text, reason) => {
    await expect(readText(text)).rejects.toThrow(new FeedError('malformed', reason));
  });

  test('nothing at the limits of depth and number', async () => {
    const deep = `["ok",[{"title":"A","x":${'['.repeat(61)}${']'.repeat(61)}}]]`;
    expect(await readText(deep)).toHaveLength(1);
    await expect(readText(deep.replace('[]', '[[]]'))).rejects.toThrow('nested too deeply');
    // Brackets that were closed do not count as depth.
    const wide = [...Array.from({ length: 100 }, () => []), ...Array.from({ length: 100 }, () => ({}))];
    expect(await read(['ok', [{ title: 'A', wide }]])).toHaveLength(1);
    const many = (count: number) => `["ok",[{"title":"A","x":[${'1,'.repeat(count - 6)}1]}]]`;
    expect(await readText(many(500_000))).toHaveLength(1);
    await expect(readText(many(500_001))).rejects.toThrow('too many values');
  });

  test('reported without the text, which may quote the request', async () => {
    await expect(readText('token=canary is wrong')).rejects.toThrow(/^The response is not JSON\.$/u);
  });
});

test('counts only jobs in a root without arrays', () => {
  const { count, marks } = openJson({
    text: JSON.stringify(['help', JOB, null, 5, true, JOB]),
    lossy: false,
  });
  expect([count, marks.length]).toEqual([2, 2]);
});

test('reads every name that the API has used, and keeps unknown ones', async () => {
  const [first] = await read([
    'help',
    [
      {
        id: 148_093,
        title: 'R&amp;D',
        company: 'Acme',
        date: 'Thu, 19 Nov 2026 00:00:00 +0000',
        is_remote: true,
        city: null,
        country: 'germany',
        location: '  Berlin ,  Germany',
        salary_min_value: '80000',
        salary_max_value: null,
        salary_currency: 'EUR',
        salary_unit: 'YEAR',
        estimated_avg_salary: 90_000,
        tags: ['rust', 'whatever-else'],
        apply_url: 'https://a.example/r/x__y?a=%2F&b',
        featured: true,
        nested: { kept: [1, 2] },
      },
    ],
  ]);
  expect(first?.posting).toMatchObject({
    id: '148093',
    title: 'R&D',
    postedAt: '2026-11-19',
    remote: true,
    country: 'germany',
    pay: { min: 80_000, currency: 'EUR', unit: 'year' },
    estimatedPay: { min: 90_000, max: 90_000 },
    tags: ['rust', 'whatever-else'],
    applyUrl: 'https://a.example/r/x__y?a=%2F&b',
    extra: { featured: true, nested: { kept: [1, 2] } },
  });
});

test('brackets and quotes inside strings are text', async () => {
  const title = `${'['.repeat(500)}"\\${'{'.repeat(500)}`;
  expect((await read(['ok', [{ title }]]))[0]?.posting.title).toBe(title);
});

test('reads the first records of more than a listing can have', async () => {
  const jobs = Array.from({ length: 20_000 }, (_, id) => ({ id: id + 1, title: 'x' }));
  expect(await read(['ok', jobs])).toHaveLength(2000);
});

test('withholds a link that contains half a character', async () => {
  const [first] = await readText('["ok",[{"title":"A","apply_url":"https://a.example/\\ud800"}]]');
  expect(first?.posting).toMatchObject({ badLink: true });
});

test('cuts texts, descriptions and lists that are far too long, and keeps other values', async () => {
  const long = (length: number) => 'x'.repeat(length);
  const more = { note: long(20_001), list: Array.from({ length: 101 }, () => 1), count: 5, of: { a: 1 } };
  const [first] = await read(['ok', [{ title: 'A', description: long(200_001), ...more }]]);
  expect(first?.posting).toMatchObject({
    description: long(200_000),
    extra: { note: long(20_000), list: Array.from({ length: 100 }, () => 1), count: 5, of: { a: 1 } },
  });
});

test('each job has a mark, which is the same on another day, and can be read alone', async () => {
  const open = (jobs: readonly object[]) => openJson({ text: JSON.stringify(['ok', jobs]), lossy: false });
  const jobs = [JOB, { id: 2, title: 'Ops' }, { id: 3, title: 'QA' }];
  const { marks, count, read: readSome } = open(jobs.map((job) => ({ ...job, date: '2026-11-18' })));
  expect([count, new Set(marks).size]).toEqual([3, 3]);
  for (const mark of marks) expect(mark).toMatch(/^[\da-z]{6,13}$/u);
  expect(open(jobs.map((job) => ({ ...job, date: '2026-11-19' }))).marks).toEqual(marks);
  const chosen = [marks[0] ?? '', marks[2] ?? ''];
  const found = await readSome(new Set(chosen));
  expect(found.map(({ posting, mark }) => [posting.id, mark])).toEqual([
    ['1', chosen[0]],
    ['3', chosen[1]],
  ]);
  expect((await readSome()).map(({ mark }) => mark)).toEqual(marks);
});
