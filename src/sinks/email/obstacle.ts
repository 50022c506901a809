// Finds why a reader would get no mail now, without sending one: called before each mail, and to list subscriptions.

import type { LinkKey } from '../../domain/link-token.js';
import type { Destination } from '../../domain/subscription.js';
import type { Addressee, Obstacle, SinkPause } from '../../ports/sink.js';
import type { AccountStore, Table } from '../../ports/stores.js';
import type { Clock, Log } from '../../ports/system.js';
import type { Fix } from '../../render/notice.js';
import { domainOf } from './address.js';
import { type Consent, createConsent } from './consent.js';
import { createStoredPauses } from './health.js';
import { createSuppression, type Suppression } from './suppression.js';
import { createUnsubscribes, type Unsubscribes } from './unsubscribes.js';

export type FindObstacle = (of: Addressee) => Promise<(Obstacle & { readonly fix: Fix }) | undefined>;

export function createObstacle(deps: {
  readonly unsubscribes: Pick<Unsubscribes, 'stoppedAt'>;
  readonly consent: Pick<Consent, 'given'>;
  readonly suppression: Pick<Suppression, 'find'>;
  readonly accounts: Pick<AccountStore, 'get'>;
  /** The pause that holds back mails to a domain. */
  readonly pausedFor: (domain: string) => SinkPause | undefined | Promise<SinkPause | undefined>;
}): FindObstacle {
  const { unsubscribes, consent, suppression, accounts, pausedFor } = deps;

  async function agreed(account: string, { target, consented }: Destination): Promise<boolean> {
    if (consented) return true;
    const email = (await accounts.get(account))?.email;
    if (email?.confirmedAt !== undefined && email.address === target) return true;
    return (await consent.given(account, target)) !== undefined;
  }

  return async ({ account, subscription, destination }) => {
    const { id, target } = destination;
    if (await unsubscribes.stoppedAt({ account, subscription, destination: id }))
      return { why: 'unsubscribed', fix: 'mailUnsubscribed' };
    const pause = await pausedFor(domainOf(target));
    if (pause) return { why: 'mail is paused', fix: 'mailPaused', until: pause.until };
    if (!(await agreed(account, destination)))
      return { why: 'waiting for confirmation', fix: 'mailUnconfirmed' };
    // Checked last: only an account that confirmed an address may learn whether it is suppressed.
    if (await suppression.find(target)) return { why: 'address is suppressed', fix: 'addressBounces' };
    return undefined;
  };
}

/** The same for a process that sends no mail: uses only what is in the store. */
export function storedObstacle(deps: {
  readonly table: Table<unknown>;
  /** Derived from SECRET_KEY for the use `mail`. */
  readonly keys: readonly LinkKey[];
  readonly accounts: Pick<AccountStore, 'get'>;
  readonly clock: Clock;
  readonly log: Log;
}): FindObstacle {
  const { table, clock, accounts } = deps;
  const nothing = async () => undefined;
  return createObstacle({
    unsubscribes: createUnsubscribes(table, clock),
    consent: createConsent({ ...deps, blocked: async () => false, send: nothing, probe: nothing }),
    suppression: createSuppression(deps),
    accounts,
    pausedFor: createStoredPauses(deps).find,
  });
}
