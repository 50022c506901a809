// The demo's stream of news: the sample jobs, dated today, of which the newest few are held back and
// then "posted" one by one into the board's file, as if somebody were hiring just now.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

type Job = Record<string, unknown>;

export interface Arrivals {
  /** Jobs on the board from the start. */
  readonly count: number;
  /** Adds one more job on top of the file. */
  next(): Promise<void>;
}

const HELD_BACK = 15;
const LEVELS = ['Senior', 'Staff', 'Lead', 'Principal', 'Interim', 'Deputy'];

/** Dates in whatever form the sample uses, moved so that the newest is today. */
function redated(job: Job, shiftMs: number): Job {
  const day = (value: string) =>
    new Date(Date.parse(`${value}T00:00:00Z`) + shiftMs).toISOString().slice(0, 10);
  const { postedAt, date, date_epoch } = job;
  return {
    ...job,
    ...(typeof postedAt === 'string' ? { postedAt: day(postedAt) } : {}),
    ...(typeof date === 'string' ? { date: new Date(Date.parse(date) + shiftMs).toUTCString() } : {}),
    ...(typeof date_epoch === 'number' ? { date_epoch: date_epoch + Math.round(shiftMs / 1000) } : {}),
  };
}

function newestDay(jobs: readonly Job[]): number {
  const days = jobs.map((job) =>
    typeof job.postedAt === 'string' ? Date.parse(`${job.postedAt}T00:00:00Z`) : 0,
  );
  return Math.max(...days);
}

/** Prepares `file` from the program's sample jobs. `now` in milliseconds since the epoch. */
export async function prepareArrivals(sampleDir: string, file: string, now: number): Promise<Arrivals> {
  const sample = JSON.parse(await readFile(join(sampleDir, 'sample-jobs.json'), 'utf8')) as Job[];
  const today = Math.floor(now / 86_400_000) * 86_400_000;
  const jobs = sample.map((job) => redated(job, today - newestDay(sample)));
  // The news come in the order they were written down, the first of them one that every viewer understands.
  const news = jobs.slice(0, HELD_BACK);
  let onBoard = jobs.slice(HELD_BACK);
  let told = 0;

  async function write(): Promise<void> {
    // Whoever reads meanwhile sees the old file or the new one, never a half.
    await writeFile(`${file}.new`, JSON.stringify(onBoard));
    await rename(`${file}.new`, file);
  }

  await write();
  return {
    count: onBoard.length,
    async next() {
      const job = news[told % news.length] as Job;
      const round = Math.floor(told / news.length);
      told++;
      const again = round === 0 ? job : renewed(job, round, told);
      onBoard = [again, ...onBoard];
      await write();
    },
  };
}

/** After the sample has run out its jobs come again as other positions: same firms, new ids, new titles. */
function renewed(job: Job, round: number, told: number): Job {
  const level = LEVELS[(round - 1) % LEVELS.length];
  const id = String(900_000 + told);
  const code = [...Buffer.from(id).toString('base64')].reverse().join('');
  const { apply_url, url, title } = job;
  return {
    ...job,
    id,
    title: `${level} ${String(title).replace(/^(?:Senior|Lead|Junior) /u, '')}`,
    ...(typeof apply_url === 'string' ? { apply_url: apply_url.replace(/\/r\/.*?__/u, `/r/${code}__`) } : {}),
    ...(typeof url === 'string' ? { url: url.replace(/\d+$/u, id) } : {}),
  };
}
