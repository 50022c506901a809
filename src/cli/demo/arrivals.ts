// The demo's new postings. The sample jobs are moved to today's date; the first few are held back and then added to the
// board's file one by one.
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

/** Moves the dates of a job, in each form that the sample uses, by `shiftMs` milliseconds. */
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

/** Writes `file` from the program's sample jobs. `now` is in milliseconds since the epoch. */
export async function prepareArrivals(sampleDir: string, file: string, now: number): Promise<Arrivals> {
  const sample = JSON.parse(await readFile(join(sampleDir, 'sample-jobs.json'), 'utf8')) as Job[];
  const today = Math.floor(now / 86_400_000) * 86_400_000;
  const jobs = sample.map((job) => redated(job, today - newestDay(sample)));
  // New postings come in the order of the sample file; its first one is easy to understand.
  const news = jobs.slice(0, HELD_BACK);
  let onBoard = jobs.slice(HELD_BACK);
  let told = 0;

  async function write(): Promise<void> {
    // Renames a complete file, so that readers see the old file or the new one, never a part.
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

/** Changes a job for another round through the sample: same company, new id, new title. */
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
