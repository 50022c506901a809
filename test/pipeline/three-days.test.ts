// The limit of three days with a real recipient: a webhook over HTTP that is down for longer than any edition waits.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createWebhookSink } from '../../src/sinks/webhook/sink.js';
import { HOUR, job, type Lab, openLab } from '../helpers/lab.js';
import { later } from '../helpers/later.js';

async function startFarSide() {
  const side = { url: '', isAway: false, hits: 0, accepted: [] as string[] };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk;
    });
    request.on('end', () => {
      side.hits++;
      if (!side.isAway) side.accepted.push(...(body.match(/Job \d+/gu) ?? []));
      response.writeHead(side.isAway ? 503 : 204, side.isAway ? { 'retry-after': '3600' } : {}).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  side.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  later(() => server.close());
  return side;
}

test('expires what waited for three days, notifies the owner, and sends what comes later', {
  tags: 'long',
}, async () => {
  const side = await startFarSide();
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const sink = createWebhookSink({ allowPrivate: true, clock: { now: Date.now }, log });
  later(() => sink.close?.());
  const lab: Lab = await openLab({ sinks: [sink] });
  later(() => lab.close());
  await lab.add({ destinations: [{ sink: 'webhook', target: side.url }] });
  await lab.poll();
  side.isAway = true;
  await lab.post(job(2));
  await lab.poll();
  const began = lab.clock.now();
  while (lab.notices.length === 0 && lab.clock.now() - began < 100 * HOUR) await lab.advance(HOUR);
  const hours = (lab.clock.now() - began) / HOUR;
  expect(hours).toBeGreaterThanOrEqual(72);
  // The first waits are shorter than the steps of this clock.
  expect(hours).toBeLessThan(80);
  // Once an hour, and none of it counts as an attempt for the posting.
  expect(side.hits).toBeGreaterThan(70);
  expect(lab.notices).toMatchObject([{ kind: 'expired', text: expect.stringContaining('three days') }]);
  expect((await lab.why('2')).destinations[0]).toMatchObject({ state: 'expired' });
  side.isAway = false;
  await lab.post(job(3));
  await lab.poll();
  expect(side.accepted).toEqual(['Job 3']);
  expect(lab.notices).toHaveLength(1);
});
