// The log can't leak secrets: errors keep only their message, and finished lines are searched.

import { Writable } from 'node:stream';
import prettyStream from 'pino-pretty';
import { describe, expect, it } from 'vitest';
import { createLog, scrubbed } from '../src/log.js';

const CANARY = 'canary123456';

function logged(
  write: (log: ReturnType<typeof createLog>) => void,
  pretty = false,
  secrets: readonly string[] = [],
): string {
  let text = '';
  const destination = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  write(
    createLog({
      level: 'debug',
      destination,
      pretty: pretty ? prettyStream : undefined,
      version: '9.9.9',
      secrets,
    }),
  );
  return text;
}

describe('a line', () => {
  it('is one JSON object with level, ISO time and version, and without the host', () => {
    const text = logged((log) => log.info({ subscription: 'rust' }, 'poll done'));
    expect(text.split('\n')).toHaveLength(2);
    const line = JSON.parse(text);
    expect(line).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      version: '9.9.9',
      subscription: 'rust',
      msg: 'poll done',
    });
  });

  it('is readable on a terminal', () => {
    const text = logged((log) => log.warn({ subscription: 'rust' }, 'poll failed'), true);
    expect(text).toMatch(/WARN.*poll failed/);
    expect(text).toMatch(/subscription: "rust"/);
  });
});

describe('errors', () => {
  const cause = new Error(`connect https://jobs.example/api/v1?token=${CANARY}`);
  const error = Object.assign(new Error('fetch failed', { cause }), {
    request: { path: `/?token=${CANARY}` },
  });

  it.each([['err'], ['error'], ['why']])('under %s keep type and message, not cause or extras', (name) => {
    const text = logged((log) => log.error({ [name]: error }, 'failed'));
    expect(JSON.parse(text)[name]).toEqual({ type: 'Error', message: 'fetch failed' });
    expect(text).not.toContain(CANARY);
  });

  it('also when thrown bare, as by a sink in JavaScript', () => {
    const text = logged((log) => log.error(error as object as Record<string, unknown>, 'failed'));
    expect(text).not.toContain(CANARY);
  });

  it('also on a terminal', () => {
    expect(logged((log) => log.error({ err: error }, 'failed'), true)).not.toContain(CANARY);
  });
});

describe('a secret', () => {
  it('is removed by the name of its field', () => {
    const text = logged((log) => log.info({ token: CANARY, account: { email: CANARY, token: CANARY } }, 'x'));
    expect(text).not.toContain(CANARY);
  });

  it('is removed from texts', () => {
    const text = logged((log) =>
      log.info(
        {
          a: `GET /api/v1?token=${CANARY}&limit=1`,
          b: `smtps://user:${CANARY}@mail`,
          c: `${CANARY}@example.org`,
        },
        `see https://x/?limit=1&token=${CANARY}`,
      ),
    );
    expect(text).not.toContain(CANARY);
    expect(JSON.parse(text).a).toBe('GET /api/v1?token=[secret]&limit=1');
  });

  it.each([false, true])('is removed in any place when the settings contain it (pretty: %s)', (pretty) => {
    const secrets = ['"quoted" \\ secret', CANARY];
    const text = logged(
      (log) => {
        const quoted = JSON.stringify({ said: secrets });
        log.warn(
          { reason: `it said ${secrets.join(' and ')}`, quoted, error: new Error(secrets[0]) },
          'failed',
        );
        expect(JSON.stringify(log.recent())).not.toMatch(/quoted\\|canary/u);
      },
      pretty,
      secrets,
    );
    expect(text).toContain('it said [secret] and [secret]');
    expect(text).not.toContain(CANARY);
    expect(text.match(/\[secret\]/gu)).toHaveLength(5);
  });

  it('is not found in ordinary text, which stays unchanged', () => {
    for (const text of [
      'listening on http://127.0.0.1:8080',
      'https://jobs.example.org/r/abc__partner?utm_source=x&ref=1',
      'at file:///srv/node_modules/pino@10.4.0/pino.js:1:2',
      '<@123456789012345678> @everyone',
      '{"edition":"x","count":3}',
    ])
      expect(scrubbed(text)).toBe(text);
  });

  it('in a password or address is removed in any place', () => {
    expect(scrubbed('smtp://me:pa:ss@x@mail.example/ and b://u@h:1 and c://:p@h')).toBe(
      'smtp://[secret]@mail.example/ and b://u@h:1 and c://[secret]@h',
    );
    expect(scrubbed('a@b@c.example, <d.e+f@g-h.example.org>; üi@j.example')).toBe(
      'a@[address], <[address]>; ü[address]',
    );
  });

  // A million characters: a search that starts again at each of them would take hours.
  it.each(['a', 'a.', 'a-', 'a@', '@', '://', 'a://', ':', 'a:', '?token', '&key=', '?a-', 'a@b.', 'a@b.c'])(
    'a line of only %j is searched quickly',
    (part) => {
      const text = part.repeat(1_000_000 / part.length);
      for (const start of ['', 'a://', 'a://b', '?', 'a@']) expect(scrubbed(start + text)).toContain(part[0]);
    },
  );
});
