// The listing API of the benchmarks, for runs that count and time requests.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('../bench/listings.mjs', import.meta.url));

/** The report of listings.mjs: everything except `asked` and `newest` since it started to watch. */
export interface Report {
  readonly asked: number;
  readonly newest: number;
  readonly distinct: number;
  readonly most: number;
  readonly overlaps: number;
  readonly mostOfOne: number;
  readonly close: number;
  readonly late: Readonly<Record<string, number>>;
  readonly unasked: Readonly<Record<string, number>>;
}

export interface Listings {
  readonly url: string;
  /** See listings.mjs. Its reports come in the order of the messages. */
  tell(message?: {
    readonly new?: number;
    readonly tag?: string;
    readonly delayMs?: number;
    readonly watch?: number;
    readonly late?: Readonly<Record<string, number>>;
  }): Promise<Report>;
  stop(): void;
}

/** `postings` of a listing at first, and at most; each has so many `bytes`. */
export async function startListings({ postings = 20, most = 20, bytes = 2_000 } = {}): Promise<Listings> {
  const args = [postings, most, bytes].map(String);
  const child = fork(FILE, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  const waiting: ((report: Report) => void)[] = [];
  child.on('message', (report) => waiting.shift()?.(report as Report));
  return {
    url,
    tell(message = {}) {
      child.send(message);
      return new Promise((resolve) => waiting.push(resolve));
    },
    stop: () => void child.kill(),
  };
}
