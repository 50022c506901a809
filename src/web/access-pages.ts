// The page with the access key of a person, in the session that `/jobs manage` opens. It makes a key, which it shows once,
// and revokes it.
import type { Context, Hono } from 'hono';
import type { Secret } from '../domain/secret.js';
import type { Session } from '../ports/services.js';
import { accessView } from '../render/access-view.js';
import { readForm, showPage, signedOut, type WebContext } from './context.js';
import { manageFrame } from './manage-frame.js';
import type { SessionGate } from './session-gate.js';

export function accessPages(app: Hono, w: WebContext, gate: SessionGate): void {
  const { services } = w;
  const self = `${w.base}/manage/access`;

  async function show(c: Context, session: Session, key?: Secret): Promise<Response> {
    const frame = await manageFrame(c, w, session);
    const report = await services.accessKey(session.account);
    const view = accessView(report, key, services.agentUrl, frame);
    return showPage(c, w, 'manage-access', frame.locale, view);
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
