// Whether the process that holds a lease still runs, and how it is named.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { describeHolder, identifyProcess, isDead, readIdentity } from '../../src/store/process-identity.js';
import { later } from '../helpers/later.js';

const NOW = Date.UTC(2026, 2, 2, 12);
const IS_LINUX = process.platform === 'linux';

test('this process is identified, each time as another holder', async () => {
  const [one, other] = [await identifyProcess(NOW), await identifyProcess(NOW)];
  expect(one).toMatchObject({ host: hostname(), pid: process.pid, since: NOW });
  expect(one.nonce).toMatch(/^[0-9a-f]{12}$/u);
  expect(one.nonce).not.toBe(other.nonce);
  expect({ ...one, nonce: '' }).toEqual({ ...other, nonce: '' });
  expect(await isDead(one, other)).toBe(false);
  expect(readIdentity(JSON.stringify(one))).toEqual(one);
  expect(describeHolder(JSON.stringify(one))).toBe(
    `process ${process.pid} on ${hostname()} (since 2026-03-02T12:00:00.000Z)`,
  );
});

test.skipIf(!IS_LINUX)('has the boot, the space of process ids and the start on Linux', async () => {
  const self = await identifyProcess(NOW);
  expect(self.boot).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/u);
  expect(self.pidSpace).toMatch(/^pid:\[\d+\]$/u);
  expect(self.started).toMatch(/^\d+$/u);
});

test.skipIf(!IS_LINUX)(
  'another process is dead when it ended, or when its id has another start',
  async () => {
    const self = await identifyProcess(NOW);
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    later(async () => void child.kill('SIGKILL'));
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
    const other = { ...self, pid, started };
    expect(await isDead(other, self)).toBe(false);
    expect(await isDead({ ...other, started: `${started}0` }, self)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await isDead(other, self)).toBe(true);
  },
);

test.for(['host', 'boot', 'pidSpace'] as const)(
  'a process with another %s can not be checked, so it is not dead',
  async (field) => {
    const self = await identifyProcess(NOW);
    expect(await isDead({ ...self, started: '1' }, self)).toBe(IS_LINUX);
    expect(await isDead({ ...self, started: '1', [field]: 'elsewhere' }, self)).toBe(false);
  },
);

test('without starts, a process is dead when nothing has its id', async () => {
  const self = { ...(await identifyProcess(NOW)), started: '' };
  expect(await isDead(self, self)).toBe(false);
  // No process has a higher id (Linux, PID_MAX_LIMIT).
  expect(await isDead({ ...self, pid: 2 ** 22 + 1 }, self)).toBe(true);
});

test.for(['', 'x', '{}', '{"pid":1}', '{"pid":"1","since":2}', '{"pid":1,"since":"2"}', '7'])(
  'a holder of another form (%s) is another process',
  (holder) => {
    expect(readIdentity(holder)).toBeUndefined();
    expect(describeHolder(holder)).toBe('another process');
  },
);
