// What programs request: health, readiness, metrics, and the reports of a mail relay.
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openReaderHouse, type ReaderHouse, rustJob, subscribeReader } from '../helpers/reader-house.js';
import { until } from '../helpers/until.js';

let house: ReaderHouse;

beforeEach(async () => {
  house = await openReaderHouse();
});

afterEach(() => house.close());

test('alive and ready, with each part named', async () => {
  expect(await (await house.visit('/healthz')).json()).toMatchObject({ ok: true });
  const ready = await house.visit('/readyz');
  expect(ready.status).toBe(200);
  expect(await ready.json()).toMatchObject({
    ok: true,
    parts: { store: { ok: true }, lease: { ok: true }, scheduler: { ok: true } },
  });
});

test('not ready after the lease was lost', async () => {
  await house.app.pipeline.stores.lease.release();
  const ready = await house.visit('/readyz');
  expect(ready.status).toBe(503);
  expect(await ready.json()).toMatchObject({ ok: false, parts: { lease: { ok: false } } });
});

test('metrics in Prometheus text, none of which names a person', async () => {
  await subscribeReader(house);
  await house.announce(rustJob(3));
  await house.mail(2);
  const sent = /^jobcrier_deliveries_total\{sink="email",outcome="sent"\} 1$/mu;
  await until(async () => sent.test(await (await house.visit('/metrics')).text()), { what: 'the count' });
  const answer = await house.visit('/metrics');
  expect(answer.headers.get('content-type')).toContain('text/plain');
  const text = await answer.text();
  expect(text).toMatch(/^jobcrier_polls_total\{outcome="[a-z]+"\} \d+$/mu);
  expect(text).toMatch(/^jobcrier_process_cpu_/mu);
  expect(text).not.toMatch(/reader|example\.org|discord:/u);
});

describe('reports of a mail relay', () => {
  const body = JSON.stringify({ recipient: 'gone@example.org', status: '5.1.1' });
  const post = (headers: Record<string, string>, payload = body) =>
    fetch(house.at('/bounces'), {
      method: 'POST',
      body: payload,
      headers: { 'Content-Type': 'application/json', ...headers },
    });
  const sign = (payload: string, seconds: number, secret = 'bounce-secret') =>
    `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${payload}`).digest('hex')}`;
  const now = () => Math.floor(Date.now() / 1000);

  test('are accepted with a signature, a bearer token or a password', async () => {
    const basic = Buffer.from('relay:bounce-secret').toString('base64');
    for (const headers of [
      { 'X-Signature': sign(body, now()) },
      { Authorization: 'Bearer bounce-secret' },
      { Authorization: `Basic ${basic}` },
    ]) {
      const answer = await post(headers as unknown as Record<string, string>);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toEqual({ taken: 1 });
    }
    expect(await house.state()).toContain('mail:suppressed:');
  });

  test('are refused without them, or with a wrong one, an old one, or one for another body', async () => {
    for (const headers of [
      {},
      { Authorization: 'Bearer wrong' },
      { Authorization: 'Bearer ' },
      { Authorization: 'Basic ' },
      { 'X-Signature': sign(body, now(), 'wrong') },
      { 'X-Signature': sign(body, now() - 3600) },
      { 'X-Signature': sign('{}', now()) },
      { 'X-Signature': 't=x,v1=y' },
    ])
      expect((await post(headers as unknown as Record<string, string>)).status).toBe(401);
    expect(await house.state()).not.toContain('mail:suppressed:');
  });

  test('are not read if they are too large', async () => {
    expect((await post({ Authorization: 'Bearer bounce-secret' }, 'x'.repeat(1_100_000))).status).toBe(413);
  });
});

test('a port in use is reported with the fix', async () => {
  const { port } = new URL(house.app.web.url());
  await expect(openReaderHouse({ env: { HTTP_PORT: port } })).rejects.toThrow(/HTTP_PORT.*choose another/u);
});
