// Which account a browser manages: the cookie of a session that a link opened, see src/services/sessions.ts.
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { type Secret, sameSecret, secret } from '../domain/secret.js';
import type { Services, Session } from '../ports/services.js';
import { createClientOf, isOwnForm, isSecure } from './origin.js';

const COOKIE = 'jobcrier_manage';

export interface SessionGate {
  /** The session of the browser; undefined without one. */
  session(c: Context): Promise<Session | undefined>;
  /** Uses up a link and gives the browser its session. False if the link does not work. */
  open(c: Context, token: string): Promise<boolean>;
  /** Ends the session. Copies of its cookie stop working too. */
  end(c: Context): Promise<void>;
  /** False for a form that is not from a page of this session. */
  ownForm(c: Context, session: Session, csrf: unknown): boolean;
}

export function createSessionGate(
  services: Services,
  publicUrl: string | undefined,
  trustedProxies: readonly string[],
): SessionGate {
  const clientOf = createClientOf(trustedProxies);

  function cookieOf(c: Context): Secret | undefined {
    const kept = getCookie(c, COOKIE, 'host') ?? getCookie(c, COOKIE);
    return kept ? secret(kept) : undefined;
  }

  return {
    async session(c) {
      const cookie = cookieOf(c);
      return cookie && services.session(cookie);
    },
    async open(c, token) {
      // A page of another site must not put a visitor into a session of its choice.
      if (!isOwnForm(c, publicUrl)) return false;
      const cookie = await services.openSession(token);
      if (!cookie) return false;
      const secure = isSecure(c, clientOf(c), publicUrl);
      // The browser forgets it when it is closed. The service decides when the session ends. With the prefix, browsers
      // send it only over encrypted connections and only to this host.
      setCookie(c, COOKIE, cookie.reveal(), {
        httpOnly: true,
        sameSite: 'Strict',
        path: '/',
        ...(secure ? { secure: true, prefix: 'host' as const } : {}),
      });
      return true;
    },
    async end(c) {
      const cookie = cookieOf(c);
      if (cookie) await services.endSession(cookie);
      deleteCookie(c, COOKIE, { path: '/' });
      deleteCookie(c, COOKIE, { path: '/', secure: true, prefix: 'host' });
    },
    ownForm: (c, session, csrf) =>
      isOwnForm(c, publicUrl) && typeof csrf === 'string' && sameSecret(csrf, session.csrf),
  };
}
