// The headers of every answer. The URLs of pages are secret, so they must not be cached, indexed or sent as referrer.
// The pages need no scripts and nothing from other hosts, so both are forbidden.
import type { MiddlewareHandler } from 'hono';

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** `https`: the pages are public over TLS, and browsers must keep using TLS. */
export function securityHeaders(https: boolean): MiddlewareHandler {
  return async (c, next) => {
    await next();
    const { headers } = c.res;
    const set = (name: string, value: string) => {
      if (!headers.has(name)) headers.set(name, value);
    };
    set('Content-Security-Policy', POLICY);
    set('Cache-Control', 'no-store');
    set('Referrer-Policy', 'no-referrer');
    set('X-Robots-Tag', 'noindex');
    set('X-Content-Type-Options', 'nosniff');
    set('X-Frame-Options', 'DENY');
    set('Cross-Origin-Opener-Policy', 'same-origin');
    set('Cross-Origin-Resource-Policy', 'same-origin');
    set('Permissions-Policy', 'camera=(), geolocation=(), microphone=()');
    if (https) set('Strict-Transport-Security', 'max-age=31536000');
  };
}
