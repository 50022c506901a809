// Links of the pages for mail previews: they have the right form but do not work, because a preview file must not hold a
// working unsubscribe link.
import type { Links } from '../domain/link-token.js';

/** Returns links below `base`, which is PUBLIC_URL. */
export function sampleLinks(base: string): Links {
  const to = (path: string) => () => `${base}/${path}/sample`;
  return {
    unsubscribe: to('unsubscribe'),
    resubscribe: to('resubscribe'),
    preferences: to('preferences'),
    manage: to('manage'),
    edition: to('editions'),
    feed: to('feed'),
    feedback: to('feedback'),
    confirm: to('confirm'),
  };
}
