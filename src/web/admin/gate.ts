// Who may see the operator's pages: a browser that signed in with ADMIN_TOKEN, or a program that sends it along.
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { type Secret, sameSecret } from '../../domain/secret.js';
import type { Clock, Log } from '../../ports/system.js';
import { createLimiter } from './limiter.js';
import { addressOf, isOwnForm, isSecure } from './origin.js';
import { COOKIE_SECONDS, createSessions } from './sessions.js';

const COOKIE = 'jobcrier_admin';

/** `csrf` is empty for a program: what it sends along, no page of another site can make a browser send. */
export interface Visitor {
  readonly csrf: string;
}

/** `wait`: seconds until another try counts. */
export type Refusal = { readonly wait: number };

export interface Gate {
  /** The visitor, or how long to wait before the next try; 0 when a sign-in is all that is missing. */
  visitor(c: Context): Visitor | Refusal;
  /** Compares what was typed; on success the answer sets the cookie. */
  signIn(c: Context, given: string): true | Refusal;
  signOut(c: Context): void;
  /** False for a form that is not from a page of this visitor's session. */
  ownForm(c: Context, visitor: Visitor, csrf: string): boolean;
  /** False for a sign-in that a page of another site made the browser post. */
  ownPage(c: Context): boolean;
}

export function createGate(options: {
  readonly token: Secret;
  readonly publicUrl?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}): Gate {
  const { token, publicUrl, clock, log } = options;
  const limiter = createLimiter(clock);
  const sessions = createSessions(clock);

  function tried(c: Context, given: string): true | Refusal {
    const address = addressOf(c);
    const wait = limiter.wait(address);
    if (wait > 0) return { wait };
    if (sameSecret(given, token.reveal())) {
      limiter.passed(address);
      return true;
    }
    limiter.failed(address);
    log.warn({}, 'sign-in to the operator page refused');
    return { wait: limiter.wait(address) };
  }

  /** Browsers keep a cookie with this prefix to encrypted connections and to this very host. */
  function keep(c: Context, value: string): void {
    const secure = isSecure(c, publicUrl);
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
      deleteCookie(c, COOKIE, { path: '/' });
      deleteCookie(c, COOKIE, { path: '/', secure: true, prefix: 'host' });
    },
    ownForm: (c, visitor, csrf) =>
      visitor.csrf === '' || (isOwnForm(c, publicUrl) && sameSecret(csrf, visitor.csrf)),
    ownPage: (c) => isOwnForm(c, publicUrl),
  };
}
