// The e-mail sink: one mail per part of an edition, only to readers who agreed and never to a suppressed address.

import { createHash } from 'node:crypto';
import { defined } from '../../domain/defined.js';
import { DeliveryError, reasonOf } from '../../domain/errors.js';
import type { LinkKey, Links } from '../../domain/link-token.js';
import type { Secret } from '../../domain/secret.js';
import { createMutex } from '../../domain/serial.js';
import { OPERATOR } from '../../domain/subscription.js';
import type { Messenger, Notice } from '../../ports/notice.js';
import type { Delivery, Sink } from '../../ports/sink.js';
import type { AccountStore, Table } from '../../ports/stores.js';
import type { Clock, Log } from '../../ports/system.js';
import type { Week } from '../../render/chart.js';
import { plainCommands } from '../../render/commands.js';
import type { LinkMail } from '../../render/mail-views.js';
import { checkLinks, fixOf, renderNotice } from '../../render/notice.js';
import type { Templates } from '../../render/templates.js';
import { textsFor } from '../../render/texts.js';
import { domainOf, parseAddress, parseMailbox } from './address.js';
import { createBounces, startMaildir } from './bounces.js';
import {
  composeEdition,
  composeLink,
  composeNotice,
  composeQuietWeek,
  composeReminder,
  readMailbox,
} from './compose.js';
import { createConfirmations } from './confirmations.js';
import type { Consent, ConsentRequest } from './consent.js';
import { createDataRequests, type DataRequests } from './data-requests.js';
import { createFailures, type MailAlert } from './failures.js';
import { createStoredPauses, createStreamHealth } from './health.js';

import type { MailMessage } from './message.js';
import { createObstacle } from './obstacle.js';
import { packBySize } from './pack.js';
import { confirmSnsSubscription, readRelay } from './relay-reports.js';
import { type BounceReport, readReport, reportToken, unsubscribeToken } from './reports.js';

import { createSuppression, type Suppression } from './suppression.js';
import { createMailTransport, type DkimSettings } from './transport.js';
import { createUnsubscribes, type Unsubscribes } from './unsubscribes.js';

/** Settings of the sink, see the settings table. */
export interface MailSettings {
  readonly smtpUrl: Secret;
  /** `Name <address>` or an address. */
  readonly from: string;
  readonly dkim?: DkimSettings;
  /** Where delivery reports go; the address of `from` when left out. */
  readonly bounceAddress?: string;
  /** A maildir that receives them. */
  readonly bounceMaildir?: string;
}

export interface EmailSinkOptions {
  readonly settings: MailSettings;
  readonly templates: Templates;
  /** Small records: consent, suppression, waits. */
  readonly table: Table<unknown>;
  readonly accounts: Pick<AccountStore, 'get'>;
  /** For hashing addresses; derived from SECRET_KEY for the use `mail`. */
  readonly keys: readonly LinkKey[];
  /** Absent without PUBLIC_URL: then no reader can confirm, and new destinations need `consented` from the operator. */
  readonly links?: Links | undefined;
  /** The account's link epoch. */
  readonly epoch?: ((account: string) => Promise<number>) | undefined;
  /** Postings per week for the chart of a digest. */
  readonly weeks?: ((delivery: Delivery) => Promise<readonly Week[]>) | undefined;
  /** The board's name, for mails without postings. */
  readonly source: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when the operator has to act; one notification per problem is enough. */
  readonly onAlert: MailAlert;
  /** Called when a reader unsubscribes by mail; `token` is that of the link. */
  readonly onUnsubscribe?: (token: string) => Promise<void>;
  /** How long a request for a confirm mail waits for the relay, in milliseconds; 10,000 when left out. */
  readonly patienceMs?: number;
}

/** The result of a relay's request: the number of reports understood; if none, why. */
interface BouncesTaken {
  readonly taken: number;
  readonly refused?: string;
}

export interface EmailSink extends Sink {
  readonly consent: Consent;
  readonly suppression: Suppression;
  readonly unsubscribes: Unsubscribes;
  readonly dataRequests: DataRequests;
  /** Sends a mail with a link that works once. Rejects if it can't be sent now. */
  sendLink(
    what: LinkMail,
    mail: { readonly locale: string; readonly to: string; readonly url: string },
  ): Promise<void>;
  /** Sends a confirm mail. Rejects with a {@link UserError} when no mail can be sent now, whatever the address. */
  question(request: ConsentRequest): Promise<void>;
  /**
   * Acts on reports that are known to come from the relay. Returns the number of reports understood; if none, also a
   * sentence that says why.
   */
  takeBounce(body: string, contentType: string): Promise<BouncesTaken>;
  /** Notifies owners who have a confirmed address. */
  readonly messenger: Messenger;
  /** Logs in to the relay and sends nothing. */
  verify(): Promise<void>;
  /** Sends a mail composed elsewhere (`mail send-test`). */
  send(message: MailMessage): Promise<void>;
}

