// The web server over real HTTP: the headers of every answer, what a failure shows and logs, and how the server
// stops.
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createWeb, type Web, type WebOptions } from '../../src/web/web.js';
import { keptLog, testTemplates } from '../helpers/mail.js';
import { testClock } from '../helpers/memory-table.js';
import { until } from '../helpers/until.js';

const running: Web[] = [];
afterEach(async () => {
  for (const web of running.splice(0)) await web.stop();
});

async function serve(more: Partial<WebOptions> = {}) {
  const log = keptLog();
  const web = createWeb({
    host: '127.0.0.1',
    port: 0,
    services: {} as WebOptions['services'],
    links: { open: async () => undefined } as unknown as WebOptions['links'],
    templates: async () => testTemplates(),
    source: 'Example Jobs',
    trustedProxies: [],
    health: { parts: {}, version: '1.0.0' },
    clock: testClock(),
    log,
    ...more,
  });
  running.push(web);
  await web.start();
  return { web, log, get: (path: string, init?: RequestInit) => fetch(web.url() + path, init) };
}

const broken: WebOptions['routes'] = [
  (app) => {
    app.get('/broken/:token', () => {
      throw new Error('the cable is cut');
    });
  },
];

/** The headers of every answer, word for word. */
const PROTECTION = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

test.each(['https://jobs.example', 'http://jobs.example'])(
  'every answer is neither cached nor indexed, and allows no script and nothing from other sites: %s',
  async (publicUrl) => {
    const { get } = await serve({ routes: broken, publicUrl });
    const large = { method: 'POST', body: 'x'.repeat(64_001) };
    for (const [status, path, init] of [
      [200, '/healthz'],
      [200, '/readyz'],
      [200, '/assets/page.css'],
      [200, '/assets/page.js'],
      [404, '/nothing/here'],
      [404, '/confirm/x'],
      [404, '/unsubscribe/x'],
      [413, '/preferences/x', large],
      [500, '/broken/x'],
    ] as const) {
      const answer = await get(path, init);
      const headers = Object.fromEntries(answer.headers);
      expect([path, answer.status]).toEqual([path, status]);
      expect([path, headers]).toEqual([path, expect.objectContaining(PROTECTION)]);
      const kept = path.startsWith('/assets/') ? 'public, max-age=300' : 'no-store';
      expect([path, headers['cache-control']]).toEqual([path, kept]);
      expect(headers['strict-transport-security']).toBe(
        publicUrl.startsWith('https:') ? 'max-age=31536000' : undefined,
      );
    }
  },
);

test('serves the style sheet and the script of the pages, and no other file', async () => {
  const { get } = await serve();
  const style = await get('/assets/page.css');
  expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8');
  expect(await style.text()).toContain('prefers-color-scheme: dark');
  const script = await get('/assets/page.js');
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  for (const path of ['/assets/admin.css', '/assets/../package.json', '/assets/message.html.liquid'])
    expect((await get(path)).status).toBe(404);
});

test('gives the same answer for every wrong address', async () => {
  const { get } = await serve();
  const answers = await Promise.all(
    ['/nothing', '/confirm/x', '/unsubscribe/x', '/preferences/y', '/editions/z', '/feed/a'].map(
      async (path) => {
        const answer = await get(path);
        return `${answer.status} ${await answer.text()}`;
      },
    ),
  );
  expect(new Set(answers).size).toBe(1);
  expect(answers[0]).toMatch(/^404 /u);
});

test('a page that fails shows a friendly text, and the log has its route pattern and not its address', async () => {
  const { get, log } = await serve({ routes: broken });
  const answer = await get('/broken/secret-of-a-reader?also=this');
  expect(answer.status).toBe(500);
  const text = await answer.text();
  expect(text).toContain('That did not work');
  expect(text).not.toContain('cable');
  const [line] = log.lines.filter((one) => one.includes('page failed'));
  expect(JSON.parse(line ?? '{}')).toMatchObject({
    route: '/broken/:token',
    reason: 'the cable is cut',
    method: 'GET',
  });
  expect(log.lines.join('')).not.toMatch(/secret-of-a-reader|also=this/u);
});

test('hundreds of requests that break off are logged for debugging, and not as errors', async () => {
  const read: WebOptions['routes'] = [
    (app) => {
      app.post('/read/:token', async (c) => c.text(await c.req.text()));
      app.post('/broken/:token', async (c) => {
        await c.req.text();
        throw new Error('the cable is cut');
      });
    },
  ];
  const { web, log, get } = await serve({ routes: read });
  const { port } = new URL(web.url());
  const head = (length: string) => `POST /read/secret-of-a-reader HTTP/1.1\r\nHost: x\r\n${length}\r\n\r\n`;
  const starts = [
    `${head('Content-Length: 500')}abc`,
    `${head('Transfer-Encoding: chunked')}5\r\nabcde\r\nzz\r\n`,
  ];
  for (let count = 0; count < 300; count++) {
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(starts[count % 2] as string, () => socket.destroy());
  }
  const told = () => log.lines.filter((line) => line.includes('broken off by its sender'));
  await until(() => told().length >= 150, { what: 'the lines', timeoutMs: 30_000 });
  expect(told().every((line) => JSON.parse(line).level === 'debug')).toBe(true);
  expect(log.lines.join('')).not.toMatch(/page failed|secret-of-a-reader/u);
  // A fault of a page whose request was complete is still logged as one.
  expect((await get('/broken/x', { method: 'POST', body: 'whole' })).status).toBe(500);
  expect(log.lines.filter((line) => line.includes('page failed'))).toHaveLength(1);
});

test('stops although an answer hangs and a client stays connected', async () => {
  let asked = false;
  const { web, get } = await serve({
    routes: [
      (app) => {
        app.get('/hanging', () => {
          asked = true;
          return new Promise(() => undefined);
        });
      },
    ],
  });
  const url = web.url();
  const broken = get('/hanging').then(
    (answer) => answer.status,
    () => 'cut off',
  );
  await until(() => asked, { what: 'the request' });
  await web.stop();
  expect(await broken).toBe('cut off');
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});
