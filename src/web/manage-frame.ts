// What the pages of a session have in common: the person's language and time zone, and what a form has just done.
import type { Context } from 'hono';
import type { Session } from '../ports/services.js';
import type { ManageFrame } from '../render/manage-view.js';
import { preferredLocale, type WebContext } from './context.js';

/** What was done, as the address names it, and the text that says so. */
const DONE = {
  paused: 'pausedDone',
  resumed: 'resumedDone',
  moved: 'movedDone',
  removed: 'removedDone',
  'reminders-on': 'remindersOnDone',
  'reminders-off': 'remindersOffDone',
  revoked: 'accessRevokedDone',
} as const satisfies Record<string, ManageFrame['done']>;

export async function manageFrame(
  c: Context,
  { services, clock, source, base }: WebContext,
  { account, csrf }: Session,
): Promise<ManageFrame> {
  const { locale = preferredLocale(c), timezone = 'UTC' } = (await services.profile(account)) ?? {};
  const asked = c.req.query('done') ?? '';
  const done = Object.hasOwn(DONE, asked) ? DONE[asked as keyof typeof DONE] : undefined;
  return { locale, timezone, source, base, csrf, now: clock.now(), done };
}
