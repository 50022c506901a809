// Where a mail relay reports what came back. Anyone could post here, so a report counts only with the shared secret:
// as a signature over the body with its time, or, for relays that can't sign, as a bearer token or password.
import { createHmac } from 'node:crypto';
import type { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { type Secret, sameSecret } from '../domain/secret.js';
import type { Clock, Log } from '../ports/system.js';

const LARGEST = 1_000_000;
/** How far a signature's time may be off, seconds: a recorded request is of no use later. */
const TOLERANCE = 300;

export interface BounceIntake {
  readonly secret: Secret;
  /** The number of reports understood. */
  readonly take: (body: string, contentType: string) => Promise<number>;
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

export function bounceRoute(app: Hono, intake: BounceIntake, clock: Clock, log: Log): void {
  app.post('/bounces', bodyLimit({ maxSize: LARGEST }), async (c) => {
    const body = await c.req.text();
    const { secret } = intake;
    const trusted =
      signed(c.req.header('X-Signature'), body, secret, clock.now()) ||
      known(c.req.header('Authorization'), secret);
    if (!trusted) return c.json({ error: 'unauthorized' }, 401);
    const taken = await intake.take(body, c.req.header('Content-Type') ?? '');
    log.info({ taken }, 'bounce reports taken');
    return c.json({ taken });
  });
}
