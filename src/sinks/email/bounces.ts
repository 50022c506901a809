// What comes back: delivery reports (RFC 3464), complaints (RFC 5965), and a relay's own JSON. Each becomes the same
// small report; whom it is about is told by the token in the envelope sender, so no address has to be believed.
import { reasonOf } from '../../domain/errors.js';
import type { Log } from '../../ports/system.js';
import { domainOf, parseAddress, verpToken } from './address.js';
import { readStatus } from './answers.js';
import type { MailAlert } from './failures.js';
import type { StreamHealth } from './health.js';
import type { Suppression } from './suppression.js';

/** One recipient's fate. `status` as in RFC 3463; a complaint has none. */
export interface BounceReport {
  readonly who: { readonly token: string } | { readonly address: string };
  readonly status?: string;
  readonly complaint?: true;
  /** Message-ID of the mail it is about, where it is named. */
  readonly message?: string;
}

export interface Bounces {
  /** Reports in a body; empty when there is none that is understood. */
  read(body: string, contentType: string): readonly BounceReport[];
  apply(report: BounceReport): Promise<void>;
  /** The link token of a mail that asks to unsubscribe (the mailto of List-Unsubscribe). */
  unsubscribeToken(mail: string): string | undefined;
}

function field(text: string, name: string): string | undefined {
  const match = new RegExp(`^${name}:[ \\t]*((?:.*)(?:\\r?\\n[ \\t].*)*)`, 'imu').exec(text);
  return match?.[1]?.replace(/\r?\n[ \t]+/gu, ' ').trim();
}

function person(token: string | undefined, address: string | undefined): BounceReport['who'] | undefined {
  if (token) return { token };
  try {
    return address ? { address: parseAddress(address) } : undefined;
  } catch {
    return undefined;
  }
}

/** Some servers say 5.0.0 where they know better: what the far side answered stands in the words for people. */
function precise(status: string, block: string, mail: string, address: string | undefined): string {
  if (!status.endsWith('.0.0')) return status;
  const lines = mail.split(/\r?\n/u).filter((line) => address !== undefined && line.includes(address));
  for (const text of [field(block, 'Diagnostic-Code') ?? '', ...lines]) {
    const found = /\b[45]\d\d[ -]([45]\.\d{1,3}\.\d{1,3})\b/u.exec(text)?.[1];
    if (found?.startsWith(status.slice(0, 1))) return found;
  }
  return status;
}

/** Reads a delivery report or a complaint as it lies in a mailbox. */
export function readReport(mail: string): readonly BounceReport[] {
  const end = /\r?\n\r?\n/u.exec(mail)?.index ?? mail.length;
  const head = mail.slice(0, end);
  const receivers = ['Delivered-To', 'X-Original-To', 'To', 'X-Envelope-To'];
  const token = receivers
    .map((name) => verpToken(field(head, name)?.replace(/[<>]/gu, '') ?? ''))
    .find(Boolean);
  const original = field(mail.slice(end), 'Message-ID');
  const message = original ? { message: original } : {};
  if (/^Feedback-Type:[ \t]*abuse/imu.test(mail)) {
    const address = field(mail, 'Original-Rcpt-To')?.replace(/[<>]/gu, '');
    const who = person(token, address);
    return who ? [{ who, complaint: true, ...message }] : [];
  }
  // Blocks of one recipient each begin with its address or end at an empty line.
  return mail.split(/\r?\n[ \t]*\r?\n/u).flatMap((block) => {
    const status = /^([245]\.\d{1,3}\.\d{1,3})/u.exec(field(block, 'Status') ?? '')?.[1];
    // "delayed" is still on its way, "relayed" and "delivered" are no failure.
    if (!status || !/^failed/iu.test(field(block, 'Action') ?? '')) return [];
    const address = (field(block, 'Original-Recipient') ?? field(block, 'Final-Recipient'))?.replace(
      /^[\w-]+;[ \t]*/u,
      '',
    );
    const who = person(token, address);
    return who ? [{ who, status: precise(status, block, mail, address), ...message }] : [];
  });
}

const STATUS = /^[245]\.\d{1,3}\.\d{1,3}$/u;

/** Reads `{ recipient | token, status | complaint, messageId? }`, one or a list. */
function readJson(body: string): readonly BounceReport[] {
  const parsed: unknown = JSON.parse(body);
  return (Array.isArray(parsed) ? parsed : [parsed]).flatMap((entry: unknown): readonly BounceReport[] => {
    const raw = (typeof entry === 'object' && entry !== null ? entry : {}) as Record<string, unknown>;
    const text = (name: string) => (typeof raw[name] === 'string' ? (raw[name] as string) : undefined);
    const token = text('token');
    const known = token && /^[0-9a-f]{32}$/u.test(token) ? token : verpToken(text('returnPath') ?? '');
    const who = person(known, text('recipient'));
    const message = text('messageId') ? { message: text('messageId') as string } : {};
    const status = text('status');
    if (!who) return [];
    if (raw.complaint === true) return [{ who, complaint: true as const, ...message }];
    return status && STATUS.test(status) ? [{ who, status, ...message }] : [];
  });
}

export function createBounces(deps: {
  suppression: Suppression;
  health: StreamHealth;
  log: Log;
  onAlert: MailAlert;
}): Bounces {
  const { suppression, health, log, onAlert } = deps;

  async function suppress(report: BounceReport, why: string): Promise<void> {
    if ('token' in report.who) await suppression.addToken(report.who.token, why);
    else await suppression.add(report.who.address, why);
    if (health.result(true))
      onAlert('Over 5 % of the mails of this run came back: the run stopped for an hour.');
  }

  return {
    read(body, contentType) {
      try {
        return /json/iu.test(contentType) ? readJson(body) : readReport(body);
      } catch (error) {
        log.warn({ reason: reasonOf(error) }, 'bounce report not understood');
        return [];
      }
    },
    async apply(report) {
      if (report.complaint) {
        log.info({}, 'complaint taken, address suppressed');
        return suppress(report, 'complaint');
      }
      const answer = readStatus(report.status ?? '5.0.0');
      log.info({ status: report.status, kind: answer.kind }, 'bounce taken');
      if (answer.kind === 'address') return suppress(report, answer.summary);
      if (answer.kind === 'mailbox') {
        // Without a Message-ID each report counts as a message of its own.
        const message = report.message ?? `report.${Math.random().toString(36).slice(2)}`;
        await suppression.soft(report.who, message, answer.summary);
        return;
      }
      if (answer.kind !== 'ours') return;
      // Only the relay's own report names an address; one from the mailbox could be forged to stop a whole domain.
      if ('address' in report.who) health.pause(domainOf(report.who.address));
      onAlert(
        `Mails come back because a receiver refuses us (${answer.summary}): check SPF, DKIM and DMARC.`,
      );
    },
    unsubscribeToken(mail) {
      const head = mail.slice(0, /\r?\n\r?\n/u.exec(mail)?.index ?? mail.length);
      return /^unsubscribe[ +]([\w-]+\.[\w-]+)$/iu.exec(field(head, 'Subject') ?? '')?.[1];
    },
  };
}
