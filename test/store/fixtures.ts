// Sample records for the store tests, and stores that are closed at the end of a test.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EMPTY_LEDGER, type Ledger } from '../../src/domain/ledger.js';
import type { Posting } from '../../src/domain/posting.js';
import type { Destination, Subscription } from '../../src/domain/subscription.js';
import type { EditionRecord } from '../../src/ports/stores.js';
import type { Clock, Log } from '../../src/ports/system.js';
import { type OpenStores, openStores, type StoreOptions } from '../../src/store/index.js';
import { parseSecretKeys, type SecretKeys } from '../../src/store/secret-keys.js';
import { later } from '../helpers/later.js';

export const NOW = Date.UTC(2026, 2, 2, 12);

export interface TestClock extends Clock {
  at: number;
}

export function testClock(at = NOW): TestClock {
  const clock = { at, now: () => clock.at };
  return clock;
}

export interface TestLog extends Log {
  readonly lines: { readonly level: string; readonly fields: object; readonly message: string }[];
}

export function testLog(): TestLog {
  const lines: TestLog['lines'] = [];
  const at = (level: string) => (fields: object, message: string) => {
    lines.push({ level, fields, message });
  };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** A key in the form of SECRET_KEY. */
export function keyText(): string {
  return randomBytes(32).toString('base64');
}

export function keysOf(...texts: readonly string[]): SecretKeys {
  return parseSecretKeys(texts.join(','), 'SECRET_KEY');
}

export const KEYS = keysOf(keyText());

export async function tempDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'jobcrier-store-'));
  later(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

export type TestStores = OpenStores & { readonly log: TestLog; readonly clock: TestClock };

/** Opens a store that is closed at the end of the test. */
export async function openTestStores(url: string, more: Partial<StoreOptions> = {}): Promise<TestStores> {
  const log = testLog();
  const clock = testClock();
  const stores = await openStores({ url, dataDir: '/nonexistent', keys: KEYS, log, clock, ...more });
  let open = true;
  const close = async () => {
    if (open) await stores.close();
    open = false;
  };
  later(close);
  return { ...stores, log, clock, close };
}

export function destination(sink: string, target: string): Destination {
  return { id: `${sink}-${target.length}`, sink, target, cadence: { every: 'immediate', timezone: 'UTC' } };
}

export function subscription(id: string, more: Partial<Subscription> = {}): Subscription {
  return {
    id,
    account: 'discord:1',
    origin: 'discord',
    filter: { tags: [], include: ['zk'], exclude: [], payUnknown: 'keep', limit: 100 },
    schedule: { cron: '*/15 * * * *', timezone: 'UTC' },
    destinations: [destination('discord', '123456789012345678')],
    newest: 0,
    reposts: false,
    createdAt: NOW,
    ...more,
  };
}

export function posting(key: string, more: Partial<Posting> = {}): Posting {
  return {
    key,
    title: `Engineer ${key}`,
    company: 'Example',
    applyUrl: `https://jobs.example/${key}?a=1&b=2`,
    ...more,
  };
}

export function ledger(keys: readonly string[]): Ledger {
  return { ...EMPTY_LEDGER, baselineAt: NOW, recent: { q: keys } };
}

/** The keys that a ledger was made from. */
export function keysIn(kept: Ledger | undefined): readonly string[] {
  return kept?.recent.q ?? [];
}

export function edition(id: string, more: Partial<EditionRecord> = {}): EditionRecord {
  return {
    id,
    subscription: 'one',
    account: 'discord:1',
    destination: destination('email', 'edition-reader@canary.example'),
    every: 'weekly',
    from: NOW,
    slot: NOW,
    about: 'rust',
    locale: 'en',
    postings: [{ ...posting('a'), matched: ['tag rust'] }],
    rest: [],
    ...more,
  };
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
