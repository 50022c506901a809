// Sessions of the operator's pages. The cookie contains the start and end of its session and is signed with a key
// that exists only in this process, so a restart or a new ADMIN_TOKEN ends all sessions. Sign-outs are remembered.
import { createHmac, randomBytes } from 'node:crypto';
import { sameSecret } from '../../domain/secret.js';
import type { Clock } from '../../ports/system.js';

/** A session ends after this time without a request. */
const IDLE_MS = 60 * 60_000;
/** The longest time that a session lasts. */
const LONGEST_MS = 12 * 3_600_000;
/** A cookie older than this is renewed. Newer ones are not, so that not every answer sets a cookie. */
const FRESH_MS = 5 * 60_000;

interface Session {
  /** Is part of every form and must be posted with it. */
  readonly csrf: string;
  /** The renewed cookie, when it is time to set it. */
  readonly renewed?: string;
}

export interface Sessions {
  /** A new session's cookie. */
  open(): string;
  /** The session of a cookie; undefined for a cookie that is expired, forged or missing. */
  read(cookie: string | undefined): Session | undefined;
  /** Ends the session of a cookie, including its copies and its earlier and later renewals. */
  close(cookie: string | undefined): void;
}

/** Seconds for which the browser keeps a cookie. */
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

  /** Nonces of sessions that were signed out, with the latest time at which they end anyway. */
  const closed = new Map<string, number>();

  /** The content of a cookie of this process; undefined if the session is over or was signed out. */
  function opened(cookie: string | undefined) {
    const parts = (cookie ?? '').split('.');
    const [began, written, ends, nonce, signature] = parts;
    if (parts.length !== 5 || !signature || !nonce) return undefined;
    if (!sameSecret(signature, sign('session', parts.slice(0, 4).join('.')))) return undefined;
    const now = clock.now();
    // A cookie from the future was written before the clock was set back, and could last too long.
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
