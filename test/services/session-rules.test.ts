// How long the sessions of the pages last, what ends them, and what opens one. The same for access keys and for tries of
// tokens.
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { accountHash } from '../../src/domain/account.js';
import { deriveKeys } from '../../src/domain/link-token.js';
import { type Secret, secret } from '../../src/domain/secret.js';
import { createLinkBook } from '../../src/pipeline/link-book.js';
import { accessKeyReport, createAccessKeyService, forgetAccessKey } from '../../src/services/access-keys.js';
import { createSessionService, forgetSessions, sessionsReport } from '../../src/services/sessions.js';
import { createTokenTries, forgetTokenTries } from '../../src/services/token-tries.js';
import { type MemoryTable, memoryTable, type TestClock, testClock } from '../helpers/memory-table.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ACCOUNT = 'discord:1';
const keys = deriveKeys([secret('a key')], 'links');
const random = () => randomBytes(32).toString('base64url');

let clock: TestClock;
let table: MemoryTable;
beforeEach(() => {
  clock = testClock();
  table = memoryTable(clock);
});

function sessionsOf({ publicUrl }: { publicUrl?: string } = { publicUrl: 'https://crier.example.org' }) {
  const accounts = { get: async (id: string) => ({ id, createdAt: 5 }) };
  const links = createLinkBook({ keys, publicUrl, table, accounts, clock });
  return { links, ...createSessionService({ stores: { misc: table }, clock } as never, links, random) };
}
type Sessions = ReturnType<typeof sessionsOf>;

const tokenOf = (link: string | undefined) => link?.split('/').at(-1) ?? '';
async function open(sessions: Sessions, account = ACCOUNT): Promise<Secret> {
  const cookie = await sessions.openSession(tokenOf(await sessions.manageLink(account, 'reply')));
  if (!cookie) throw new Error('no session was opened');
  return cookie;
}

describe('a session', () => {
  test('knows its account and has its own secret for forms; only a hash of its cookie is stored', async () => {
    const sessions = sessionsOf();
    const [one, other] = [await open(sessions), await open(sessions, 'discord:2')];
    const [mine, theirs] = [await sessions.session(one), await sessions.session(other)];
    expect([mine?.account, theirs?.account]).toEqual([ACCOUNT, 'discord:2']);
    expect(mine?.csrf).toMatch(/^[0-9a-f]{64}$/u);
    expect(mine?.csrf).not.toBe(theirs?.csrf);
    expect(one.reveal()).not.toContain(mine?.csrf);
    expect(table.dump()).not.toContain(one.reveal());
    expect(table.dump()).not.toContain(one.reveal().split('.')[1]);
  });

  test('ends half an hour after its last request', async () => {
    const sessions = sessionsOf();
    const cookie = await open(sessions);
    for (let round = 0; round < 3; round++) {
      clock.advance(30 * MINUTE - 1);
      expect(await sessions.session(cookie)).toBeDefined();
    }
    clock.advance(30 * MINUTE);
    expect(await sessions.session(cookie)).toBeUndefined();
  });

  test('ends twelve hours after it was opened, however much it is used', async () => {
    const sessions = sessionsOf();
    const cookie = await open(sessions);
    for (let at = 0; at < 12 * HOUR - 20 * MINUTE; at += 20 * MINUTE) {
      clock.advance(20 * MINUTE);
      expect(await sessions.session(cookie)).toBeDefined();
    }
    clock.advance(20 * MINUTE);
    expect(await sessions.session(cookie)).toBeUndefined();
  });

  test('is written at most once a minute', async () => {
    const sessions = sessionsOf();
    const cookie = await open(sessions);
    const usedAt = async () => (await sessionsReport(table, ACCOUNT))[0]?.usedAt;
    const openedAt = clock.now();
    clock.advance(MINUTE - 1);
    await sessions.session(cookie);
    expect(await usedAt()).toBe(openedAt);
    clock.advance(1);
    await sessions.session(cookie);
    expect(await usedAt()).toBe(openedAt + MINUTE);
    expect(await sessionsReport(table, ACCOUNT)).toEqual([{ openedAt, usedAt: openedAt + MINUTE }]);
    expect(await sessionsReport(table, 'nobody')).toEqual([]);
  });

  test('is ended alone, and the others stay', async () => {
    const sessions = sessionsOf();
    const [one, other] = [await open(sessions), await open(sessions)];
    await sessions.endSession(one);
    await sessions.endSession(one);
    expect(await sessions.session(one)).toBeUndefined();
    expect(await sessions.session(other)).toBeDefined();
  });

  test('that ended while it was in use stays ended', async () => {
    const sessions = sessionsOf();
    const cookie = await open(sessions);
    clock.advance(2 * MINUTE);
    await Promise.all([sessions.endSession(cookie), sessions.session(cookie)]);
    expect(await sessions.session(cookie)).toBeUndefined();
  });

  test('is the first of six to end', async () => {
    const sessions = sessionsOf();
    const cookies: Secret[] = [];
    for (let n = 0; n < 6; n++) cookies.push(await open(sessions));
    const open6 = await Promise.all(cookies.map(async (one) => (await sessions.session(one)) !== undefined));
    expect(open6).toEqual([false, true, true, true, true, true]);
  });

  test('that is over takes no place of one that is open', async () => {
    const sessions = sessionsOf();
    for (let n = 0; n < 5; n++) await open(sessions);
    clock.advance(31 * MINUTE);
    await open(sessions);
    expect(await sessionsReport(table, ACCOUNT)).toHaveLength(1);
  });

  test('ends when the links of its account are revoked, and with the account', async () => {
    const sessions = sessionsOf();
    const cookie = await open(sessions);
    const other = await open(sessions, 'discord:2');
    await sessions.links.revoke(ACCOUNT);
    expect(await sessions.session(cookie)).toBeUndefined();
    expect(await sessions.session(other)).toBeDefined();
    await forgetSessions(table, 'discord:2');
    expect(await sessions.session(other)).toBeUndefined();
  });

  test.for(['', 'x', `${accountHash(ACCOUNT)}.${'a'.repeat(43)}`, `${'0'.repeat(24)}.${'a'.repeat(43)}`])(
    'is not opened by the cookie "%s"',
    async (cookie) => {
      const sessions = sessionsOf();
      await open(sessions);
      expect(await sessions.session(secret(cookie))).toBeUndefined();
      await sessions.endSession(secret(cookie));
      expect(await sessionsReport(table, ACCOUNT)).toHaveLength(1);
    },
  );
});

