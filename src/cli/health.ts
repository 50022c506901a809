// `jobcrier health`: asks the running service whether it is alive; for containers without curl.
import { UserError } from '../domain/errors.js';
import type { Command } from './context.js';

interface HealthOptions {
  readonly ready?: boolean;
  readonly json?: boolean;
}

/** With the start of the program, this stays within the five seconds that the image's HEALTHCHECK waits. */
const PATIENCE_MS = 3_500;

/** The host to connect to: an address that means "all interfaces" is only for listening. */
function askable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/** Resolves with 0 when the service answers with success, else with 1. Throws a UserError when it does not answer. */
export const healthCommand: Command<HealthOptions> = async ({ ready, json }, context) => {
  const { host, port } = context.config().http;
  if (port === 0)
    throw new UserError('HTTP_PORT: is 0, so the port of the service is not known; set a fixed port.', 2);
  const { io } = context;
  const path = ready ? '/readyz' : '/healthz';
  let answer: Response;
  try {
    const url = `http://${askable(host)}:${port}${path}`;
    answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS), redirect: 'error' });
  } catch {
    throw new UserError(
      `Nothing answers at ${host}:${port}. Is "jobcrier run" running with the same HTTP_HOST and HTTP_PORT?`,
    );
  }
  const said: unknown = await answer.json().catch(() => undefined);
  if (json) io.json(said ?? { ok: answer.ok });
  else for (const line of linesOf(said, answer.ok, ready ? 'ready' : 'alive')) io.print(line);
  return answer.ok ? 0 : 1;
};

function linesOf(said: unknown, ok: boolean, word: string): readonly string[] {
  const parts = (said as { parts?: Record<string, { ok: boolean; why?: string }> } | undefined)?.parts ?? {};
  const faulty = Object.entries(parts).filter(([, part]) => !part.ok);
  return [
    ok ? word : `not ${word}`,
    ...faulty.map(([name, part]) => `${name}: ${part.why ?? 'does not work'}`),
  ];
}
