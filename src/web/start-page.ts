// The public start page: what this service is, where its postings come from, whether it works, and how to invite the
// bot. It shows nothing about any person.

import type { Hono } from 'hono';
import { startView } from '../render/start-view.js';
import { preferredLocale, showPage, type WebContext } from './context.js';
import { type Health, healthOf } from './health.js';

/** What the start page says about this service. */
export interface StartPage {
  /** Names of the sinks that people read. */
  readonly sinks: readonly string[];
  /** The address that adds the bot to a Discord server; undefined while it can't be invited. */
  readonly invite: () => string | undefined;
}

export function startPage(app: Hono, w: WebContext, health: Health, { sinks, invite }: StartPage): void {
  app.get('/', async (c) => {
    const { ok, parts } = await healthOf(health);
    const locale = preferredLocale(c);
    const view = startView({
      locale,
      source: w.source,
      sinks,
      invite: invite(),
      works: ok,
      isDiscordAway: parts.discord?.ok === false,
    });
    return showPage(c, w, 'start', locale, view);
  });
}
