// The links of an account: which still open, after they were revoked, after the account was erased, and by purpose.
import { beforeEach, describe, expect, test } from 'vitest';
import type { Account } from '../../src/domain/account.js';
import { deriveKeys, LINK_LIFE, type LinkPurpose, signLink } from '../../src/domain/link-token.js';
import { secret } from '../../src/domain/secret.js';
import { createLinkBook } from '../../src/pipeline/link-book.js';
import { type MemoryTable, memoryTable, testClock } from '../helpers/memory-table.js';

const keys = deriveKeys([secret('a key of the links')], 'link');
const DAY = 86_400_000;

let clock: ReturnType<typeof testClock>;
let table: MemoryTable;
let accounts: Map<string, Account>;
beforeEach(() => {
  clock = testClock();
  table = memoryTable(clock);
  accounts = new Map([['alice', { id: 'alice', createdAt: 1_700_000_000_000 }]]);
});

const open = (publicUrl?: string) =>
  createLinkBook({ keys, publicUrl, table, accounts: { get: async (id) => accounts.get(id) }, clock });

/** The token of a link that was made now with this epoch. */
function tokenFor(account: string, epoch: number, purpose: LinkPurpose = 'preferences'): string {
  const life = LINK_LIFE[purpose];
  return signLink(keys, { purpose, account, epoch, ...(life && { expiresAt: clock.now() + life }) });
}

describe('the first epoch of an account', () => {
  test('is when it was made, and 0 where there is none', async () => {
    expect(await open().epoch('alice')).toBe(1_700_000_000_000);
    expect(await open().epoch('nemo')).toBe(0);
  });

  test('opens links that were made with it, and those of epoch 0 until the first revocation', async () => {
    const book = open();
    const now = tokenFor('alice', await book.epoch('alice'));
    const former = tokenFor('alice', 0);
    const wrong = tokenFor('alice', 1_699_999_999_999);
    expect(await book.open('preferences', now)).toMatchObject({ account: 'alice', purpose: 'preferences' });
    expect(await book.open('preferences', former)).toMatchObject({ account: 'alice', epoch: 0 });
    expect(await book.open('preferences', wrong)).toBeUndefined();
    await book.revoke('alice');
    expect(await book.epoch('alice')).toBe(1_700_000_000_001);
    for (const token of [now, former, wrong]) expect(await book.open('preferences', token)).toBeUndefined();
    const next = tokenFor('alice', await book.epoch('alice'));
    expect(await book.open('preferences', next)).toMatchObject({ epoch: 1_700_000_000_001 });
    await book.revoke('alice');
    expect(await book.epoch('alice')).toBe(1_700_000_000_002);
    expect(await book.open('preferences', next)).toBeUndefined();
  });

  test('is counted for each account separately, also for one without a record', async () => {
    const book = open();
    const [alice, nemo] = [tokenFor('alice', await book.epoch('alice')), tokenFor('nemo', 0)];
    await book.revoke('nemo');
    expect(await book.epoch('nemo')).toBe(1);
    expect(await book.open('preferences', alice)).toMatchObject({ account: 'alice' });
    expect(await book.open('preferences', nemo)).toBeUndefined();
    expect(table.dump()).toBe('[["links:epoch:nemo","1"]]');
  });

  test('is the time of the new record after an account was erased and came back', async () => {
    const book = open();
    await book.revoke('alice');
    const former = tokenFor('alice', await book.epoch('alice'));
    await book.forget('alice');
    accounts.set('alice', { id: 'alice', createdAt: 1_800_000_000_000 });
    expect(table.dump()).toBe('[]');
    expect(await book.epoch('alice')).toBe(1_800_000_000_000);
    expect(await book.open('preferences', former)).toBeUndefined();
  });
});

test('a link to unsubscribe opens after a revocation and at any age', async () => {
  const book = open();
  const [leave, other] = [tokenFor('alice', 0, 'unsubscribe'), tokenFor('alice', 0, 'feed')];
  await book.revoke('alice');
  clock.advance(4000 * DAY);
  expect(await book.open('unsubscribe', leave)).toMatchObject({ account: 'alice', purpose: 'unsubscribe' });
  expect(await book.open('feed', other)).toBeUndefined();
});

test('a link opens nothing after its time, with another purpose, or when it was changed', async () => {
  const book = open();
  const token = tokenFor('alice', 0, 'manage');
  expect(await book.open('preferences', token)).toBeUndefined();
  expect(
    await book.open('manage', `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`),
  ).toBeUndefined();
  expect(await book.open('manage', token)).toMatchObject({ account: 'alice' });
  clock.advance(15 * 60_000 + 1000);
  expect(await book.open('manage', token)).toBeUndefined();
});

test('links on pages begin with the path of the public address, and links in mails with all of it', () => {
  const about = { account: 'alice', epoch: 0, now: clock.now() };
  const made = (publicUrl?: string) => {
    const { local, links } = open(publicUrl);
    return [local.feed(about), links?.feed(about)];
  };
  const [path] = made();
  expect(path).toMatch(/^\/feed\/[\w.-]+$/u);
  expect(made()).toEqual([path, undefined]);
  expect(made('https://crier.example')).toEqual([path, `https://crier.example${path}`]);
  const deep = 'https://crier.example/de/jobs';
  expect(made(deep)).toEqual([`/de/jobs${path}`, `${deep}${path}`]);
  expect(open()).not.toHaveProperty('links');
});
