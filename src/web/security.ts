// The headers every answer carries. The pages are reached by secret addresses, so nothing may keep, index or pass on
// where a reader is; and they need no script and nothing from elsewhere, so nothing of the kind is allowed.
import type { MiddlewareHandler } from 'hono';

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** `https`: the pages are public under TLS, and shall stay so. */
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
