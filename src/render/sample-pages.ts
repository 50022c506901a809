// Views of every web page to try templates on, each once with everything and once with nothing.
import { parseFilter } from '../domain/filter.js';
import type { Subscription } from '../domain/subscription.js';
import { digestView } from './digest-view.js';
import { textsFor } from './language/index.js';
import { button, messageView, quietLink } from './page-views.js';
import { preferencesView } from './preferences-view.js';
import { sampleAdminPages } from './sample-admin.js';
import { SAMPLE_LINKS, sampleDelivery } from './samples.js';
import type { Samples } from './templates.js';

const NOW = Date.UTC(2026, 10, 23, 8);

function sampleSubscription(origin: Subscription['origin']): Subscription {
  const { destination, account } = sampleDelivery();
  return {
    id: 'sample',
    account,
    origin,
    filter: parseFilter({ tags: ['solidity', 'rust'], remote: true, minSalary: 80_000 }),
    schedule: { cron: '*/15 * * * *', timezone: 'Europe/Berlin' },
    destinations: [destination],
    newest: 0,
    reposts: false,
    createdAt: NOW,
  };
}

/** Every page by the name of its template. */
export function samplePages(locale = 'en'): Samples['pages'] {
  const source = 'Example Jobs';
  const { service } = textsFor(locale).page;
  const base = '';
  const delivery = sampleDelivery('weekly', locale);
  const messages = [
    messageView(locale, source, ({ wrongLink }) => ({ title: wrongLink.title, texts: [wrongLink.text] })),
    messageView(locale, source, ({ unsubscribe }) => ({
      title: unsubscribe.title,
      texts: [unsubscribe.text],
      actions: [button(unsubscribe.button, '/sample'), quietLink(unsubscribe.rather, '/sample')],
    })),
  ].map((view) => ({ ...view, base }));
  const edition = (links: Parameters<typeof digestView>[1]['links'], postings = delivery.postings) => ({
    ...digestView({ ...delivery, postings }, { now: NOW, links }),
    service: service(source),
    base,
  });
  const preferences = (full: boolean) => ({
    ...preferencesView({
      subscription: sampleSubscription(full ? 'discord' : 'file'),
      destination: delivery.destination,
      about: delivery.about,
      ...(full ? { nextEditionAt: NOW } : {}),
      locale,
      source,
      paused: false,
      stopped: !full,
      saved: full,
      faults: full ? [{ field: 'at', text: 'Time: write it like 09:00.' }] : [],
      urls: { self: '/sample', unsubscribe: full ? '/sample' : null, restart: '/sample', feed: '/sample' },
      ...(full ? {} : { contact: 'jobs@example.org' }),
      others: full ? [{ about: 'Design, remote', url: '/sample' }] : [],
    }),
    base,
  });
  const noLinks = { unsubscribe: null, preferences: null, browser: null };
  return {
    message: messages,
    confirm: messages,
    unsubscribe: messages,
    erase: messages,
    edition: [edition(SAMPLE_LINKS), edition(noLinks, delivery.postings.slice(-1))],
    preferences: [preferences(true), preferences(false)],
    ...sampleAdminPages({
      subscription: sampleSubscription('cli'),
      about: delivery.about,
      state: 'parked',
      why: 'the channel is gone',
      nextPollAt: NOW,
      nextEditionAt: NOW,
      polledAt: NOW,
      outcome: 'recorded',
      owed: 3,
      stuck: [],
      gaps: 2,
      lastGapAt: NOW,
      failures: 1,
    }),
  };
}
