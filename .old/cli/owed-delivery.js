import { EMPTY_LEDGER } from '../domain/ledger.js';
import { cut, openEdition } from '../domain/outbox.js';
import { editionPostings } from '../pipeline/prepare.js';
import { describeFilter } from '../render/describe.js';
import { weeksOf } from '../wiring/mail.js';
/** The destination that "the digest" means: the first with digests by e-mail, else with digests, else the first one. */
function digestDestination(subscription) {
    const { destinations } = subscription;
    const digests = destinations.filter((one) => one.cadence.every !== 'immediate');
    return (digests.find((one) => one.sink === 'email') ?? digests[0] ?? destinations[0]);
}
/** The digest of a subscription if it is cut now; undefined when nothing is waiting to be sent. */
export async function owedMail(stores, subscription, config, clock) {
    const delivery = await owedDelivery(stores, subscription, config, clock.now());
    return delivery && { delivery, weeks: await weeksOf(stores, clock)(delivery) };
}
async function owedDelivery(stores, subscription, config, now) {
    const destination = digestDestination(subscription);
    const stored = (await stores.ledgers.owed(subscription.id)) ?? EMPTY_LEDGER;
    const ledger = cut(stored, {
        subscription: subscription.id,
        destination: destination.id,
        cadence: destination.cadence,
        slot: now,
        now,
        cap: destination.cap ?? config.limits.digestCap,
        over: config.publicUrl ? 'page' : 'parts',
        pack: (owed) => [owed],
    });
    const edition = openEdition(ledger, destination.id);
    if (!edition)
        return undefined;
    const locale = subscription.locale ?? 'en';
    const postings = editionPostings(ledger, destination.id, edition.parts.slice(edition.sent).flat());
    return {
        edition: edition.id,
        subscription: subscription.id,
        account: subscription.account,
        destination,
        // A mail with everything that is pending is a digest, also for an immediate destination.
        every: edition.every === 'immediate' ? 'weekly' : edition.every,
        from: edition.from,
        slot: edition.slot,
        part: 0,
        parts: 1,
        postings,
        all: [...postings, ...editionPostings(ledger, destination.id, edition.rest)],
        more: edition.rest.length,
        source: config.sourceName,
        about: describeFilter(subscription.filter, locale),
        locale,
        attempt: 1,
    };
}
//# sourceMappingURL=owed-delivery.js.map