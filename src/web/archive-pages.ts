// The public archive of a subscription, as a page and as a feed. Its address names the subscription, so that it stays the
// same and can be read aloud; it needs no secret, because its owner chose to make it public. Both show apply links, so
// both keep the link rules.
import type { Context, Hono } from 'hono';
import { attributionFaults } from '../domain/attribution.js';
import { archiveTitle, archiveView, postingsOf } from '../render/archive-view.js';
import { feedTexts, renderFeed } from '../render/feed-xml.js';
import { textsFor } from '../render/texts.js';
import { showPage, tagged, trouble, type WebContext, wrongLink } from './context.js';

/** The public address of the archive of a subscription. */
export function archiveUrl(publicUrl: string, subscription: string): string {
  return `${publicUrl.replace(/\/$/u, '')}/archive/${subscription}`;
}

export function archivePages(app: Hono, w: WebContext): void {
  const { services, source, publicUrl } = w;

  /** What the archive shows; undefined if the subscription has none, or none any more. */
  async function open(c: Context) {
    const id = c.req.param('subscription') ?? '';
    if (publicUrl === undefined) return undefined;
    const archive = await services.archive(id);
    if (!archive) return undefined;
    return {
      // Never the reader's, so that all readers get the same bytes.
      locale: archive.subscription.locale ?? 'en',
      about: archive.about,
      items: postingsOf(archive.editions),
      page: archiveUrl(publicUrl, id),
    };
  }

  /** Clients may keep it, but ask each time: an archive that was turned off is gone immediately. Search engines may list it. */
  function makePublic(c: Context): void {
    c.header('Cache-Control', 'public, no-cache');
    c.header('X-Robots-Tag', 'all');
  }

  app.get('/archive/:subscription', async (c) => {
    const opened = await open(c);
    if (!opened) return wrongLink(c, w);
    const { locale, about, items, page } = opened;
    const view = archiveView(items, { locale, source, about, feed: `${new URL(page).pathname}/feed` });
    makePublic(c);
    const postings = items.map(({ posting }) => posting);
    return tagged(c, await showPage(c, w, 'archive', locale, view, postings));
  });

  app.get('/archive/:subscription/feed', async (c) => {
    const opened = await open(c);
    if (!opened) return wrongLink(c, w);
    const { locale, about, items, page } = opened;
    const texts = textsFor(locale);
    const body = renderFeed(items, {
      locale,
      source,
      title: archiveTitle(about, source, texts),
      home: page,
      self: `${page}/feed`,
    });
    const faults = attributionFaults(
      { format: 'json', body: JSON.stringify(feedTexts(body)), note: texts.card.note },
      items.map(({ posting }) => posting),
    );
    if (faults.length > 0) {
      w.log.error({ page: 'archive feed', faults }, 'page held back, it breaks the link rules');
      return trouble(c, w, locale);
    }
    makePublic(c);
    return tagged(c, c.body(body, 200, { 'Content-Type': 'application/rss+xml; charset=utf-8' }));
  });
}
