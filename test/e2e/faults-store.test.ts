// Faults of the store of a running service: a full disk, a damaged file, a newer version, and a process that was
// suspended while another took over.
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openConnection } from '../../src/store/sqlite/connection.js';
import { baseline, faultHouse, faultJob, pagesOf, said } from '../helpers/fault-house.js';
import { later } from '../helpers/later.js';
import type { Program } from '../helpers/process.js';
import { until } from '../helpers/until.js';

function whyNoMount(): string | undefined {
  if (process.getuid?.() !== 0) return 'mounting needs root';
  try {
    execFileSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'mounting is not allowed here';
  }
}

const noMount = whyNoMount();
const SECRET_KEY = Buffer.alloc(32, 5).toString('base64');
const storeOf = (dir: string) => join(dir, 'data', 'jobcrier.sqlite');

test.skipIf(noMount)(
  `a full disk pauses the service, which is not ready then, and it resumes automatically without a loss${noMount ? ` (skipped: ${noMount})` : ''}`,
  { timeout: 270_000 },
  async () => {
    const house = await faultHouse({ env: { SECRET_KEY, BACKUP_KEEP: '0' } });
    const data = join(house.dir, 'data');
    await mkdir(data);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', data]);
    later(() => execFileSync('umount', ['-l', data]));
    const program = house.run();
    const pages = await pagesOf(program);
    await baseline(program);
    const ready = async () => (await fetch(`${pages}/readyz`)).status;
    expect(await ready()).toBe(200);
    // Filled to the last byte: the rest of a page of the log in use is filled by the first writes.
    await writeFile(join(data, 'ballast'), Buffer.alloc(8_000_000)).catch(() => undefined);
    const many = Array.from({ length: 100 }, (_, i) => faultJob(100 + i, { company: 'x'.repeat(2000) }));
    await house.board.setJobs([...many, faultJob(1)]);
    await program.until('the pause', said(program, 'polling pauses'), 30_000);
    await until(async () => (await ready()) === 503, { what: 'not ready', timeoutMs: 15_000 });
    const told = (await (await fetch(`${pages}/readyz`)).json()) as { ok: boolean };
    expect(told.ok).toBe(false);
    expect((await fetch(`${pages}/healthz`)).status).toBe(200);
    expect(house.titles()).toEqual([]);
    await rm(join(data, 'ballast'));
    await program.until('all of them', () => house.titles().length >= 100, 40_000);
    expect(new Set(house.titles())).toEqual(new Set(many.map(({ title }) => title)));
    expect(house.titles()).toHaveLength(100);
    await until(async () => (await ready()) === 200, { what: 'ready again', timeoutMs: 15_000 });
    program.kill();
    expect(await program.ended).toBe(0);
  },
);

test('refuses a damaged store at each start with the fix, copies it aside once, and requests and sends nothing', {
  timeout: 270_000,
}, async () => {
  const house = await faultHouse({ env: { SECRET_KEY } });
  const first = house.run();
  await baseline(first);
  const backup = join(house.dir, 'data', 'backups');
  await mkdir(backup, { recursive: true });
  const { code } = await house.command(['backup', join(backup, 'jobcrier-2026-11-20T00-00-00Z.sqlite')]);
  expect(code).toBe(0);
  first.kill();
  expect(await first.ended).toBe(0);
  await writeFile(storeOf(house.dir), Buffer.alloc(20_000, 'no store'));
  const asked = house.front.asked.length;
  for (let start = 0; start < 3; start++) {
    const doomed = house.run();
    expect(await doomed.ended).toBe(1);
    expect(doomed.stderr.join('\n')).toMatch(/is damaged, so nothing was started.*jobcrier restore /u);
  }
  const kept = (await readdir(join(house.dir, 'data'))).filter((name) => name.includes('corrupt'));
  expect(kept.filter((name) => !name.endsWith('-wal'))).toHaveLength(1);
  expect(house.front.asked).toHaveLength(asked);
});

test('refuses a store of a newer version with a sentence, and does not change it', {
  timeout: 270_000,
}, async () => {
  const house = await faultHouse({ env: { SECRET_KEY } });
  const first = house.run();
  await baseline(first);
  first.kill();
  await first.ended;
  const keyv = await openConnection(storeOf(house.dir));
  const [row] = await keyv.query(`SELECT key FROM meta WHERE key LIKE '%schema%' OR key LIKE '%version%'`);
  const name = String((row as { key: string }).key).replace(/^.*?:/u, '');
  await keyv.query('UPDATE meta SET value = ? WHERE key = ?', [
    JSON.stringify({ value: { version: 9999 } }),
    name,
  ]);
  await keyv.close();
  const second = house.run();
  expect(await second.ended).toBe(1);
  expect(second.stderr.join('\n')).toMatch(/later version of this program/u);
});

/** Suspends `program` while it is not writing: a process that is suspended inside a transaction locks out all others. */
async function suspend(program: Program, file: string): Promise<void> {
  const db = await openConnection(file);
  try {
    await until(
      async () => {
        program.kill('SIGSTOP');
        try {
          await db.query('BEGIN IMMEDIATE');
          await db.query('ROLLBACK');
          return true;
        } catch (error) {
          program.kill('SIGCONT');
          throw error;
        }
      },
      { timeoutMs: 20_000, what: 'a moment without a write' },
    );
  } finally {
    await db.close();
  }
}

test('ends a service that was suspended while another took over, when it wakes up, and sends nothing twice', {
  timeout: 450_000,
}, async () => {
  const house = await faultHouse({ env: { SECRET_KEY } });
  const sleeper = house.run();
  await baseline(sleeper);
  await suspend(sleeper, storeOf(house.dir));
  await house.board.addJob(faultJob(2));
  // A second one is refused until the lease of the suspended one has expired, at most 15 s.
  let heir = house.run();
  const takesOver = async () => {
    await until(() => said(heir, '"running"')() || heir.child.exitCode !== null, { timeoutMs: 20_000 });
    if (heir.child.exitCode === null) return true;
    expect(heir.stderr.join('\n')).toMatch(/in use/u);
    heir = house.run();
    return false;
  };
  await until(takesOver, { timeoutMs: 60_000, what: 'the takeover' });
  await heir.until('the posting', () => house.titles().includes('Position 2'), 30_000);
  sleeper.kill('SIGCONT');
  expect(await sleeper.ended).toBe(1);
  expect(sleeper.stdout.join('\n')).toContain('another process took over the store');
  await house.board.addJob(faultJob(3));
  await heir.until('the next posting', () => house.titles().includes('Position 3'));
  heir.kill();
  expect(await heir.ended).toBe(0);
  expect(house.titles()).toEqual(['Position 2', 'Position 3']);
  expect(house.receiver.received).toHaveLength(2);
});
