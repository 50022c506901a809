// What a bounce report changes and what the log says about it, and the maildir that reports may come from.
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { StoreError } from '../../src/domain/errors.js';
import { deriveKeys } from '../../src/domain/link-token.js';
import { createBounces, startMaildir } from '../../src/sinks/email/bounces.js';
import { createStreamHealth } from '../../src/sinks/email/health.js';
import { type BounceReport, LARGEST_REPORT } from '../../src/sinks/email/reports.js';
import { createSuppression } from '../../src/sinks/email/suppression.js';
import { later } from '../helpers/later.js';
import { keptLog, SECRETS } from '../helpers/mail.js';
import { memoryTable, testClock } from '../helpers/memory-table.js';
import { until } from '../helpers/until.js';

const ADDRESS = 'reader@example.org';

let log: ReturnType<typeof keptLog>;
beforeEach(() => {
  log = keptLog();
});
const lines = () => log.lines.map((line) => JSON.parse(line));

describe('a report', () => {
  function open() {
    const clock = testClock();
    const suppression = createSuppression({
      table: memoryTable(clock),
      keys: deriveKeys(SECRETS, 'mail'),
      clock,
    });
    const health = createStreamHealth(clock, () => undefined);
    const alerts: string[] = [];
    const apply = createBounces({ suppression, health, log, onAlert: (text) => void alerts.push(text) });
    const report = (more: Partial<BounceReport>) => apply({ who: { address: ADDRESS }, ...more });
    return { suppression, health, alerts, apply, report };
  }

  test('of a complaint suppresses the address, by its token too', async () => {
    const { suppression, apply, report, alerts } = open();
    await report({ complaint: true, status: '4.0.0' });
    expect(await suppression.find(ADDRESS)).toMatchObject({ why: 'complaint' });
    await apply({ who: { token: suppression.token('other@example.org') }, complaint: true });
    expect(await suppression.find('other@example.org')).toMatchObject({ why: 'complaint' });
    expect(alerts).toEqual([]);
    expect(lines()).toEqual(Array(2).fill({ level: 'info', message: 'complaint taken, address suppressed' }));
  });

  test('of a delay is only a line in the log, with its status', async () => {
    const { suppression, report } = open();
    await report({ delayed: true, status: '4.4.7' });
    expect(await suppression.find(ADDRESS)).toBeUndefined();
    expect(lines()).toEqual([{ level: 'info', status: '4.4.7', message: 'report of a delay taken' }]);
  });

  test('of an address that does not exist suppresses it', async () => {
    const { suppression, report } = open();
    await report({ status: '5.1.1' });
    expect((await suppression.find(ADDRESS))?.why).toContain('5.1.1');
    expect(lines()).toEqual([{ level: 'info', status: '5.1.1', kind: 'address', message: 'bounce taken' }]);
  });

  test('without a status counts as a failure for good, of which no more is known', async () => {
    const { report } = open();
    await report({});
    expect(lines()).toMatchObject([{ status: '5.0.0', message: 'bounce taken' }]);
  });

  test('of a full mailbox suppresses the address after three messages; those without an id count as different', async () => {
    const { suppression, report } = open();
    for (let n = 0; n < 4; n++) await report({ status: '5.2.2', message: '<one@crier>' });
    expect(await suppression.find(ADDRESS)).toBeUndefined();
    await report({ status: '5.2.2' });
    expect(await suppression.find(ADDRESS)).toBeUndefined();
    await report({ status: '5.2.2' });
    expect(await suppression.find(ADDRESS)).toBeDefined();
  });

  test('of a policy alerts the operator, and names a domain only if three of its readers are refused', async () => {
    const { suppression, alerts, apply } = open();
    for (const name of ['a', 'b', 'c'])
      await apply({ who: { address: `${name}@d.example` }, status: '5.7.1' });
    expect(alerts).toHaveLength(3);
    expect(alerts[1]).toContain('other mails are still sent');
    expect(alerts[2]).toMatch(/^Mails to d\.example wait for an hour/u);
    // A report by mail could be forged, so it pauses no domain.
    for (const name of ['a', 'b', 'c'])
      await apply({ who: { token: suppression.token(`${name}@e.example`) }, status: '5.7.1' });
    expect(alerts.slice(3).every((text) => text.includes('other mails are still sent'))).toBe(true);
    expect(await suppression.find('a@d.example')).toBeUndefined();
  });

  test('of something temporary alerts no one', async () => {
    const { alerts, report, suppression } = open();
    await report({ status: '4.4.1' });
    expect(alerts).toEqual([]);
    expect(await suppression.find(ADDRESS)).toBeUndefined();
  });

  test('of the content of one mail alerts no one, and keeps its reader', async () => {
    const { alerts, report, suppression } = open();
    await report({ status: '5.6.0' });
    expect(alerts).toEqual([]);
    expect(await suppression.find(ADDRESS)).toBeUndefined();
    expect(lines()).toMatchObject([{ status: '5.6.0', kind: 'content' }]);
  });

  test('stops the run when too many mails come back, which the operator is told', async () => {
    const { health, alerts, apply } = open();
    for (let n = 0; n < 200; n++) health.result(false);
    let count = 0;
    while (alerts.length === 0 && ++count < 100)
      await apply({ who: { address: `r${count}@example.org` }, status: '5.1.1' });
    expect(alerts).toEqual(['Over 5 % of the mails of this run came back: the run stopped for an hour.']);
    expect(count).toBeGreaterThan(5);
    expect(health.pauses()).toHaveLength(1);
  });
});

