// After the deletion of a person, nothing of them is left in the store's files, in its rows, or in a later backup,
// and the links in their old mails reveal nothing and restore nothing.
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import { KV_TABLES } from '../../src/store/backend.js';
import { backupStore } from '../../src/store/backup.js';
import type { OpenStores } from '../../src/store/index.js';
import { later } from '../helpers/later.js';
import { ONLY_ON_REQUEST } from '../helpers/polled.js';
import {
  confirmLink,
  linkOn,
  openReaderHouse,
  pageLinks,
  type ReaderHouse,
  rustJob,
} from '../helpers/reader-house.js';
import { until } from '../helpers/until.js';
import { DATABASES, type RunningDatabase } from '../store/databases.js';

const USER = '987654321098765432';
const ME = { account: `discord:${USER}`, locale: 'en' };
const TOKEN = 'person-token-WxYz';
/** The traces to look for: id, addresses, end of the token, words of the subscriptions. */
const TRACES = [USER, 'former@', 'present@', 'besides@', 'WxYz', 'zanzibarian', 'quuxological'];

async function subscribe(house: ReaderHouse, target: string, include: string): Promise<string> {
  const { report } = await house.app.services.subscribe(ME, {
    filter: { tags: ['rust'], exclude: [include] },
    schedule: ONLY_ON_REQUEST,
    timezone: 'Europe/Berlin',
    destination: { sink: 'email', target, cadence: 'immediate' },
  });
  return report.subscription.id;
}

/** Creates a person who did everything that leaves a record; returns the links of one of their mails. */
async function liveThere(house: ReaderHouse): Promise<Record<string, string>> {
  const { services, pipeline } = house.app;
  await house.board.setTokens([{ token: house.board.token }, { token: TOKEN }]);
  await services.setToken(ME.account, secret(TOKEN));
  await services.saveProfile(ME.account, { timezone: 'Asia/Tokyo', locale: 'en' });
  await services.mail!.setAddress(ME.account, 'former@example.org', 'en');
  await house.press(confirmLink(await house.mail(1)));
  await subscribe(house, 'former@example.org', 'zanzibarian');
  await house.announce(rustJob(3));
  const links = pageLinks(await house.mail(2));
  links.feed = linkOn(await (await house.visit(links.preferences!)).text(), 'feed');
  await services.mail!.setAddress(ME.account, 'present@example.org', 'en');
  await house.press(confirmLink(await house.mail(3)));
  // A confirmation mail without an answer, and a removed subscription that could be restored.
  const second = await subscribe(house, 'besides@example.org', 'quuxological');
  await house.announce(rustJob(4));
  await house.mail(5);
  await until(async () => (await services.subscription(ME, second)).state === 'parked');
  const [edition] = await services.editions(ME.account, 1);
  await services.mark(ME.account, edition!.id, 0, 'saved');
  await services.hide(ME.account, { company: 'zanzibarian ltd' });
  await services.remove(ME, second);
  await services.mail!.stop({
    account: ME.account,
    subscription: edition!.subscription,
    destination: 'other',
  });
  // Rows that other parts of the program write.
  const { misc, notices, rejections } = pipeline.stores;
  await misc.set(`discord:zone:${USER}`, { draft: { filter: { include: ['zanzibarian'] } } }, 60_000);
  await misc.set(`discord:undo:${USER}`, { draft: 'quuxological' }, 60_000);
  const told = { kind: 'token', subject: ME.account, account: ME.account, text: 'zanzibarian' } as const;
  await notices.set(`token:${ME.account}`, { ...told, toldAt: 1 });
  await rejections.set(ME.account, { fingerprint: 'WxYz', at: 1, why: 'x' });
  const report = (recipient: string) => ({ recipient, status: '5.2.2', messageId: '<m@example.org>' });
  await fetch(house.at('/bounces'), {
    method: 'POST',
    headers: { Authorization: 'Bearer bounce-secret', 'Content-Type': 'application/json' },
    body: JSON.stringify(['former', 'present', 'besides'].map((name) => report(`${name}@example.org`))),
  });
  return links;
}

