// Turns a server's refusal into what the pipeline does about it: which attempts wait and for how long, which
// addresses are suppressed, and when the operator must act because the fault is ours.
import { DeliveryError } from '../../domain/errors.js';
import type { Table } from '../../ports/stores.js';
import type { Clock } from '../../ports/system.js';
import { fixOf } from '../../render/notice.js';
import { domainOf } from './address.js';
import type { StreamHealth } from './health.js';
import { MailError, readFailure, type SmtpReply } from './smtp-replies.js';
import type { Suppression } from './suppression.js';

const MINUTE = 60_000;
/** Waits before the second, third … attempt (mail rules, SMTP 4xx). */
const STEPS = [5, 15, 60, 240, 720, 1440].map((minutes) => minutes * MINUTE);
/** Greylisting ends within this time. A server that still answers "later" then means "no". */
const GREYLIST_LIMIT = 4 * 60 * MINUTE;
/** A mail that was refused for a fault of ours is tried again after this time. */
const RETRY = 60 * MINUTE;
/** How long waits are remembered: longer than the three days after which an edition expires. */
const KEPT = 4 * 86_400_000;

interface Waiting {
  readonly tries: number;
  readonly since: number;
}

/** Reports something that the operator has to fix. `text` contains no address. */
export type MailAlert = (text: string) => void;

/** Deletes the failures of an address, but not its suppression. `hash`: the token of the address. */
export async function forgetFailures(table: Table<unknown>, hash: string): Promise<void> {
  await table.delete(`mail:soft:${hash}`);
  await table.delete(`mail:wait:confirm.${hash}`);
}

export interface Failures {
  /** Records that sending `message` (its id) to `address` failed. Returns the error to throw. */
  explain(error: unknown, address: string, message: string): Promise<DeliveryError>;
  arrived(address: string, message: string): Promise<void>;
}

/** Counts a receiver's refusal that is our fault. Returns the alert for the operator. */
export function refusedBy(
  health: StreamHealth,
  suppression: Pick<Suppression, 'token'>,
  address: string | undefined,
  summary: string,
): string {
  const domain = address && domainOf(address);
  const paused = domain && health.refused(domain, suppression.token(address), summary);
  return paused
    ? `Mails to ${domain} wait for an hour, several readers' mails were refused (${summary}): check SPF, DKIM, DMARC and the sender's reputation.`
    : `A receiver refused a mail (${summary}): check SPF, DKIM, DMARC and the sender's reputation; other mails are still sent.`;
}

export function createFailures(deps: {
  table: Table<unknown>;
  suppression: Suppression;
  health: StreamHealth;
  clock: Clock;
  onAlert: MailAlert;
}): Failures {
  const { table, suppression, health, clock, onAlert } = deps;
  const slot = (message: string) => `mail:wait:${message}`;
  // Only messages that waited have a record to delete.
  const waited = new Set<string>();

  async function wait(message: string): Promise<{ retryAfterMs: number; since: number }> {
    const now = clock.now();
    waited.add(message);
    const { tries, since } = (await table.update(
      slot(message),
      (before) => {
        const { tries, since } = (before as Waiting | undefined) ?? { tries: 0, since: now };
        return { tries: tries + 1, since } satisfies Waiting;
      },
      KEPT,
    )) as Waiting;
    return { retryAfterMs: STEPS[Math.min(tries, STEPS.length) - 1] as number, since };
  }

  /** A fault of ours. It delays the mail to one reader, all mails to a domain or, if the relay refuses us, all mails. */
  function distrusted(answer: SmtpReply, address: string): DeliveryError {
    const { login, summary } = answer;
    if (login) {
      health.pause(`the mail relay refuses us (${summary})`);
      onAlert(`The mail relay refuses us (${summary}): check SMTP_URL; mails wait meanwhile.`);
    } else onAlert(refusedBy(health, suppression, address, summary));
    return new DeliveryError('outage', summary, { retryAfterMs: RETRY });
  }

  async function givenUp(answer: SmtpReply): Promise<DeliveryError> {
    if (health.result(true))
      onAlert(
        'Over 5 % of the mails of this run were refused for good: the run stopped for an hour; check the address list.',
      );
    return new DeliveryError('target', `address given up: ${answer.summary}`, fixOf('addressBounces'));
  }

  return {
    async explain(error, address, message) {
      const answer = error instanceof MailError ? error.answer : readFailure(error);
      if (answer.kind === 'content') return new DeliveryError('content', answer.summary);
      if (answer.kind === 'ours') return distrusted(answer, address);
      if (answer.kind === 'address') {
        await suppression.add(address, answer.summary);
        return givenUp(answer);
      }
      const { retryAfterMs, since } = await wait(message);
      if (answer.kind === 'greylisted' && clock.now() - since >= GREYLIST_LIMIT)
        return distrusted(answer, address);
      const lasting =
        answer.kind === 'mailbox' && (await suppression.soft({ address }, message, answer.summary));
      return lasting ? givenUp(answer) : new DeliveryError('outage', answer.summary, { retryAfterMs });
    },
    async arrived(address, message) {
      health.result(false);
      await suppression.arrived(address);
      if (waited.delete(message)) await table.delete(slot(message));
    },
  };
}