describe('a maildir', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'jobcrier-maildir-'));
    later(() => rm(folder, { recursive: true, force: true }));
    for (const name of ['new', 'cur']) await mkdir(join(folder, name));
  });

  const put = (name: string, text: string | Buffer) => writeFile(join(folder, 'new', name), text);
  const files = async (name: 'new' | 'cur') => (await readdir(join(folder, name))).sort();
  function start(take: (mail: string) => Promise<void>, everyMs?: number) {
    const stop = startMaildir(folder, log, take, everyMs);
    later(stop);
    return stop;
  }

  test('is read in the order of the names, and what was read is moved', async () => {
    for (const name of ['2', '10', '1']) await put(name, `mail ${name}`);
    const taken: string[] = [];
    start(async (mail) => void taken.push(mail));
    await until(() => taken.length === 3, { what: 'three mails' });
    expect(taken).toEqual(['mail 1', 'mail 10', 'mail 2']);
    expect([await files('new'), await files('cur')]).toEqual([[], ['10:2,S', '1:2,S', '2:2,S'].sort()]);
    expect(log.lines).toEqual([]);
  });

  test('is not read if a mail is too large or no file', async () => {
    await put('1', Buffer.alloc(LARGEST_REPORT + 1));
    await put('2', Buffer.alloc(LARGEST_REPORT, 'a'));
    await symlink('/etc/hostname', join(folder, 'new', '0'));
    const taken: number[] = [];
    start(async (mail) => void taken.push(mail.length));
    await until(() => taken.length === 1, { what: 'the mail' });
    expect(taken).toEqual([LARGEST_REPORT]);
    expect(lines()).toMatchObject([
      { level: 'warn', bytes: '/etc/hostname'.length },
      {
        level: 'warn',
        bytes: LARGEST_REPORT + 1,
        message: 'mail in the bounce maildir is too large or no file: moved to cur, not read',
      },
    ]);
    expect(await files('cur')).toHaveLength(3);
  });

  test('keeps a mail whose result can not be stored, and reads it again', async () => {
    await put('1', 'mail 1');
    await put('2', 'mail 2');
    const taken: string[] = [];
    let fails = true;
    start(async (mail) => {
      taken.push(mail);
      if (fails) throw new StoreError('full', 'no room left');
    }, 5);
    await until(() => taken.length > 2, { what: 'three tries' });
    expect(new Set(taken)).toEqual(new Set(['mail 1']));
    // Said once until it works again.
    expect(lines()).toEqual([
      { level: 'error', reason: 'no room left', message: 'bounce maildir cannot be read' },
    ]);
    fails = false;
    // A mail is moved before it is read, so an empty folder does not mean that both were read.
    await until(() => taken.at(-1) === 'mail 2', { what: 'both mails' });
    expect(await files('new')).toEqual([]);
    fails = true;
    await put('3', 'mail 3');
    await until(() => log.lines.length === 2, { what: 'another line' });
  });

  test('does not read a mail again that can not be read', async () => {
    await put('1', 'mail 1');
    await put('2', 'mail 2');
    const taken: string[] = [];
    start(async (mail) => {
      taken.push(mail);
      if (mail === 'mail 1') throw new Error('what is this');
    }, 5);
    await until(() => taken.length === 2, { what: 'both mails' });
    expect(taken).toEqual(['mail 1', 'mail 2']);
    expect(await files('cur')).toEqual(['1:2,S', '2:2,S']);
  });

  test('is read no more after it was stopped, and a mail that is being read is finished', async () => {
    await put('1', 'mail 1');
    await put('2', 'mail 2');
    const taken: string[] = [];
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const stop = start(async (mail) => {
      await held;
      taken.push(mail);
    }, 5);
    await until(async () => (await files('cur')).length === 1, { what: 'the first mail' });
    const stopped = stop();
    release();
    await stopped;
    expect(taken).toEqual(['mail 1']);
    expect(await files('new')).toEqual(['2']);
  });
});
