// Sends confirm mails for the sink: before the first edition to an address, or because a person typed one. Neither
// case may reveal to that person what is known about the address.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeliveryError, reasonOf, refusal } from '../../domain/errors.js';
import { fixOf } from '../../render/notice.js';
import { domainOf, parseMailbox } from './address.js';
import { composeConfirm } from './compose.js';
import { createConsent } from './consent.js';
import { aboutRecipient, MailError } from './smtp-replies.js';
const PATIENCE_MS = 10_000;
/** How long a delivery waits if a daily limit holds its confirm mail back. */
const HELD_BACK_MS = 6 * 3_600_000;
export function createConfirmations(deps) {
    const { from, source, templates, links, table, keys, suppression, failures, transport, clock, log } = deps;
    const { patienceMs = PATIENCE_MS } = deps;
    /** The name under which failed confirm mails to an address are counted. */
    const matter = (address) => `confirm.${suppression.token(address)}`;
    const consent = createConsent({
        table,
        keys,
        clock,
        log,
        blocked: async (address) => (await suppression.find(address)) !== undefined,
        async send(request, token) {
            if (!links)
                return;
            // Not the token itself: relays write the Message-ID into their logs.
            const id = createHash('sha256').update(`Message-ID\n${token}`).digest('hex').slice(0, 24);
            const messageId = `<confirm.${id}@${domainOf(parseMailbox(from).address)}>`;
            await transport.send(composeConfirm(request, token, { templates, from, links, source, messageId }));
            await failures.arrived(request.address, matter(request.address));
        },
        probe: transport.verify,
    });
    async function asked(request) {
        try {
            await consent.request(request);
        }
        catch (error) {
            await failures.explain(error, request.address, matter(request.address));
            if (error instanceof MailError && aboutRecipient(error.answer))
                return;
            log.warn({ reason: reasonOf(error) }, 'confirm mail not sent');
            throw mailAway();
        }
    }
    return {
        consent,
        async ask(request) {
            if (!links)
                throw refusal('sinkOff', 'email: this way of delivery is off here; the operator sets PUBLIC_URL.');
            const late = sleep(patienceMs, undefined, { ref: false }).then(() => Promise.reject(mailAway()));
            await Promise.race([asked(request), late]);
        },
        async before({ account, tags, locale }, address) {
            if (!links)
                return new DeliveryError('target', 'no consent and no public pages', {
                    forOwner: 'This address has not been confirmed, and without PUBLIC_URL no confirm mail can be sent.',
                });
            try {
                const asked = (await consent.waiting(account, address)) ||
                    (await consent.request({ account, address, locale, ...(tags ? { tags } : {}) }));
                if (!asked)
                    return new DeliveryError('outage', 'confirm mail held back', { retryAfterMs: HELD_BACK_MS });
            }
            catch (error) {
                const { fault, message, retryAfterMs } = await failures.explain(error, address, matter(address));
                log.warn({ reason: message }, 'confirm mail not sent');
                if (fault !== 'target')
                    return new DeliveryError('outage', 'confirm mail not sent', retryAfterMs ? { retryAfterMs } : {});
            }
            return new DeliveryError('target', 'waiting for confirmation', fixOf('mailUnconfirmed'));
        },
    };
}
function mailAway() {
    return refusal('mailAway', 'The confirm mail could not be sent right now. Try again in a few minutes.');
}
//# sourceMappingURL=confirmations.js.map