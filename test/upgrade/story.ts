// What happened to the released program while it wrote the stores in ./stores (see make.test.ts).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { Job } from '../../src/board/job.js';

export const STORES = fileURLToPath(new URL('./stores', import.meta.url));
/** SECRET_KEY of the stores. */
export const KEY = Buffer.alloc(32, 21).toString('base64');
/** A Wednesday. */
export const STARTED = Date.UTC(2026, 10, 25, 10);
export const TOKENS = {
  operator: 'operator-token-abcd1',
  ana: 'token-of-ana-000abcd2',
  ben: 'token-of-ben-000abcd3',
} as const;

export type Kind = 'sqlite' | 'postgres' | 'redis';

export interface Story {
  /** The program's clock when it was killed, milliseconds since the epoch. */
  readonly endedAt: number;
  /** The board at the end, the newest first. */
  readonly jobs: readonly Job[];
  readonly discord: Readonly<Record<'guild' | 'channel' | 'ana' | 'ben', string>>;
  /** Targets of the webhooks: one that accepted everything, one that answered 503, one that answered 410. */
  readonly urls: Readonly<Record<'hook' | 'away' | 'gone', string>>;
  readonly titles: {
    readonly delivered: readonly string[];
    /** The receiver has it, and the store does not know. */
    readonly sentUnsettled: string;
    readonly inPause: string;
    readonly parked: string;
    /** Posted after its token was rejected. */
    readonly unseen: string;
    readonly owedAtOnce: readonly string[];
    /** Their readers bounced and unsubscribed. */
    readonly toNobody: readonly string[];
    readonly inDigests: readonly string[];
    readonly inWeekly: string;
    readonly saved: string;
    /** A company. */
    readonly hidden: string;
  };
  /** What the webhook accepted: the edition's id and the body. */
  readonly hooks: readonly { readonly id: string; readonly raw: string }[];
  readonly mails: readonly { readonly to: string; readonly id: string }[];
}

/** A job whose link a careless program would alter. */
export function jobOf(number: number, tag: string, more: Partial<Job> = {}): Job {
  return {
    id: String(number),
    title: `Position ${number} ${tag}`,
    company: `Firm ${number}`,
    tags: [tag],
    remote: true,
    postedAt: '2026-11-25',
    apply_url: `https://jobs.example/r/x${number}__me?a=1&b=%C3%BC&c=(${number})`,
    url: `https://jobs.example/${number}`,
    ...more,
  };
}

export function kept(name: string): Buffer {
  return gunzipSync(readFileSync(join(STORES, name)));
}

export function storyOf(kind: Kind): Story {
  return (JSON.parse(kept('stories.json.gz').toString()) as Record<Kind, Story>)[kind];
}
