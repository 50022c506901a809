// Reads what mail relays post about mails that came back: Postmark, Amazon SES (through SNS or directly), Mailgun,
// and a plain shape for all others. A body that is none of these, or is about something else, is refused with a
// sentence: after an answer of 200 the relay's log would show success.

import { defined } from '../../domain/defined.js';
import { reasonOf } from '../../domain/errors.js';
import type { Log } from '../../ports/system.js';
import { verpToken } from './address.js';
import { type BounceReport, person, readReport } from './reports.js';

/** The content of a body: reports, a URL that Amazon wants visited, or a sentence that says what is wrong. */
export type RelayBody =
  | { readonly reports: readonly BounceReport[] }
  | { readonly confirm: URL }
  | { readonly refused: string };

type Fields = Readonly<Record<string, unknown>>;

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fields) : [];
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The enhanced status code of a failure (RFC 3463). 2.x.x means that the mail arrived. */
const STATUS = /^[45]\.\d{1,3}\.\d{1,3}$/u;

function status(value: unknown): string | undefined {
  return typeof value === 'string' && STATUS.test(value) ? value : undefined;
}

/** The first enhanced status code in a server's answer, such as `smtp; 550 5.1.1 no such user`. */
function statusIn(words: unknown): string | undefined {
  return /(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?!\.?\d)/u.exec((text(words) ?? '').slice(0, 1000))?.[0];
}

/** For permanent failures: the address is at fault, unless the status means that we, the mail or a full box are. */
function lasting(found: string | undefined): string {
  return found && /^5\.(?:[67]\.\d+|2\.[23]|3\.4|1\.[789])$/u.test(found) ? found : '5.1.1';
}

/** For mails that a relay gave up without calling it permanent: the mailbox is full or out of order. */
function passing(found: string | undefined): string {
  return found?.startsWith('4.') || /^5\.(?:[67]\.\d+|2\.[23]|3\.4)$/u.test(found ?? '')
    ? (found as string)
    : '5.2.2';
}

interface Told {
  readonly status?: string;
  readonly complaint?: true;
  readonly delayed?: true;
}

function report(address: unknown, message: unknown, told: Told): readonly BounceReport[] {
  const who = person(undefined, text(address));
  if (!who) return [];
  const id = text(message);
  return [{ who, ...told, ...defined({ message: id || undefined }) }];
}

const NO_ADDRESS = 'the report names no mail address';
const ONLY = 'send only bounces and spam complaints to this address';

function reportsOr(reports: readonly BounceReport[], refused = NO_ADDRESS): RelayBody {
  return reports.length > 0 ? { reports } : { refused: `${refused}.` };
}

/** Postmark's types of bounces (Bounce API, "Bounce types"). Other types say nothing about a mailbox. */
const POSTMARK: Readonly<Record<string, (found: string | undefined) => Told>> = {
  HardBounce: (found) => ({ status: lasting(found) }),
  BadEmailAddress: () => ({ status: '5.1.3' }),
  ManuallyDeactivated: () => ({ status: '5.2.1' }),
  SpamComplaint: () => ({ complaint: true }),
  SoftBounce: (found) => ({ status: passing(found) }),
  DnsError: () => ({ status: '4.4.3' }),
  Transient: (found) => ({ status: found ?? '4.0.0', delayed: true }),
  Blocked: () => ({ status: '5.7.1' }),
  SpamNotification: () => ({ status: '5.7.1' }),
  DMARCPolicy: () => ({ status: '5.7.26' }),
};

function postmark(body: Fields): RelayBody {
  const { RecordType: record = 'Bounce', Type: type } = body;
  if (record === 'SubscriptionChange') return postmarkSuppression(body);
  const kind = record === 'SpamComplaint' ? record : type;
  const told = typeof kind === 'string' && Object.hasOwn(POSTMARK, kind) ? POSTMARK[kind] : undefined;
  if ((record !== 'Bounce' && record !== 'SpamComplaint') || !told)
    return { refused: `Postmark: ${named(told ? record : (kind ?? record))} is not a bounce; ${ONLY}.` };
  return reportsOr(report(body.Email, body.MessageID, told(statusIn(body.Details))));
}

