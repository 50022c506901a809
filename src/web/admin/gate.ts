// Who may see the operator's pages: a browser that signed in with ADMIN_TOKEN, or a program that sends it each time.

import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { deleteCookie, getSignedCookie, setSignedCookie } from 'hono/cookie';
import { type Secret, sameSecret } from '../../domain/secret.js';
import type { Clock, Log } from '../../ports/system.js';
import type { Limiter } from '../limiter.js';
import { createClientOf, isOwnForm, isSecure } from '../origin.js';

const COOKIE = 'jobcrier_admin';
/** Wrong tokens are logged at most this often, so that strangers cannot fill the log. */
const TELL_EVERY_MS = 60_000;

/** `csrf` is empty for a program: no page of another site can make a browser send an Authorization header. */
export interface Visitor {
  readonly csrf: string;
}

/** `wait`: seconds to wait after too many wrong tokens; 0 when there is no need to wait. */
export type Refusal = { readonly wait: number };

export interface Gate {
  /** The visitor, or how long to wait after too many wrong tokens; `wait` is 0 if only the sign-in is missing. */
  visitor(c: Context): Promise<Visitor | Refusal>;
  /** Compares the token that was typed. On success the answer sets the cookie. */
  signIn(c: Context, given: string): Promise<true | Refusal>;
  /** Ends the session. Copies of its cookie stop working too. */
  signOut(c: Context): Promise<void>;
  /** False for a form that is not from a page of this visitor's session. */
  ownForm(c: Context, visitor: Visitor, csrf: string): boolean;
  /** False for a sign-in that a page of another site made the browser post. */
  ownPage(c: Context): boolean;
}

export function createGate(options: {
  readonly token: Secret;
  readonly publicUrl?: string | undefined;
  readonly trustedProxies: readonly string[];
  /** Counts wrong tokens, together with the wrong keys of programs. */
  readonly limiter: Limiter;
  readonly clock: Clock;
  readonly log: Log;
}): Gate {
  const { token, publicUrl, limiter, clock, log } = options;
  const clientOf = createClientOf(options.trustedProxies);
  const sessions = createSessions(clock);
  // Only in this process, so a restart or a new ADMIN_TOKEN ends all sessions.
  const key = randomBytes(32);

  const refused = { untold: 0, toldAt: Number.NEGATIVE_INFINITY };
  let toldOfProxy = false;

  function tellRefused(): void {
    const now = clock.now();
    refused.untold++;
    if (now >= refused.toldAt && now - refused.toldAt < TELL_EVERY_MS) return;
    log.warn({ times: refused.untold }, 'wrong token for the operator page');
    refused.untold = 0;
    refused.toldAt = now;
  }

  /** The token is compared first, so that failures of others cannot lock out the operator. */
  function tried(c: Context, given: string): true | Refusal {
    const isRight = sameSecret(given, token.reveal());
    const { network, ignored } = clientOf(c);
    if (ignored && !toldOfProxy) {
      toldOfProxy = true;
      log.warn({}, 'X-Forwarded-For is ignored: the proxy that sent it is not in TRUSTED_PROXIES');
    }
    if (isRight) {
      limiter.passed(network);
      return true;
    }
    tellRefused();
    return { wait: limiter.failed(network) };
  }

  /** Sets the cookie. With the prefix, browsers send it only over encrypted connections and only to this host. */
  async function keep(c: Context, value: string): Promise<void> {
    const secure = isSecure(c, clientOf(c), publicUrl);
    await setSignedCookie(c, COOKIE, value, key, {
      httpOnly: true,
      sameSite: 'Strict',
      path: '/',
      maxAge: COOKIE_SECONDS,
      ...(secure ? { secure: true, prefix: 'host' as const } : {}),
    });
  }

  /** The content of the cookie; undefined if it is missing or was not signed here. */
  const kept = async (c: Context, prefix?: 'host') =>
    (await getSignedCookie(c, key, COOKIE, prefix)) || undefined;

  return {
    async visitor(c) {
      const bearer = /^Bearer +(\S+)$/iu.exec(c.req.header('Authorization') ?? '')?.[1];
      if (bearer !== undefined) {
        const passed = tried(c, bearer);
        return passed === true ? { csrf: '' } : passed;
      }
      const session = sessions.read((await kept(c, 'host')) ?? (await kept(c)));
      if (!session) return { wait: 0 };
      if (session.renewed) await keep(c, session.renewed);
      return { csrf: session.csrf };
    },
    async signIn(c, given) {
      const passed = tried(c, given);
      if (passed === true) await keep(c, sessions.open());
      return passed;
    },
    async signOut(c) {
      for (const prefix of ['host', undefined] as const) sessions.close(await kept(c, prefix));
      deleteCookie(c, COOKIE, { path: '/' });
      deleteCookie(c, COOKIE, { path: '/', secure: true, prefix: 'host' });
    },
    ownForm: (c, visitor, csrf) =>
      visitor.csrf === '' || (isOwnForm(c, publicUrl) && sameSecret(csrf, visitor.csrf)),
    ownPage: (c) => isOwnForm(c, publicUrl),
  };
}

// Sessions of the operator's pages. The cookie contains the start and end of its session. Sign-outs are remembered.

/** A session ends after this time without a request. */
const IDLE_MS = 60 * 60_000;
/** The longest time that a session lasts. */
const LONGEST_MS = 12 * 3_600_000;
/** A cookie older than this is renewed. Newer ones are not, so that not every answer sets a cookie. */
const FRESH_MS = 5 * 60_000;

interface Session {
  /** Is part of every form and must be posted with it. It is in the cookie too, but opens no session unsigned. */
  readonly csrf: string;
  /** The renewed cookie, when it is time to set it. */
  readonly renewed?: string;
}

interface Sessions {
  /** The content of a new session's cookie. */
  open(): string;
  /** The session of a cookie, of which the signature was checked; undefined for one that is over or missing. */
  read(cookie: string | undefined): Session | undefined;
  /** Ends the session of a cookie, including its copies and its earlier and later renewals. */
  close(cookie: string | undefined): void;
}

/** Seconds for which the browser keeps a cookie. */
const COOKIE_SECONDS = IDLE_MS / 1000;

function createSessions(clock: Clock): Sessions {
  function write(began: number, nonce: string): string {
    const now = clock.now();
    return `${began}.${now}.${Math.min(now + IDLE_MS, began + LONGEST_MS)}.${nonce}`;
  }

  /** Nonces of sessions that were signed out, with the latest time at which they end anyway. */
  const closed = new Map<string, number>();

  /** The session of a cookie's content; undefined if it is over or was signed out. */
  function opened(cookie: string | undefined) {
    const [began, written, ends, nonce] = (cookie ?? '').split('.');
    if (!nonce) return undefined;
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
      if (clock.now() - written < FRESH_MS) return { csrf: nonce };
      return { csrf: nonce, renewed: write(began, nonce) };
    },
    close(cookie) {
      const session = opened(cookie);
      if (!session) return;
      for (const [nonce, over] of closed) if (clock.now() >= over) closed.delete(nonce);
      closed.set(session.nonce, session.began + LONGEST_MS);
    },
  };
}
