// The public archive of a subscription: the last editions that its channels got, for a page and a feed to which a community
// can link. Only destinations that ask for it, and only places that many people read anyway.
import type { Destination, Subscription } from '../domain/subscription.js';
import type { Pipeline } from '../pipeline/context.js';
import type { Archive, Services } from '../ports/services.js';
import type { EditionRecord } from '../ports/stores.js';

/** The most editions that an archive goes back. */
const EDITIONS = 30;

export function createArchiveService(p: Pipeline): Pick<Services, 'archive' | 'canArchive' | 'isArchived'> {
  const canArchive = ({ sink, target }: Destination) => p.sinks.get(sink)?.isShared?.(target) ?? false;
  const asksForIt = (destination: Destination) =>
    destination.options?.archive === true && canArchive(destination);
  const isArchived = ({ destinations }: Subscription) => destinations.some(asksForIt);

  return {
    canArchive,
    isArchived,
    async archive(id): Promise<Archive | undefined> {
      const subscription = await p.stores.subscriptions.get(id);
      if (!subscription || !isArchived(subscription)) return undefined;
      const places = new Set(subscription.destinations.filter(asksForIt).map((one) => one.id));
      const editions: EditionRecord[] = [];
      for (const { kind, edition } of await p.history.events(id)) {
        if (kind !== 'sent' || !edition || editions.length >= EDITIONS) continue;
        const record = await p.history.edition(edition);
        // Nothing that went to another place may be shown.
        if (record?.subscription === id && places.has(record.destination.id)) editions.push(record);
      }
      return { subscription, about: p.describe(subscription), editions };
    },
  };
}