function postmarkSuppression(body: Fields): RelayBody {
  const why = body.SuppressionReason;
  if (body.SuppressSending !== true)
    return {
      refused: `Postmark: this address is allowed again; to allow it here too, run \`jobcrier mail allow\`.`,
    };
  const told: Told = why === 'SpamComplaint' ? { complaint: true } : { status: '5.2.1' };
  return reportsOr(report(body.Recipient, body.MessageID, told));
}

/** Amazon SES: a notification (`notificationType`) or an event (`eventType`), SES Developer Guide. */
function ses(body: Fields): RelayBody {
  const type = body.notificationType ?? body.eventType;
  // SES replaces our Message-ID with its own id, which identifies a mail just as well.
  const message = fields(body.mail).messageId;
  if (type === 'Bounce') {
    const { bounceType, bounceSubType, bouncedRecipients } = fields(body.bounce);
    return reportsOr(
      list(bouncedRecipients).flatMap((one) => {
        const found = status(one.status) ?? statusIn(one.diagnosticCode);
        return report(one.emailAddress, message, { status: sesStatus(bounceType, bounceSubType, found) });
      }),
    );
  }
  if (type === 'Complaint') {
    const { complainedRecipients, complaintFeedbackType } = fields(body.complaint);
    if (complaintFeedbackType === 'not-spam')
      return { refused: 'Amazon SES: "not-spam" is not a complaint; no action is needed.' };
    return reportsOr(
      list(complainedRecipients).flatMap((one) => report(one.emailAddress, message, { complaint: true })),
    );
  }
  if (type === 'DeliveryDelay') {
    const { delayedRecipients } = fields(body.deliveryDelay);
    return reportsOr(
      list(delayedRecipients).flatMap((one) =>
        report(one.emailAddress, message, { status: status(one.status) ?? '4.0.0', delayed: true }),
      ),
    );
  }
  return { refused: `Amazon SES: ${named(type)} is not a bounce; ${ONLY}.` };
}

function sesStatus(type: unknown, subtype: unknown, found: string | undefined): string {
  if (type === 'Permanent') return lasting(found);
  if (subtype === 'MessageTooLarge') return '5.3.4';
  if (subtype === 'ContentRejected' || subtype === 'AttachmentRejected') return '5.6.0';
  return passing(found);
}

/** Hosts of Amazon SNS. No other host is ever visited. */
const SNS_HOST = /^sns\.[a-z]{2}(?:-[a-z]+){1,3}-\d{1,2}\.amazonaws\.com(?:\.cn)?$/u;

/** A notification of SES inside a message of Amazon SNS, which is posted as text/plain. */
function sns(body: Fields): RelayBody {
  if (body.Type === 'Notification') {
    const inner = parsed(text(body.Message) ?? '');
    const about = fields(inner);
    if (about.notificationType === undefined && about.eventType === undefined)
      return { refused: 'Amazon SNS: the message is not a notification of SES.' };
    return ses(about);
  }
  if (body.Type !== 'SubscriptionConfirmation')
    return { refused: `Amazon SNS: ${named(body.Type)} is not needed here.` };
  const address = text(body.SubscribeURL) ?? '';
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const own = url?.protocol === 'https:' && url.port === '' && url.username === '' && url.password === '';
  if (!url || !own || !SNS_HOST.test(url.hostname))
    return { refused: 'Amazon SNS: SubscribeURL is not an address of Amazon SNS, so it is not visited.' };
  return { confirm: url };
}

/** Mailgun's webhooks in their current form (`event-data`). */
function mailgun(body: Fields): RelayBody {
  const event = fields(body['event-data']);
  const message = fields(fields(event.message).headers)['message-id'];
  // Mailgun leaves the angle brackets out.
  const id = text(message) ? `<${String(message).replace(/[<>]/gu, '')}>` : undefined;
  if (event.event === 'complained') return reportsOr(report(event.recipient, id, { complaint: true }));
  if (event.event !== 'failed')
    return { refused: `Mailgun: ${named(event.event)} is not a failure; ${ONLY}.` };
  return reportsOr(report(event.recipient, id, mailgunTold(event)));
}

/** Reply codes that mean a full mailbox or a bad mail rather than a bad address; 602: too long in Mailgun's queue. */
const MAILGUN_PASSING: readonly unknown[] = [552, 554, 602];

