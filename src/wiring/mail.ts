// What the e-mail sink and the pages share: templates, signed links and the epochs that revoke them.
import type { Config } from '../config.js';
import { deriveKeys } from '../domain/link-token.js';
import type { Secret } from '../domain/secret.js';
import type { EditionPlace } from '../pipeline/context.js';
import { createLinkBook } from '../pipeline/link-book.js';
import type { Desk } from '../ports/desk.js';
import type { LinkBook, MailDesk } from '../ports/mail-desk.js';
import type { Delivery, Sink } from '../ports/sink.js';
import type { Stores } from '../ports/stores.js';
import type { Clock, Log } from '../ports/system.js';
import { type Week, weeklyCounts } from '../render/chart.js';
import { createMailDesk } from '../sinks/email/mail-desk.js';
import type { EmailSink } from '../sinks/email/sink.js';
import type { SinkDeps } from '../sinks/index.js';
import { openTemplates } from './pipeline.js';

const CHART_DAYS = 90;

/** The book all signed links are made and opened with. */
export function openLinkBook(
  config: Config,
  secrets: readonly Secret[],
  stores: Stores,
  clock: Clock,
): LinkBook {
  const { publicUrl } = config;
  return createLinkBook({ keys: deriveKeys(secrets, 'links'), publicUrl, table: stores.misc, clock });
}

/** The address of an edition's page; undefined without PUBLIC_URL. */
export function editionAddress({
  links,
  epoch,
}: LinkBook): ((of: EditionPlace) => Promise<string>) | undefined {
  if (!links) return undefined;
  return async (of) => links.edition({ ...of, epoch: await epoch(of.account) });
}

/** The weeks of a digest's chart. */
export function weeksOf(stores: Stores, clock: Clock): (delivery: Delivery) => Promise<readonly Week[]> {
  return async ({ account, subscription, slot }) =>
    weeklyCounts(await stores.history.archived(account, CHART_DAYS, clock.now()), subscription, slot);
}

/** What the e-mail sink works with besides its settings. `onAlert` takes what the operator has to mend, beside the log. */
export function mailDeps(
  config: Config,
  secrets: readonly Secret[],
  stores: Stores,
  book: LinkBook,
  deps: {
    readonly log: Log;
    readonly clock: Clock;
    readonly onAlert: (text: string) => void;
    readonly onUnsubscribe: (token: string) => Promise<void>;
  },
): NonNullable<SinkDeps['mail']> {
  const { log, clock, onAlert, onUnsubscribe } = deps;
  return {
    templates: openTemplates(config, log),
    table: stores.misc,
    accounts: stores.accounts,
    keys: deriveKeys(secrets, 'mail'),
    links: book.links,
    epoch: book.epoch,
    weeks: weeksOf(stores, clock),
    onAlert: (text) => {
      log.error({ alert: text }, 'operator alert');
      onAlert(text);
    },
    onUnsubscribe,
  };
}

/** The desk's part for e-mail; undefined while it is off or a stand-in without consent takes its place. */
export function mailDeskOf(
  sink: Sink | undefined,
  stores: Stores,
  links: LinkBook,
  clock: Clock,
  desk: () => Desk,
): MailDesk | undefined {
  const email = sink as Partial<EmailSink> | undefined;
  if (!email?.consent || !email.suppression || !email.stops || !email.question) return undefined;
  const { consent, suppression, stops, question } = email;
  return createMailDesk({
    sink: { consent, suppression, stops, question },
    accounts: stores.accounts,
    links,
    clock,
    desk,
  });
}