describe('the link that opens a session', () => {
  test('works once, and looking at it does not use it up', async () => {
    const sessions = sessionsOf();
    const link = await sessions.manageLink(ACCOUNT, 'reply');
    expect(link).toMatch(/^https:\/\/crier\.example\.org\/manage\//u);
    const token = tokenOf(link);
    expect(await sessions.isManageLink(token)).toBe(true);
    expect(await sessions.openSession(token)).toBeDefined();
    expect(await sessions.isManageLink(token)).toBe(false);
    expect(await sessions.openSession(token)).toBeUndefined();
    expect(await sessionsReport(table, ACCOUNT)).toHaveLength(1);
  });

  test('is replaced by a later one', async () => {
    const sessions = sessionsOf();
    const former = tokenOf(await sessions.manageLink(ACCOUNT, 'reply'));
    const later = tokenOf(await sessions.manageLink(ACCOUNT, 'reply'));
    expect([await sessions.isManageLink(former), await sessions.isManageLink(later)]).toEqual([false, true]);
    expect(await sessions.openSession(former)).toBeUndefined();
    expect(await sessions.openSession(later)).toBeDefined();
  });

  test('does nothing after its account is erased, or with another text', async () => {
    const sessions = sessionsOf();
    const token = tokenOf(await sessions.manageLink(ACCOUNT, 'reply'));
    await forgetSessions(table, ACCOUNT);
    for (const one of [token, '', 'x']) {
      expect(await sessions.isManageLink(one)).toBe(false);
      expect(await sessions.openSession(one)).toBeUndefined();
    }
    expect(await sessionsReport(table, ACCOUNT)).toEqual([]);
  });

  test('is mailed three times a day at most, and given in a reply at any time', async () => {
    const sessions = sessionsOf();
    const mailed = async () => (await sessions.manageLink(ACCOUNT, 'mailed')) !== undefined;
    expect([await mailed(), await mailed(), await mailed(), await mailed()]).toEqual([
      true,
      true,
      true,
      false,
    ]);
    const token = tokenOf(await sessions.manageLink(ACCOUNT, 'reply'));
    expect(await mailed()).toBe(false);
    // The refused mail left the last link as it was.
    expect(await sessions.isManageLink(token)).toBe(true);
    expect(await sessions.manageLink('discord:2', 'mailed')).toBeDefined();
    clock.advance(DAY);
    expect(await mailed()).toBe(true);
  });

  test('does not exist without public pages', async () => {
    const sessions = sessionsOf({});
    expect(await sessions.manageLink(ACCOUNT, 'reply')).toBeUndefined();
    const none = createSessionService({ stores: { misc: table }, clock } as never, undefined, random);
    expect(await none.manageLink(ACCOUNT, 'reply')).toBeUndefined();
    expect(await none.isManageLink('x')).toBe(false);
    expect(await none.openSession('x')).toBeUndefined();
    expect(await none.session(secret(`${accountHash(ACCOUNT)}.${'a'.repeat(43)}`))).toBeUndefined();
  });
});

describe('an access key', () => {
  const service = () => createAccessKeyService({ stores: { misc: table }, clock } as never, random);

  test('opens its account with its right, and is stored as a hash', async () => {
    const { makeAccessKey, openAccessKey, accessKey } = service();
    const reads = await makeAccessKey(ACCOUNT, false);
    const writes = await makeAccessKey('discord:2', true);
    expect(await openAccessKey(reads)).toEqual({ account: ACCOUNT, write: false });
    expect(await openAccessKey(writes)).toEqual({ account: 'discord:2', write: true });
    expect(await accessKey(ACCOUNT)).toEqual({ write: false, madeAt: clock.now() });
    expect(table.dump()).not.toContain(reads.reveal().slice(-43));
  });

  test('is replaced by a new one', async () => {
    const { makeAccessKey, openAccessKey } = service();
    const former = await makeAccessKey(ACCOUNT, true);
    const next = await makeAccessKey(ACCOUNT, false);
    expect(await openAccessKey(former)).toBeUndefined();
    expect(await openAccessKey(next)).toEqual({ account: ACCOUNT, write: false });
  });

  test('stops when it is removed, or its account is erased', async () => {
    const { makeAccessKey, openAccessKey, removeAccessKey, accessKey } = service();
    const key = await makeAccessKey(ACCOUNT, true);
    expect(await removeAccessKey('discord:2')).toBe(false);
    expect(await openAccessKey(key)).toBeDefined();
    expect(await removeAccessKey(ACCOUNT)).toBe(true);
    expect(await openAccessKey(key)).toBeUndefined();
    expect(await accessKey(ACCOUNT)).toBeUndefined();
    const again = await makeAccessKey(ACCOUNT, true);
    await forgetAccessKey(table, ACCOUNT);
    expect(await openAccessKey(again)).toBeUndefined();
    expect(await accessKeyReport(table, ACCOUNT)).toBeUndefined();
  });

  test('of another form, another account or with another end opens nothing', async () => {
    const { makeAccessKey, openAccessKey } = service();
    const key = (await makeAccessKey(ACCOUNT, true)).reveal();
    const other = key.replace(accountHash(ACCOUNT), accountHash('discord:2'));
    for (const text of [
      '',
      'x',
      other,
      key.slice(0, -1),
      `${key.slice(0, -2)}${key.endsWith('aa') ? 'bb' : 'aa'}`,
    ])
      expect(await openAccessKey(secret(text))).toBeUndefined();
  });
});

describe('tries of tokens', () => {
  const tries = () => createTokenTries(table, clock.now);
  const refused = (one: Promise<unknown>) =>
    one.then(
      () => undefined,
      (error: Error) => error.message,
    );

  test('of one person are five in a quarter of an hour; one that succeeded does not count', async () => {
    const { begin, succeeded } = tries();
    const [first] = await Promise.all([begin(ACCOUNT), begin(ACCOUNT), begin(ACCOUNT), begin(ACCOUNT)]);
    clock.advance(5 * MINUTE);
    await begin(ACCOUNT);
    expect(await refused(begin(ACCOUNT))).toBe(
      'Too many tokens were tried. Try again in 10 minutes; nothing was changed.',
    );
    await begin('discord:2');
    if (first) await succeeded(first);
    await begin(ACCOUNT);
    expect(await refused(begin(ACCOUNT))).toContain('10 minutes');
    clock.advance(10 * MINUTE);
    expect(await refused(begin(ACCOUNT))).toBeUndefined();
  });

  test('that succeeded twice is taken back once', async () => {
    const { begin, succeeded } = tries();
    const one = await begin(ACCOUNT);
    await begin('discord:2');
    await succeeded(one);
    await succeeded(one);
    for (let n = 0; n < 5; n++) await begin(ACCOUNT);
    for (let n = 0; n < 4; n++) await begin('discord:2');
    expect(await refused(begin('discord:2'))).toContain('Too many');
  });

  test('of all together are sixty in an hour', async () => {
    const { begin } = tries();
    for (let n = 0; n < 60; n++) await begin(`discord:${n}`);
    expect(await refused(begin('discord:99'))).toContain('Try again in 60 minutes');
    clock.advance(HOUR - 1);
    expect(await refused(begin('discord:99'))).toContain('Try again in 1 minutes');
    clock.advance(1);
    expect(await refused(begin('discord:99'))).toBeUndefined();
  });

  test('go with the account that made them, and those of others stay', async () => {
    const { begin } = tries();
    for (let n = 0; n < 5; n++) await begin(ACCOUNT);
    for (let n = 0; n < 5; n++) await begin('discord:2');
    await forgetTokenTries(table, ACCOUNT);
    expect(table.dump()).not.toContain(accountHash(ACCOUNT));
    expect(await refused(begin(ACCOUNT))).toBeUndefined();
    expect(await refused(begin('discord:2'))).toContain('Too many');
    await forgetTokenTries(memoryTable(clock), ACCOUNT);
  });

  test('name no account', async () => {
    await tries().begin(ACCOUNT);
    expect(table.dump()).not.toContain(ACCOUNT);
  });
});
