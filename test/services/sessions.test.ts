// Sessions of the page with all subscriptions, in a store that two processes share: a link opens one session, and
// limits hold for both.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deriveKeys } from '../../src/domain/link-token.js';
import { secret } from '../../src/domain/secret.js';
import { createLinkBook } from '../../src/pipeline/link-book.js';
import { createSessionService } from '../../src/services/sessions.js';
import { DATABASES, type RunningDatabase } from '../store/databases.js';
import { openTestStores } from '../store/fixtures.js';

const ACCOUNT = 'discord:1';
const clock = { now: () => Date.now() };
const keys = deriveKeys([secret('a key that both processes have')], 'links');

async function openProcess(url: string) {
  const stores = await openTestStores(url, { clock, role: 'worker' });
  const { misc: table, accounts } = stores;
  const links = createLinkBook({ keys, publicUrl: 'https://crier.example.org', table, accounts, clock });
  return createSessionService({ stores, clock }, links, () => randomBytes(32).toString('base64url'));
}

for (const database of DATABASES) {
  const name = database.missing ? `${database.name} (skipped: ${database.missing})` : database.name;
  describe.skipIf(database.missing !== undefined)(name, () => {
    let running: RunningDatabase;
    let processes: Awaited<ReturnType<typeof openProcess>>[];
    beforeAll(async () => {
      running = await database.start();
    });
    afterAll(() => running?.stop());
    beforeEach(async () => {
      const url = await running.freshUrl();
      processes = [await openProcess(url), await openProcess(url)];
    });

    /** Five calls in each process, all at the same moment. */
    const together = <T>(call: (one: (typeof processes)[number]) => Promise<T>) =>
      Promise.all(Array.from({ length: 10 }, (_, n) => call(processes[n % 2]!)));

    test('a link that both processes get at the same moment opens one session, which both know', async () => {
      const link = (await processes[0]!.manageLink(ACCOUNT, 'reply'))!;
      const token = link.split('/').at(-1)!;
      const opened = (await together((one) => one.openSession(token))).filter((one) => one !== undefined);
      expect(opened).toHaveLength(1);
      for (const one of processes) expect((await one.session(opened[0]!))?.account).toBe(ACCOUNT);
      await processes[1]!.endSession(opened[0]!);
      for (const one of processes) expect(await one.session(opened[0]!)).toBeUndefined();
    });

    test('both together mail at most three links in a day', async () => {
      const sent = await together((one) => one.manageLink(ACCOUNT, 'mailed'));
      expect(sent.filter((one) => one !== undefined)).toHaveLength(3);
      expect(await processes[0]!.manageLink(ACCOUNT, 'reply')).toBeDefined();
    });
  });
}
