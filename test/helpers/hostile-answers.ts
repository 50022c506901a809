// A jobs API that repeats the request with its token in every answer: each kind of failure, and the outcome of a poll
// that meets it.
import type { Answer } from './front.js';

interface Hostile {
  readonly outcome: 'rejected' | 'throttled' | 'failed';
  readonly why: RegExp;
  answer(token: string): Answer;
}

/** Texts that servers write into pages, errors and addresses. */
export function redactorOf(token: string): string {
  return `/api/v1.xml?token=${encodeURIComponent(token)}&limit=100 (your token ${token})`;
}

const html = (token: string) => `<html><body><h1>Sign in</h1><p>${redactorOf(token)}</p></body></html>`;

/** A valid feed around `items`, with the link to itself that most feeds have. */
export function echoingFeed(token: string, items: string): string {
  const self = `https://board.example${redactorOf(token).replaceAll('&', '&amp;')}`;
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>${self}</title><link>${self}</link>${items}</channel></rss>`;
}

export const HOSTILE_ANSWERS: Readonly<Record<string, Hostile>> = {
  unknown: {
    outcome: 'rejected',
    why: /401/u,
    answer: (token) => ({ status: 401, body: `no such token: ${redactorOf(token)}` }),
  },
  forbidden: {
    outcome: 'rejected',
    why: /403/u,
    answer: (token) => ({ status: 403, body: `{"error":"${redactorOf(token)}"}` }),
  },
  login: {
    outcome: 'rejected',
    why: /redirected .*302/u,
    answer: (token) => ({
      status: 302,
      headers: { location: `/login?next=${encodeURIComponent(redactorOf(token))}` },
      body: html(token),
    }),
  },
  elsewhere: {
    outcome: 'rejected',
    why: /redirected .*307/u,
    answer: (token) => ({
      status: 307,
      headers: { location: `https://other.example/api/v1.xml?token=${encodeURIComponent(token)}` },
    }),
  },
  busy: {
    outcome: 'throttled',
    why: /429|to wait/u,
    answer: (token) => ({ status: 429, headers: { 'retry-after': '3600' }, body: redactorOf(token) }),
  },
  broken: { outcome: 'failed', why: /500/u, answer: (token) => ({ status: 500, body: html(token) }) },
  refused: { outcome: 'failed', why: /418/u, answer: (token) => ({ status: 418, body: html(token) }) },
  hanging: { outcome: 'failed', why: /did not respond within/u, answer: () => 'hang' },
  reset: { outcome: 'failed', why: /connection was lost/u, answer: () => 'reset' },
  cut: {
    outcome: 'failed',
    why: /connection was lost/u,
    answer: (token) => ({ status: 200, body: echoingFeed(token, '<item><title>'), cut: true }),
  },
  page: { outcome: 'failed', why: /not a feed/u, answer: (token) => ({ status: 200, body: html(token) }) },
  doctype: {
    outcome: 'failed',
    why: /document type/u,
    answer: (token) => ({ status: 200, body: `<!DOCTYPE html>${html(token)}` }),
  },
  malformed: {
    outcome: 'failed',
    why: /well-formed|unexpected place/u,
    answer: (token) => ({
      status: 200,
      body: echoingFeed(token, `<item><a></b>${redactorOf(token)}</item>`),
    }),
  },
  oversized: {
    outcome: 'failed',
    why: /larger than/u,
    answer: (token) => ({ status: 200, body: echoingFeed(token, redactorOf(token).repeat(6000)) }),
  },
  packed: {
    outcome: 'failed',
    why: /decompressed/u,
    answer: (token) => ({ status: 200, headers: { 'content-encoding': 'gzip' }, body: redactorOf(token) }),
  },
};
