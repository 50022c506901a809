// The view of one subscription for the operator: its state, every destination with its cause and next attempt, and
// what its filter finds now.
import type { SubscriptionDetails } from '../ports/admin-service.js';
import type { PreviewReport } from '../ports/services.js';
import { type AdminFrame, frameView, moment } from './admin-frame.js';
import { coverageView, subscriptionUrl, waitingRow } from './admin-lists.js';
import { cardView } from './card-view.js';
import { viewPosting } from './posting-view.js';
import { textsFor } from './texts.js';

/** Postings of a preview that are shown. */
const SHOWN = 20;

/** `canEdit`: its text can be changed here. `preview`: what the filter finds now, or `failed` when the jobs API gave no answer; undefined if it was not asked. */
export function subscriptionView(
  frame: AdminFrame,
  details: SubscriptionDetails,
  canEdit: boolean,
  preview: PreviewReport | 'failed' | undefined,
) {
  const { subscription, state, places } = details;
  const texts = textsFor(frame.locale);
  return {
    ...frameView(frame, subscription.id),
    one: coverageView(details, frame),
    schedule: `${subscription.schedule.cron} ${subscription.schedule.timezone}`,
    created: moment(subscription.createdAt, frame.now, texts),
    places: places.map((place) => waitingRow(place, frame)),
    isPaused: state === 'paused',
    editUrl: canEdit ? `${frame.root}/admin/entries?${new URLSearchParams({ id: subscription.id })}` : null,
    // Without a working token there is nothing to ask the jobs API with.
    previewUrl:
      state === 'no-token' || state === 'token-rejected'
        ? null
        : `${subscriptionUrl(frame, subscription.id)}&preview=now#matches`,
    isFailed: preview === 'failed',
    preview: preview && preview !== 'failed' ? previewView(preview, frame) : null,
  };
}

/** The postings that the page shows. */
export function shownMatches({ matches }: PreviewReport) {
  return matches.slice(0, SHOWN);
}

export function previewView(
  report: PreviewReport,
  { locale, source, now }: Pick<AdminFrame, 'locale' | 'source' | 'now'>,
) {
  const texts = textsFor(locale);
  const words = texts.page.admin.subscription;
  const { matches, looked } = report;
  const rest = matches.length - SHOWN;
  return {
    text: words.previewText({ count: matches.length, looked }),
    cards: shownMatches(report).map((posting) =>
      cardView(viewPosting(posting, { locale, source, now, snippet: 0 }), texts, false),
    ),
    more: rest > 0 ? words.more({ count: rest }) : null,
  };
}
