// The set-up page of a first start without settings. It is served on loopback only, for the person at the terminal: they
// type the code that the terminal shows. It refuses other Host headers, so that a page of another site can't reach it
// through a name that it controls, and everything that came through a proxy.
import { randomBytes } from 'node:crypto';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { getCookie, setCookie } from 'hono/cookie';
import { attributionFaults } from '../domain/attribution.js';
import { UserError } from '../domain/errors.js';
import { sameSecret } from '../domain/secret.js';
import type { PreviewReport } from '../ports/services.js';
import type { Clock, Log } from '../ports/system.js';
import { shownMatches } from '../render/admin-subscription.js';
import { messageView } from '../render/page-views.js';
import { type SetupForm, setupCodeView, setupView } from '../render/setup-view.js';
import type { Templates } from '../render/templates.js';
import { preferredLocale, readForm } from './context.js';
import { isOwnForm } from './origin.js';
import { protection, serve, unkept, type Web } from './web.js';

/** What was typed. A token that is empty stands for the one that was accepted before. */
export interface SetupAnswers extends SetupForm {
  readonly token: string;
  readonly discordToken: string;
}

export interface SetupOptions {
  /** 0 picks a free port. */
  readonly port: number;
  /** What the terminal shows. */
  readonly code: string;
  readonly templates: () => Promise<Templates>;
  readonly clock: Clock;
  readonly log: Log;
  /** Tests the answers, and resolves with what the filter finds. Throws a UserError with a line per fault. */
  readonly check: (answers: SetupAnswers) => Promise<PreviewReport>;
  /** True once a token was accepted. */
  readonly isTried: () => boolean;
  /** Tests the answers and writes the files. Throws a UserError with a line per fault. */
  readonly save: (answers: SetupAnswers) => Promise<void>;
  /** Called after the answer to the form was sent, or with `false` after too many wrong codes. */
  readonly done: (saved: boolean) => void;
}

const HOST = '127.0.0.1';
const COOKIE = 'jobcrier_setup';
const LARGEST_FORM = 16_000;
/** Wrong codes after which the set-up ends. */
const TRIES = 5;
const PROXIED = /^(?:x-forwarded-.*|forwarded|via|x-real-ip|x-original-.*)$/iu;
const EMPTY: SetupForm = {
  url: '',
  tags: '',
  include: '',
  country: '',
  remote: false,
  destination: 'console',
};

export function createSetupWeb(options: SetupOptions): Web {
  const { code, templates, clock, log } = options;
  const app = new Hono();
  const session = randomBytes(32).toString('base64url');
  const csrf = randomBytes(32).toString('base64url');
  let isOpened = false;
  let wrong = 0;
  let isSaved = false;

  const local: MiddlewareHandler = async (c, next) => {
    const { port } = new URL(web.url());
    const hosts = [`${HOST}:${port}`, `localhost:${port}`];
    const isLocal = hosts.includes(c.req.header('Host') ?? '');
    const isProxied = Object.keys(c.req.header()).some((name) => PROXIED.test(name));
    return isLocal && !isProxied ? next() : c.text('This page is only for the machine that it runs on.', 403);
  };
  app.use(protection(false), unkept, local, bodyLimit({ maxSize: LARGEST_FORM }));
  app.get('/assets/page.css', async (c) =>
    c.body((await templates()).file('page/page.css') ?? '', 200, {
      'Content-Type': 'text/css; charset=utf-8',
    }),
  );

  const isIn = (c: Context) => isOpened && sameSecret(getCookie(c, COOKIE) ?? '', session);
  const show = async (c: Context, name: string, view: object, status: 200 | 401 | 403 = 200) =>
    c.html((await templates()).page(name, preferredLocale(c), { ...view, base: '' }), status);
  const askCode = (c: Context, isWrong: boolean) =>
    show(c, 'setup-code', setupCodeView(preferredLocale(c), isWrong), 401);

  async function showForm(
    c: Context,
    form: SetupForm,
    { faults = [], preview }: { faults?: readonly string[]; preview?: PreviewReport } = {},
  ): Promise<Response> {
    const locale = preferredLocale(c);
    const isTried = options.isTried();
    const view = setupView({ locale, csrf, form, isTried, faults, preview, now: clock.now() });
    const body = (await templates()).page('setup', locale, { ...view, base: '' });
    const broken = attributionFaults({ format: 'html', body }, preview ? shownMatches(preview) : []);
    if (broken.length > 0) throw new Error(`the page breaks the link rules: ${broken.join('; ')}`);
    return c.html(body);
  }

  app.get('/', (c) => (isIn(c) ? showForm(c, EMPTY) : askCode(c, false)));

  app.post('/code', async (c) => {
    if (!isOwnForm(c, undefined)) return askCode(c, false);
    const { code: given } = await readForm(c);
    const typed = typeof given === 'string' ? given.trim().toUpperCase() : '';
    // The code opens one session. A second browser that types it is refused, too.
    if (isOpened || wrong >= TRIES || !sameSecret(typed, code)) {
      wrong++;
      if (wrong === TRIES && !isOpened) setImmediate(() => options.done(false));
      return askCode(c, true);
    }
    isOpened = true;
    setCookie(c, COOKIE, session, { httpOnly: true, sameSite: 'Strict', path: '/' });
    return c.redirect('.', 303);
  });

  app.post('/setup', async (c) => {
    if (!isIn(c) || isSaved) return askCode(c, false);
    const posted = await readForm(c);
    const text = (name: string) => {
      const value = posted[name];
      return typeof value === 'string' ? value.trim() : '';
    };
    if (!isOwnForm(c, undefined) || !sameSecret(text('csrf'), csrf)) return askCode(c, false);
    const form: SetupForm = {
      url: text('url'),
      tags: text('tags'),
      include: text('include'),
      country: text('country'),
      remote: text('remote') === 'yes',
      destination: text('destination'),
    };
    const answers = { ...form, token: text('token'), discordToken: text('discordToken') };
    try {
      if (text('do') !== 'save') return await showForm(c, form, { preview: await options.check(answers) });
      await options.save(answers);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return showForm(c, form, { faults: error.message.split('\n') });
    }
    isSaved = true;
    const page = `${web.url()}/admin`;
    const view = messageView(preferredLocale(c), 'jobcrier', ({ setup }) => ({
      title: setup.doneTitle,
      texts: [setup.doneText({ page })],
    }));
    // After the answer was sent.
    setTimeout(() => options.done(true), 200);
    return show(c, 'message', { ...view, service: null });
  });

  app.onError((error, c) => {
    log.error({ reason: error.message }, 'set-up page failed');
    return c.text('That did not work. The terminal shows why.', 500);
  });
  const web = serve(app, { host: HOST, port: options.port, log });
  return web;
}
