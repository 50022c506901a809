// /healthz and /readyz over HTTP, with parts that work, fail, hang and are asked too often.
import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { type Health, healthRoutes, keptFor } from '../../src/web/health.js';
import { until } from '../helpers/until.js';

function ask(health: Partial<Health>, path = '/readyz'): Promise<Response> {
  const app = new Hono();
  healthRoutes(app, { parts: {}, version: '1.2.3', ...health });
  return Promise.resolve(app.request(path));
}

const works = () => ({ ok: true });

describe('ready', () => {
  test('if every required part is, with the report of each', async () => {
    const answer = await ask({ parts: { store: works, scheduler: async () => ({ ok: true, lagMs: 5 }) } });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      ok: true,
      version: '1.2.3',
      parts: { store: { ok: true }, scheduler: { ok: true, lagMs: 5 } },
    });
  });

  test('not if one is not, or throws', async () => {
    const answer = await ask({
      parts: {
        store: () => Promise.reject(new Error('no room on the disk')),
        scheduler: () => {
          throw new Error('stuck');
        },
        other: works,
      },
    });
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({
      ok: false,
      parts: {
        store: { ok: false, why: 'no room on the disk' },
        scheduler: { ok: false, why: 'stuck' },
        other: { ok: true },
      },
    });
  });

  test('also while a part that is only reported is down', async () => {
    const answer = await ask({
      parts: { store: works },
      others: { discord: () => ({ ok: false, state: 'connecting' }) },
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      ok: true,
      parts: { discord: { ok: false, state: 'connecting' } },
    });
  });

  test('not if a part gives no answer', async () => {
    const answer = await ask({ parts: { store: () => new Promise(() => undefined) } });
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ parts: { store: { why: 'no answer within 3000 ms' } } });
  });
});

test('alive whatever the parts report', async () => {
  const answer = await ask({ parts: { store: () => ({ ok: false }) } }, '/healthz');
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({ ok: true, version: '1.2.3' });
});

test('runs an expensive check once for several callers, and again when its result is old', async () => {
  let asked = 0;
  const part = keptFor(30, async () => ({ ok: ++asked > 0 }));
  await Promise.all([part(), part(), part()]);
  expect(asked).toBe(1);
  await until(async () => (await part()).ok && asked > 1, { what: 'a second look' });
});

test('has no /metrics without metrics', async () => {
  expect((await ask({}, '/metrics')).status).toBe(404);
});
