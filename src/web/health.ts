// The endpoints for machines: alive, ready and metrics. The checks are passed in as functions, so that this file
// depends on no other part of the program.

import type { Hono } from 'hono';
import { defined } from '../domain/defined.js';
import { reasonOf } from '../domain/errors.js';
import type { Role } from '../domain/role.js';

/** The state of one part of the program. Other fields are shown as they are. */
interface PartReport {
  readonly ok: boolean;
  readonly [more: string]: unknown;
}

export type Part = () => Promise<PartReport> | PartReport;

export interface Health {
  /** Parts without which the service is not ready, by name. Each must answer within three seconds. */
  readonly parts: Readonly<Record<string, Part>>;
  /** Parts that are shown but do not count: the service is ready while Discord is away. */
  readonly others?: Readonly<Record<string, Part>>;
  /** Prometheus text; absent where there are no metrics. */
  readonly metrics?: (() => Promise<{ readonly text: string; readonly contentType: string }>) | undefined;
  readonly version: string;
  /** Set where several processes share the work. */
  readonly role?: Role | undefined;
}

export interface HealthReport {
  readonly ok: boolean;
  readonly version: string;
  readonly role?: Role;
  readonly parts: Readonly<Record<string, PartReport>>;
}

/** Milliseconds. Shorter than callers wait for an answer. */
const PATIENCE = 3000;

async function ask(part: Part): Promise<PartReport> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<PartReport>((resolve) => {
    timer = setTimeout(() => resolve({ ok: false, why: `no answer within ${PATIENCE} ms` }), PATIENCE);
  });
  try {
    return await Promise.race([(async () => part())(), late]);
  } catch (error) {
    return { ok: false, why: reasonOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** Checks all parts at the same time. `ok` is false if one of `parts` is not ok. */
export async function healthOf({ parts, others = {}, version, role }: Health): Promise<HealthReport> {
  const entries = Object.entries({ ...parts, ...others });
  const reports = await Promise.all(entries.map(async ([name, part]) => [name, await ask(part)] as const));
  const ok = reports.every(([name, report]) => report.ok || !(name in parts));
  return { ok, version, ...defined({ role }), parts: Object.fromEntries(reports) };
}

/** Checks a part at most once in `ms`, because a real probe costs a write. Other calls share its answer. */
export function keptFor(ms: number, part: Part): Part {
  let kept: { readonly at: number; readonly report: Promise<PartReport> } | undefined;
  return () => {
    const now = performance.now();
    if (!kept || now - kept.at >= ms) kept = { at: now, report: ask(part) };
    return kept.report;
  };
}

export function healthRoutes(app: Hono, health: Health): void {
  app.get('/healthz', (c) => c.json({ ok: true, version: health.version }));

  app.get('/readyz', async (c) => {
    const report = await healthOf(health);
    return c.json(report, report.ok ? 200 : 503);
  });

  const { metrics } = health;
  if (metrics)
    app.get('/metrics', async (c) => {
      const { text, contentType } = await metrics();
      return c.body(text, 200, { 'Content-Type': contentType });
    });
}
