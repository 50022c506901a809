// Where a mail relay reports bounces. Anyone could post here, so a report counts only with the shared secret: as a
// signature over its time and body or, for relays that can't sign, as a bearer token or password.

import { createHash, createHmac } from 'node:crypto';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { defined } from '../domain/defined.js';
import { type Secret, sameSecret } from '../domain/secret.js';
import type { Clock, Log } from '../ports/system.js';

/** Bytes. Relays post a few KB, a report as a mail has up to 60 KB. */
const LARGEST = 256 * 1024;
/** Seconds by which a signature's time may be off, so that a recorded request can't be sent again later. */
const TOLERANCE = 300;
/** Seconds. Mailgun retries for eight hours. Its signature does not cover the body, so each one is valid for one body. */
const MAILGUN_TOLERANCE = 9 * 3600;
const MOST_SIGNATURES = 10_000;

export interface BounceIntake {
  readonly secret: Secret;
  /** Returns the number of reports understood; if none, also a sentence that says why. */
  readonly take: (
    body: string,
    contentType: string,
  ) => Promise<{ readonly taken: number; readonly refused?: string }>;
}

/** `t=<seconds>,v1=<hex>` of the HMAC-SHA-256 over `<seconds>.<body>`. */
function signed(header: string | undefined, body: string, secret: Secret, now: number): boolean {
  const match = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/u.exec(header?.trim() ?? '');
  if (!match || Math.abs(now / 1000 - Number(match[1])) > TOLERANCE) return false;
  const wanted = createHmac('sha256', secret.reveal()).update(`${match[1]}.${body}`).digest('hex');
  return sameSecret(wanted, match[2] as string);
}

function known(header: string | undefined, secret: Secret): boolean {
  const [, scheme = '', given = ''] = /^(Bearer|Basic) +(\S+)$/iu.exec(header ?? '') ?? [];
  if (scheme.toLowerCase() === 'bearer') return sameSecret(given, secret.reveal());
  const login = Buffer.from(given, 'base64').toString();
  return scheme !== '' && sameSecret(login.slice(login.indexOf(':') + 1), secret.reveal());
}

function shown(c: Context) {
  return {
    authorization: c.req.header('Authorization'),
    signature: c.req.header('X-Signature'),
    json: /json/iu.test(c.req.header('Content-Type') ?? ''),
  };
}

/** `{ "signature": { timestamp, token, signature } }` of Mailgun: an HMAC-SHA-256 over time and token, in hex. */
function createMailgunCheck(secret: Secret): (body: string, now: number) => boolean {
  const bodies = new Map<string, string>();
  return (body, now) => {
    const { timestamp, token, signature } = mailgunSignature(body);
    if (!/^\d{1,12}$/u.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > MAILGUN_TOLERANCE)
      return false;
    const wanted = createHmac('sha256', secret.reveal()).update(`${timestamp}${token}`).digest('hex');
    if (token === '' || !sameSecret(wanted, signature)) return false;
    const digest = createHash('sha256').update(body).digest('base64');
    const former = bodies.get(wanted);
    if (former !== undefined) return former === digest;
    bodies.set(wanted, digest);
    for (const oldest of bodies.keys()) if (bodies.size > MOST_SIGNATURES) bodies.delete(oldest);
    return true;
  };
}

function mailgunSignature(body: string): Record<'timestamp' | 'token' | 'signature', string> {
  let given: Record<string, unknown> = {};
  try {
    given = (JSON.parse(body) as { signature?: Record<string, unknown> } | null)?.signature ?? {};
  } catch {}
  const [timestamp, token, signature] = ['timestamp', 'token', 'signature'].map((name) =>
    String(given[name] ?? ''),
  );
  return { timestamp: timestamp as string, token: token as string, signature: signature as string };
}

export function bounceRoute(app: Hono, intake: BounceIntake, clock: Clock, log: Log): void {
  const { secret } = intake;
  const mailgun = createMailgunCheck(secret);

  function unauthorized(c: Context): Response {
    // Amazon SNS sends the password in its URL only after this challenge.
    return c.json(
      { error: 'unauthorized: wanted BOUNCE_SECRET as a password, bearer token or signature' },
      401,
      {
        'WWW-Authenticate': 'Basic realm="bounces"',
      },
    );
  }

  // The secret first, then the size, then the body: no body is received from a stranger without a secret or with a
  // wrong one. The exceptions are checked by their body: X-Signature, and JSON without Authorization (Mailgun).
  const identified: MiddlewareHandler = async (c, next) => {
    const { authorization, signature, json } = shown(c);
    const may = authorization === undefined ? signature !== undefined || json : known(authorization, secret);
    return may || signature !== undefined ? next() : unauthorized(c);
  };
  app.post('/bounces', identified, bodyLimit({ maxSize: LARGEST }), async (c) => {
    const { authorization, signature } = shown(c);
    const body = await c.req.text();
    const now = clock.now();
    const trusted =
      known(authorization, secret) ||
      (signature === undefined ? mailgun(body, now) : signed(signature, body, secret, now));
    if (!trusted) return unauthorized(c);
    const { taken, refused } = await intake.take(body, c.req.header('Content-Type') ?? '');
    log.info({ taken, ...defined({ refused: refused || undefined }) }, 'bounce reports taken');
    return refused ? c.json({ taken, error: refused }, 422) : c.json({ taken });
  });
}
