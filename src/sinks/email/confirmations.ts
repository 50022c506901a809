// Sends confirm mails for the sink: before the first edition to an address, or because a person typed one. Neither
// case may reveal to that person what is known about the address.

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { defined } from '../../domain/defined.js';
import { DeliveryError, reasonOf, refusal, type UserError } from '../../domain/errors.js';
import type { LinkKey, Links } from '../../domain/link-token.js';
import type { Delivery } from '../../ports/sink.js';
import type { Table } from '../../ports/stores.js';
import type { Clock, Log } from '../../ports/system.js';
import { fixOf } from '../../render/notice.js';
import type { Templates } from '../../render/templates.js';
import { domainOf, parseMailbox } from './address.js';
import { composeConfirm } from './compose.js';
import { type Consent, type ConsentRequest, createConsent } from './consent.js';
import type { Failures } from './failures.js';
import { aboutRecipient, MailError } from './smtp-replies.js';
import type { Suppression } from './suppression.js';
import type { MailTransport } from './transport.js';

const PATIENCE_MS = 10_000;
/** How long a delivery waits if a daily limit holds its confirm mail back. */
const HELD_BACK_MS = 6 * 3_600_000;

export interface Confirmations {
  readonly consent: Consent;
  /** Sends a confirm mail. A `UserError` if none can be sent now, whatever the address; a mail sent late still works. */
  ask(request: ConsentRequest): Promise<void>;
  /** Sends a confirm mail unless one is open. Returns the error that says what the destination waits for. */
  before(delivery: Pick<Delivery, 'account' | 'tags' | 'locale'>, address: string): Promise<DeliveryError>;
}

export function createConfirmations(deps: {
  from: string;
  source: string;
  templates: Templates;
  /** Absent without PUBLIC_URL: then no confirm mail can be sent. */
  links: Links | undefined;
  table: Table<unknown>;
  keys: readonly LinkKey[];
  suppression: Suppression;
  failures: Failures;
  transport: MailTransport;
  clock: Clock;
  log: Log;
  /** How long `ask` waits for the relay, in milliseconds; 10,000 when left out. */
  patienceMs?: number;
}): Confirmations {
  const { from, source, templates, links, table, keys, suppression, failures, transport, clock, log } = deps;
  const { patienceMs = PATIENCE_MS } = deps;
  /** The name under which failed confirm mails to an address are counted. */
  const matter = (address: string) => `confirm.${suppression.token(address)}`;

  const consent = createConsent({
    table,
    keys,
    clock,
    log,
    blocked: async (address) => (await suppression.find(address)) !== undefined,
    async send(request, token) {
      if (!links) return;
      // Not the token itself: relays write the Message-ID into their logs.
      const id = createHash('sha256').update(`Message-ID\n${token}`).digest('hex').slice(0, 24);
      const messageId = `<confirm.${id}@${domainOf(parseMailbox(from).address)}>`;
      await transport.send(composeConfirm(request, token, { templates, from, links, source, messageId }));
      await failures.arrived(request.address, matter(request.address));
    },
    probe: transport.verify,
  });

  async function asked(request: ConsentRequest): Promise<void> {
    try {
      await consent.request(request);
    } catch (error) {
      await failures.explain(error, request.address, matter(request.address));
      if (error instanceof MailError && aboutRecipient(error.answer)) return;
      log.warn({ reason: reasonOf(error) }, 'confirm mail not sent');
      throw mailAway();
    }
  }

  return {
    consent,
    async ask(request) {
      if (!links)
        throw refusal(
          'sinkOff',
          'email: this way of delivery is off here; the operator can turn it on with PUBLIC_URL.',
        );
      const late = sleep(patienceMs, undefined, { ref: false }).then(() => Promise.reject(mailAway()));
      await Promise.race([asked(request), late]);
    },
    async before({ account, tags, locale }, address) {
      if (!links)
        return new DeliveryError('target', 'no consent and no public pages', {
          forOwner:
            'This address has not been confirmed, and without PUBLIC_URL no confirm mail can be sent.',
        });
      try {
        const asked =
          (await consent.waiting(account, address)) ||
          (await consent.request({ account, address, locale, ...defined({ tags }) }));
        if (!asked)
          return new DeliveryError('outage', 'confirm mail held back', { retryAfterMs: HELD_BACK_MS });
      } catch (error) {
        const { fault, message, retryAfterMs } = await failures.explain(error, address, matter(address));
        log.warn({ reason: message }, 'confirm mail not sent');
        if (fault !== 'target')
          return new DeliveryError('outage', 'confirm mail not sent', retryAfterMs ? { retryAfterMs } : {});
      }
      return new DeliveryError('target', 'waiting for confirmation', fixOf('mailUnconfirmed'));
    },
  };
}

function mailAway(): UserError {
  return refusal('mailAway', 'The confirm mail could not be sent right now. Try again in a few minutes.');
}
