// Sessions of the operator's page. The cookie says when it began and ends and is signed with a key that lives as long as
// the process, so a restart and a new ADMIN_TOKEN end all of them; those that were signed out are remembered.
import { createHmac, randomBytes } from 'node:crypto';
import { sameSecret } from '../../domain/secret.js';
import type { Clock } from '../../ports/system.js';

/** Without a request for so long, it is over … */
const IDLE_MS = 60 * 60_000;
/** … and after this in any case. */
const LONGEST_MS = 12 * 3_600_000;
/** Prolonged when it is older than this, so that not every answer sets a cookie. */
const FRESH_MS = 5 * 60_000;

interface Session {
  /** Goes into every form, and has to come back with it. */
  readonly csrf: string;
  /** The cookie in its prolonged form, when it is time. */
  readonly renewed?: string;
}

export interface Sessions {
  /** A new session's cookie. */
  open(): string;
  /** The session of a cookie; undefined for one that is over, forged or missing. */
  read(cookie: string | undefined): Session | undefined;
  /** Ends the session of a cookie, also for its copies and for earlier and later forms of it. */
  close(cookie: string | undefined): void;
}

/** Seconds a cookie is kept by the browser. */
export const COOKIE_SECONDS = IDLE_MS / 1000;

export function createSessions(clock: Clock): Sessions {
  const key = randomBytes(32);
  const sign = (use: string, text: string) =>
    createHmac('sha256', key).update(`${use}\n${text}`).digest('base64url');

  function write(began: number, nonce: string): string {
    const now = clock.now();
    const body = `${began}.${now}.${Math.min(now + IDLE_MS, began + LONGEST_MS)}.${nonce}`;
    return `${body}.${sign('session', body)}`;
  }

  /** Nonces of sessions that were signed out, with the time when they would be over anyway. */
  const closed = new Map<string, number>();

  /** What a cookie of this process says, unless it is over or was signed out. */
  function opened(cookie: string | undefined) {
    const parts = (cookie ?? '').split('.');
    const [began, written, ends, nonce, signature] = parts;
    if (parts.length !== 5 || !signature || !nonce) return undefined;
    if (!sameSecret(signature, sign('session', parts.slice(0, 4).join('.')))) return undefined;
    const now = clock.now();
    // One written in the future was written before the clock went back, and would last who knows how long.
    if (now >= Number(ends) || now < Number(written) || closed.has(nonce)) return undefined;
    return { began: Number(began), written: Number(written), nonce };
  }

  return {
    open: () => write(clock.now(), randomBytes(16).toString('base64url')),
    read(cookie) {
      const session = opened(cookie);
      if (!session) return undefined;
      const { began, written, nonce } = session;
      const csrf = sign('form', nonce);
      return clock.now() - written < FRESH_MS ? { csrf } : { csrf, renewed: write(began, nonce) };
    },
    close(cookie) {
      const session = opened(cookie);
      if (!session) return;
      for (const [nonce, over] of closed) if (clock.now() >= over) closed.delete(nonce);
      closed.set(session.nonce, session.began + LONGEST_MS);
    },
  };
}
