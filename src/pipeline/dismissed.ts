// Postings that a person dismissed are left out of that person's own mail and direct messages. A channel is for
// everyone in it.
import type { Owed } from '../domain/ledger.js';
import type { Destination } from '../domain/subscription.js';
import type { Pipeline } from './context.js';

/** True for destinations that only the account's owner reads. */
function personal(destination: Destination): boolean {
  return destination.sink === 'email' || destination.target.startsWith('dm:');
}

/** Keys of pending postings the account's owner dismissed, by posting, company or tag. */
export async function dismissed(
  p: Pipeline,
  account: string,
  destination: Destination,
  owed: readonly Owed[],
): Promise<readonly string[]> {
  if (!personal(destination)) return [];
  const marks = await p.stores.marks.get(account);
  if (!marks) return [];
  const companies = new Set(marks.hiddenCompanies.map((name) => name.toLowerCase()));
  return owed
    .filter(
      ({ posting }) =>
        marks.postings[posting.key]?.mark === 'dismissed' ||
        (posting.company !== undefined && companies.has(posting.company.toLowerCase())) ||
        posting.tags?.some((tag) => marks.hiddenTags.includes(tag)),
    )
    .map(({ posting }) => posting.key);
}