/** Length of an address that saves or hides a posting, for an account with an id of ordinary length. */
function feedbackLength(links: Links): number {
  const now = Date.UTC(2100, 0);
  const about = { account: 'x'.repeat(32), edition: 'x'.repeat(20), posting: 'x'.repeat(10) };
  return links.feedback({ ...about, epoch: now, now }).length;
}

export function createEmailSink(options: EmailSinkOptions): EmailSink {
  const { settings, templates, table, keys, links, source, clock, log, onAlert } = options;
  const from = settings.from;
  const sender = parseMailbox(from).address;
  const suppression = createSuppression({ table, keys, clock });
  const unsubscribes = createUnsubscribes(table, clock);
  const pauses = createStoredPauses({ table, keys, clock });
  // Other processes read the stored pauses; this process uses the ones in memory.
  const storing = createMutex();
  const store = (work: () => Promise<void>) => {
    storing(work).catch((error) => log.warn({ reason: reasonOf(error) }, 'pause of mails not stored'));
  };
  const health = createStreamHealth(clock, (pause) => store(() => pauses.keep(pause)));
  const failures = createFailures({ table, suppression, health, clock, onAlert });
  const applyReport = createBounces({ suppression, health, log, onAlert });
  const transport = createMailTransport({
    smtpUrl: settings.smtpUrl,
    dkim: settings.dkim,
    bounce: settings.bounceAddress ?? sender,
    token: suppression.token,
  });
  const { epoch, weeks } = options;
  const composing = { templates, from, links, epoch, weeks, mailbox: readMailbox(settings) };
  const feedbackBytes = links ? feedbackLength(links) : 0;
  const ownId = (name: string) => `<${name}@${domainOf(sender)}>`;

  const questions = createConfirmations({ ...options, links, from, suppression, failures, transport });
  const { consent } = questions;

  const obstacle = createObstacle({
    unsubscribes,
    consent,
    suppression,
    accounts: options.accounts,
    pausedFor: health.pausedFor,
  });

  const dataRequests = createDataRequests({
    table,
    clock,
    async send({ what, locale }, to, token) {
      if (!links) throw new Error('no public pages to link to');
      await sendLink(what, { locale, to, url: links.confirm(token) });
    },
  });

  const sendLink: EmailSink['sendLink'] = async (what, { locale, to, url }) => {
    // Not the link itself: relays write the Message-ID into their logs.
    const messageId = ownId(
      `link.${createHash('sha256').update(`Message-ID\n${url}`).digest('hex').slice(0, 24)}`,
    );
    await transport.send(composeLink({ what, locale, to, url }, { templates, from, source, messageId }));
  };

  async function deliver(delivery: Delivery, target: string, context: Parameters<Sink['deliver']>[2]) {
    const address = parseAddress(target);
    const { account, subscription, destination } = delivery;
    const found = await obstacle({ account, subscription, destination });
    if (found?.fix === 'mailUnconfirmed') throw await questions.before(delivery, address);
    if (found?.until !== undefined)
      throw new DeliveryError('outage', found.why, { retryAfterMs: found.until - clock.now() });
    if (found) throw new DeliveryError('target', found.why, fixOf(found.fix));
    const message = await composeEdition(delivery, { ...composing, guard: context.guard });
    try {
      await transport.send(message, context.signal);
    } catch (error) {
      // We stopped it: this says nothing about the relay or the recipient, so the next attempt need not wait.
      if (context.signal.aborted) throw new DeliveryError('outage', 'stopped while sending');
      throw await failures.explain(error, address, message.messageId);
    }
    await failures.arrived(address, message.messageId);
  }

  // One after the other, so that several subscriptions to one address send one confirm mail.
  const asking = createMutex();
  let isClosed = false;
  let isAlone = false;
  const begin: NonNullable<Sink['begin']> = ({ account, subscription, destination, tags, locale }) => {
    void asking(async () => {
      try {
        const address = parseAddress(destination.target);
        if (isClosed || !links) return;
        if ((await obstacle({ account, subscription, destination }))?.fix !== 'mailUnconfirmed') return;
        await questions.before({ account, tags, locale }, address);
      } catch (error) {
        log.warn({ subscription, reason: reasonOf(error) }, 'confirm mail not sent');
      }
    });
  };

  let stopMaildir: (() => Promise<void>) | undefined;

  return {
    name: 'email',
    parseTarget: parseAddress,
    isPrivate: () => true,
    joins: true,
    pack: (postings) => packBySize(postings, feedbackBytes),
    deliver,
    async quietWeek(week, { guard }) {
      if (await obstacle(week)) return;
      await transport.send(await composeQuietWeek(week, { ...composing, guard }));
    },
    begin,
    obstacle,
    consent,
    suppression,
    unsubscribes,
    dataRequests,
    sendLink,
    question: questions.ask,
    verify: transport.verify,
    send: (message) => transport.send(message),
    pauses: health.pauses,
    async takeBounce(body, contentType) {
      const read = readRelay(body, contentType);
      if ('refused' in read) return { taken: 0, refused: read.refused };
      if ('confirm' in read) return confirmSnsSubscription(read.confirm, log);
      await take(read.reports);
      return { taken: read.reports.length };
    },
    async messenger(notice) {
      if (notice.reader) return remindReader(notice, notice.reader);
      const account = await options.accounts.get(notice.account);
      const { email, locale = 'en' } = account ?? {};
      if (email?.confirmedAt === undefined || (await suppression.find(email.address))) return false;
      // A notice that mails do not arrive or are not wanted is not sent by mail.
      const aboutMail = notice.kind === 'destination' && notice.data?.sink === 'email';
      if (aboutMail || (await unsubscribes.any(notice.account))) return false;
      const epoch = (await options.epoch?.(notice.account)) ?? 0;
      const { subscription } = notice;
      const text = plainCommands(renderNotice(notice, locale), textsFor(locale));
      const about = {
        account: notice.account,
        epoch,
        now: clock.now(),
        ...defined({ subscription: subscription || undefined }),
      };
      const url = subscription ? links?.preferences(about) : undefined;
      const messageId = ownId(`notice.${clock.now().toString(36)}.${suppression.token(notice.subject)}`);
      const to = email.address;
      const { reminder } = notice;
      const mail = reminder
        ? composeReminder(reminder, { locale, text, to }, { templates, from, messageId })
        : composeNotice(
            { locale, text, to, ...defined({ url: url || undefined }) },
            { templates, from, source, messageId },
          );
      const { note } = textsFor(locale).card;
      checkLinks(notice, { format: 'html', body: mail.html });
      checkLinks(notice, { format: 'text', body: mail.text, note });
      await transport.send(mail);
      return true;
    },
    async start(role) {
      // Other processes that share the store have pauses of their own. Those of one that died end after an hour.
      isAlone = role === undefined || role === 'all';
      if (isAlone) store(pauses.clear);
      if (!settings.bounceMaildir || role === 'worker') return;
      stopMaildir = startMaildir(settings.bounceMaildir, log, async (mail) => {
        const token = unsubscribeToken(mail);
        if (token) await options.onUnsubscribe?.(token);
        // Anyone can write to that mailbox. Only the token of the envelope sender shows that a mail is about one of
        // ours; a mail without it is not read.
        else if (reportToken(mail)) await take(readReport(mail));
      });
    },
    async close() {
      isClosed = true;
      await asking.idle();
      if (isAlone && health.pauses().length > 0) store(pauses.clear);
      await storing.idle();
      await stopMaildir?.();
      transport.close();
    },
  };

  /** A reader without an account gets a reminder where the mails go, as long as they go there. */
  async function remindReader(
    { reminder, ...notice }: Notice,
    { subscription, destination, locale = 'en' }: NonNullable<Notice['reader']>,
  ): Promise<boolean> {
    const isMine = destination.sink === 'email' && reminder !== undefined;
    const stream = { account: OPERATOR, subscription, destination };
    if (!isMine || (await obstacle(stream))) return false;
    const settings = links?.preferences({
      ...stream,
      destination: destination.id,
      epoch: (await options.epoch?.(OPERATOR)) ?? 0,
      now: clock.now(),
    });
    const text = renderNotice({ ...notice, reminder }, locale);
    const messageId = ownId(`notice.${clock.now().toString(36)}.${suppression.token(notice.subject)}`);
    const to = destination.target;
    const mail = composeReminder(
      reminder,
      { locale, text, to, ...defined({ settings: settings || undefined }) },
      { templates, from, messageId },
    );
    const { note } = textsFor(locale).card;
    checkLinks({ ...notice, reminder }, { format: 'html', body: mail.html });
    checkLinks({ ...notice, reminder }, { format: 'text', body: mail.text, note });
    await transport.send(mail);
    return true;
  }

  async function take(reports: readonly BounceReport[]): Promise<void> {
    for (const report of reports) await applyReport(report);
  }
}
