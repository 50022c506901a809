// The pages' links in mails that are only looked at: of the right form, and leading nowhere, because whoever gets such
// a file must not hold a working unsubscribe link.
import type { Links } from '../domain/link-token.js';

/** `base`: PUBLIC_URL. */
export function sampleLinks(base: string): Links {
  const to = (path: string) => () => `${base}/${path}/sample`;
  return {
    unsubscribe: to('unsubscribe'),
    resubscribe: to('resubscribe'),
    preferences: to('preferences'),
    edition: to('editions'),
    feed: to('feed'),
    confirm: to('confirm'),
  };
}
