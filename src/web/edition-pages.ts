// Shows a whole edition in the browser, and a reader's own editions as a feed. Both show apply links, so both keep
// the link rules: byte for byte, nothing added, no rel.
import type { Hono } from 'hono';
import { attributionFaults } from '../domain/attribution.js';
import type { EditionPosting } from '../domain/edition.js';
import { shareable } from '../domain/fit.js';
import type { EditionRecord } from '../ports/stores.js';
import { postingsOf } from '../render/archive-view.js';
import { editionPageView } from '../render/digest-view.js';
import { feedTexts, renderFeed } from '../render/feed-xml.js';
import { textsFor } from '../render/texts.js';
import {
  goneEdition,
  preferredLocale,
  showPage,
  tagged,
  trouble,
  type WebContext,
  wrongLink,
} from './context.js';

/** The most editions that a feed goes back. */
const FEED_EDITIONS = 100;

function allOf(record: EditionRecord): readonly EditionPosting[] {
  return [...record.postings, ...record.rest];
}

export function editionPages(app: Hono, w: WebContext): void {
  const { services, source } = w;

  app.get('/editions/:token', async (c) => {
    const claim = await w.links.open('edition', c.req.param('token'));
    if (!claim?.edition) return wrongLink(c, w);
    const record = await services.edition(claim.edition);
    if (!record || record.account !== claim.account) return goneEdition(c, w);
    const { locale } = record;
    // Readers may share this page, so it does not say what they saved, and has no links to settings that only they may
    // change.
    const postings = allOf(record).map((one) => (one.fit ? { ...one, fit: shareable(one.fit) } : one));
    const links = { unsubscribe: null, preferences: null, browser: null };
    const view = editionPageView(
      { ...record, edition: record.id, postings, more: 0, part: 0, parts: 1, source, attempt: 1 },
      { now: w.clock.now(), links },
    );
    return showPage(c, w, 'edition', locale, view, postings);
  });

  app.get('/feed/:token', async (c) => {
    const claim = await w.links.open('feed', c.req.param('token'));
    if (!claim) return wrongLink(c, w);
    const editions = await services.editions(claim.account, FEED_EDITIONS);
    const { subscription, destination } = claim;
    const wanted = editions.filter(
      (record) =>
        (!subscription || record.subscription === subscription) &&
        (!destination || record.destination.id === destination),
    );
    const locale = (await services.profile(claim.account))?.locale ?? wanted[0]?.locale ?? preferredLocale(c);
    const fresh = postingsOf(wanted);
    const self = w.publicUrl && `${w.publicUrl.replace(/\/$/u, '')}/feed/${c.req.param('token')}`;
    const title = textsFor(locale).page.feedTitle({ source });
    const body = renderFeed(fresh, { locale, source, title, home: w.publicUrl, self });
    const faults = attributionFaults(
      { format: 'json', body: JSON.stringify(feedTexts(body)), note: textsFor(locale).card.note },
      fresh.map(({ posting }) => posting),
    );
    if (faults.length > 0) {
      w.log.error({ page: 'feed', faults }, 'page held back, it breaks the link rules');
      return trouble(c, w, locale);
    }
    return tagged(c, c.body(body, 200, { 'Content-Type': 'application/rss+xml; charset=utf-8' }));
  });
}
