// Who may see the operator's pages: a browser that signed in with ADMIN_TOKEN, or a program that sends it each time.
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { type Secret, sameSecret } from '../../domain/secret.js';
import type { Clock, Log } from '../../ports/system.js';
import { createClientOf, isOwnForm, isSecure } from '../origin.js';
import { createLimiter } from './limiter.js';
import { COOKIE_SECONDS, createSessions } from './sessions.js';

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
  visitor(c: Context): Visitor | Refusal;
  /** Compares the token that was typed. On success the answer sets the cookie. */
  signIn(c: Context, given: string): true | Refusal;
  /** Ends the session. Copies of its cookie stop working too. */
  signOut(c: Context): void;
  /** False for a form that is not from a page of this visitor's session. */
  ownForm(c: Context, visitor: Visitor, csrf: string): boolean;
  /** False for a sign-in that a page of another site made the browser post. */
  ownPage(c: Context): boolean;
}

export function createGate(options: {
  readonly token: Secret;
  readonly publicUrl?: string | undefined;
  readonly trustedProxies: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}): Gate {
  const { token, publicUrl, clock, log } = options;
  const clientOf = createClientOf(options.trustedProxies);
  const limiter = createLimiter(clock);
  const sessions = createSessions(clock);

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
  function keep(c: Context, value: string): void {
    const secure = isSecure(c, clientOf(c), publicUrl);
    setCookie(c, COOKIE, value, {
      httpOnly: true,
      sameSite: 'Strict',
      path: '/',
      maxAge: COOKIE_SECONDS,
      ...(secure ? { secure: true, prefix: 'host' as const } : {}),
    });
  }

  return {
    visitor(c) {
      const bearer = /^Bearer +(\S+)$/iu.exec(c.req.header('Authorization') ?? '')?.[1];
      if (bearer !== undefined) {
        const passed = tried(c, bearer);
        return passed === true ? { csrf: '' } : passed;
      }
      const session = sessions.read(getCookie(c, COOKIE, 'host') ?? getCookie(c, COOKIE));
      if (!session) return { wait: 0 };
      if (session.renewed) keep(c, session.renewed);
      return { csrf: session.csrf };
    },
    signIn(c, given) {
      const passed = tried(c, given);
      if (passed === true) keep(c, sessions.open());
      return passed;
    },
    signOut(c) {
      for (const prefix of ['host', undefined] as const) sessions.close(getCookie(c, COOKIE, prefix));
      deleteCookie(c, COOKIE, { path: '/' });
      deleteCookie(c, COOKIE, { path: '/', secure: true, prefix: 'host' });
    },
    ownForm: (c, visitor, csrf) =>
      visitor.csrf === '' || (isOwnForm(c, publicUrl) && sameSecret(csrf, visitor.csrf)),
    ownPage: (c) => isOwnForm(c, publicUrl),
  };
}