function mailgunTold({ 'delivery-status': delivery, severity, reason }: Fields): Told {
  const answer = fields(delivery);
  const found = status(answer['enhanced-code']) ?? statusIn(answer.message) ?? statusIn(answer.description);
  // Mailgun keeps trying, and a greylisted mail does not mean a full mailbox.
  if (severity === 'temporary') return { status: found?.startsWith('4.') ? found : '4.0.0', delayed: true };
  // Mailgun did not send it because of an earlier complaint.
  if (answer.code === 607 || reason === 'suppress-complaint') return { complaint: true };
  const soft = answer['bounce-type'] === 'soft' || reason === 'old';
  return {
    status: soft || (!found && MAILGUN_PASSING.includes(answer.code)) ? passing(found) : lasting(found),
  };
}

/** `{ recipient | token | returnPath, status | complaint, messageId? }`. */
function plain(body: Fields): readonly BounceReport[] {
  const token = text(body.token);
  const known = token && /^[0-9a-f]{32}$/u.test(token) ? token : verpToken(text(body.returnPath) ?? '');
  const who = person(known, text(body.recipient));
  const id = text(body.messageId);
  const message = id ? { message: id } : {};
  const found = status(body.status);
  if (!who) return [];
  if (body.complaint === true) return [{ who, complaint: true, ...message }];
  return found ? [{ who, status: found, ...message }] : [];
}

function named(value: unknown): string {
  const word = typeof value === 'string' ? value.replace(/[^\w .-]/gu, '').slice(0, 40) : '';
  return word ? `"${word}"` : 'this';
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const PLAIN =
  'wanted { "recipient" or "returnPath", "status" or "complaint": true }, a webhook of Postmark, Amazon SES or Mailgun, or a delivery report as a mail';

function readOne(value: unknown): RelayBody {
  const body = fields(value);
  if ('event-data' in body) return mailgun(body);
  if ('RecordType' in body || ('TypeCode' in body && 'Email' in body)) return postmark(body);
  if ('TopicArn' in body && 'Type' in body) return sns(body);
  if ('notificationType' in body || 'eventType' in body) return ses(body);
  return reportsOr(plain(body), `no bounce in it: ${PLAIN}`);
}

/** Reads what a relay posted. The body counts more than the content type, because SNS labels its JSON text/plain. */
export function readRelay(body: string, contentType: string): RelayBody {
  if (!/^\s*[[{]/u.test(body) && !/json/iu.test(contentType)) {
    if (/form/iu.test(contentType)) return { refused: `forms are not supported: ${PLAIN}.` };
    return reportsOr(readReport(body), `no delivery report or complaint in it: ${PLAIN}`);
  }
  const value = parsed(body);
  if (value === undefined) return { refused: `not JSON: ${PLAIN}.` };
  if (!Array.isArray(value)) return readOne(value);
  const all = value.map(readOne);
  const reports = all.flatMap((one) => ('reports' in one ? one.reports : []));
  const first = all.find((one) => 'refused' in one);
  return reports.length > 0 ? { reports } : (first ?? { refused: `an empty list: ${PLAIN}.` });
}

// Amazon SNS sends reports only to an endpoint that has confirmed the subscription by visiting Amazon's link. The
// reader of relay reports has checked that the link is Amazon's, and the request had the shared secret.

/** Less than the 20 seconds that a page may take. */
const LONGEST_MS = 10_000;

/** Visits the link once, without following redirects or reading the answer's body. If it fails, `refused` says why. */
export async function confirmSnsSubscription(
  url: URL,
  log: Log,
): Promise<{ readonly taken: number; readonly refused?: string }> {
  try {
    const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(LONGEST_MS) });
    await answer.body?.cancel();
    if (!answer.ok) throw new Error(`answer ${answer.status}`);
    log.info({ host: url.hostname }, 'subscription to bounces of Amazon SNS confirmed');
    return { taken: 1 };
  } catch (error) {
    log.warn({ host: url.hostname, reason: reasonOf(error) }, 'Amazon SNS subscription not confirmed');
    return {
      taken: 0,
      refused: 'Amazon SNS: SubscribeURL could not be visited; create the subscription again to get another.',
    };
  }
}
