// The page with the access key of a person, in the session that `/jobs manage` opens. It makes a key, which it shows once,
// and revokes it.
import type { Context, Hono } from 'hono';
import type { Secret } from '../domain/secret.js';
import type { Session } from '../ports/services.js';
import { accessView } from '../render/access-view.js';
import { preferredLocale, readForm, showPage, signedOut, type WebContext } from './context.js';
import type { SessionGate } from './session-gate.js';

export function accessPages(app: Hono, w: WebContext, gate: SessionGate): void {
  const { services, clock } = w;
  const self = `${w.base}/manage/access`;

  async function show(c: Context, { account, csrf }: Session, key?: Secret): Promise<Response> {
    const { locale = preferredLocale(c), timezone = 'UTC' } = (await services.profile(account)) ?? {};
    const done = c.req.query('done') === 'revoked' ? ('accessRevokedDone' as const) : undefined;
    const frame = { locale, timezone, source: w.source, base: w.base, csrf, now: clock.now(), done };
    const report = await services.accessKey(account);
    return showPage(c, w, 'manage-access', locale, accessView(report, key, services.agentUrl, frame));
  }

  app.get('/manage/access', async (c) => {
    const session = await gate.session(c);
    return session ? show(c, session) : signedOut(c, w);
  });

  app.post('/manage/access', async (c) => {
    const session = await gate.session(c);
    const { csrf, do: wanted } = await readForm(c);
    if (!session || !gate.ownForm(c, session, csrf)) return signedOut(c, w);
    const { account } = session;
    if (wanted === 'revoke') {
      await services.removeAccessKey(account);
      w.log.info({}, 'reader revoked an access key');
      return c.redirect(`${self}?done=revoked`, 303);
    }
    if (wanted !== 'read' && wanted !== 'write') return c.redirect(self, 303);
    const key = await services.makeAccessKey(account, wanted === 'write');
    w.log.info({ access: wanted }, 'reader made an access key');
    // Shown in the answer to the form, because an address or the store must not have the key.
    return show(c, session, key);
  });
}