/** Every row of every table, as stored. */
async function rows(house: ReaderHouse): Promise<readonly string[]> {
  const { backend } = house.app.pipeline.stores as OpenStores;
  const found: string[] = [];
  for (const name of KV_TABLES)
    for (const [key, value] of await backend.kvTables[name].page({}, 10_000))
      found.push(`${name} ${key} ${value}`);
  return found;
}

const tracesIn = (text: string) => TRACES.filter((trace) => text.includes(trace));

describe.each(DATABASES)('$name', ({ name, missing, start }) => {
  test.skipIf(missing)(
    `keeps nothing of a deleted person${missing ? ` (${missing})` : ''}`,
    { timeout: 360_000, ...(name === 'postgres' ? { tags: 'long' } : {}) },
    async () => {
      let server: RunningDatabase | undefined;
      if (name === 'postgres') {
        server = await start();
        later(server.stop);
      }
      const url = await server?.freshUrl();
      const house = await openReaderHouse(url ? { env: { STORE_URL: url } } : {});
      later(house.close);
      const before = await rows(house);
      const links = await liveThere(house);
      expect(tracesIn((await rows(house)).join('\n'))).toEqual(
        expect.arrayContaining([USER, 'zanzibarian', 'WxYz']),
      );

      await house.app.services.eraseAccount(ME.account);

      const after = await rows(house);
      expect(tracesIn(after.join('\n'))).toEqual([]);
      const tablesAndKinds = (all: readonly string[]) =>
        new Set(
          all.map((row) =>
            row
              .split(/[ :]/u, 3)
              .slice(0, 3)
              .join(' ')
              .replace(/\d{6,}.*/u, ''),
          ),
        );
      const left = [...tablesAndKinds(after)].filter(
        (kind) =>
          /^(?:misc|accounts|subscriptions|marks|notices|ledgers|polls)/u.test(kind) &&
          !tablesAndKinds(before).has(kind),
      );
      // The number of confirmation mails caused within the last day, under keyed hashes and for that day.
      expect(left.filter((kind) => !/^misc (?:mail asks|tally|clock)/u.test(kind))).toEqual([]);
      if (name === 'sqlite') await filesHold(house);
      else await dumpHolds(url as string);

      const state = await house.state();
      for (const link of [links.preferences!, links.feed!, links.browser ?? links.editions!])
        expect([404, 410]).toContain((await house.visit(link)).status);
      const out = await house.press(links.unsubscribe!, { 'List-Unsubscribe': 'One-Click' });
      expect(out.status).toBe(200);
      expect(await out.text()).not.toMatch(/\/(?:resubscribe|preferences)\//u);
      expect(await house.state()).toBe(state);

      // A person who comes back under the same id is not affected by the old links.
      await house.app.services.setToken(ME.account, secret(TOKEN));
      expect((await house.visit(links.feed!)).status).toBe(404);
    },
  );
});

async function filesHold(house: ReaderHouse): Promise<void> {
  const data = join(house.dir, 'data');
  const copy = join(house.dir, 'copy.sqlite');
  await backupStore(`sqlite://${join(data, 'jobcrier.sqlite')}`, copy);
  const files = (await readdir(data)).filter((file) => file.startsWith('jobcrier.sqlite'));
  expect(files).toContain('jobcrier.sqlite-wal');
  for (const file of [...files.map((one) => join(data, one)), copy])
    expect(tracesIn((await readFile(file)).toString('latin1')), file).toEqual([]);
}

async function dumpHolds(url: string): Promise<void> {
  const dump = await promisify(execFile)('pg_dump', [url], { maxBuffer: 100_000_000 }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    },
  );
  if (dump) expect(tracesIn(dump.stdout)).toEqual([]);
}
