// A mail as data, and the headers that decide whether it arrives: which list it belongs to, how to leave that list,
// that a program sent it, and that no relay may replace its links with its own.
import { createHash } from 'node:crypto';
import { createTransport } from 'nodemailer';
import type { Rendered } from '../../render/templates.js';
import { domainOf, parseMailbox } from './address.js';

/** A mail ready to be sent or written to a file. Addresses are bare, except `from`. */
export interface MailMessage extends Rendered {
  readonly from: string;
  readonly to: string;
  /** With angle brackets. The same on every attempt. */
  readonly messageId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly attachments: readonly MailPicture[];
}

/** An inline picture. */
export interface MailPicture {
  readonly cid: string;
  readonly filename: string;
  readonly content: Buffer;
  readonly contentType: string;
}

/** Relays count clicks by rewriting links, which would change apply links (jobs API, Link attribution 4). */
const NO_TRACKING: Readonly<Record<string, string>> = {
  'X-Mailgun-Track': 'no',
  'X-PM-TrackLinks': 'None',
  'X-PM-TrackOpens': 'false',
  'X-Mailjet-TrackClick': '0',
  'X-Mailjet-TrackOpen': '0',
  'X-SMTPAPI': JSON.stringify({
    filters: { clicktrack: { settings: { enable: 0 } }, opentrack: { settings: { enable: 0 } } },
  }),
  'X-MSYS-API': JSON.stringify({ options: { open_tracking: false, click_tracking: false } }),
};

/** Headers of every mail. Auto-responders must not answer it (RFC 3834). `stream`: for feedback loops, without names. */
export function baseHeaders(stream: string): Record<string, string> {
  return {
    'Auto-Submitted': 'auto-generated',
    'X-Auto-Response-Suppress': 'All',
    'Feedback-ID': `${stream}:jobcrier`,
    ...NO_TRACKING,
  };
}

/** What the list headers are made from. */
export interface ListInfo {
  readonly subscription: string;
  readonly destination: string;
  readonly about: string;
  readonly from: string;
  /** URL of the one-click page; absent without public pages. */
  readonly unsubscribe?: string;
  readonly help?: string;
  /** Address for unsubscribing by mail, with the token of `unsubscribe`; absent when no mails are read. */
  readonly mailbox?: string;
}

function short(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16);
}

/** List headers of a stream (RFC 2369, 2919, 8058). */
export function listHeaders(info: ListInfo): Record<string, string> {
  const { address } = parseMailbox(info.from);
  // Only plain characters: some mail programs do not decode an encoded phrase.
  const phrase = info.about.replace(/[^\w ,.$+-]/gu, '').trim();
  const id = `<s${short(info.subscription, info.destination)}.jobcrier.${domainOf(address)}>`;
  const { unsubscribe, mailbox } = info;
  const token = unsubscribe?.slice(unsubscribe.lastIndexOf('/') + 1);
  const byMail = mailbox ? `, <mailto:${mailbox}?subject=unsubscribe%20${token}>` : '';
  return {
    'List-Id': phrase ? `"${phrase.slice(0, 60)}" ${id}` : id,
    ...(unsubscribe
      ? {
          'List-Unsubscribe': `<${unsubscribe}>${byMail}`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        }
      : {}),
    'List-Help': info.help ? `<${info.help}>` : `<mailto:${address}?subject=help>`,
  };
}

/** Puts the immediate mails of a stream into one thread: all refer to a first message, which need not exist. */
export function threadHeaders(
  info: Pick<ListInfo, 'subscription' | 'destination' | 'from'>,
): Record<string, string> {
  const { address } = parseMailbox(info.from);
  const root = `<t${short(info.subscription, info.destination)}@${domainOf(address)}>`;
  return { 'In-Reply-To': root, References: root };
}

/** The library encodes a value with quotes, which would break a list id or JSON. These are sent as written. */
function asWritten(value: string) {
  return /^[\x20-\x7e]*"[\x20-\x7e]*$/u.test(value) ? { prepared: true, foldLines: true, value } : value;
}

/**
 * An address in angle brackets. Without a name, the library leaves them out, which spam filters count against a mail with
 * a picture (SpamAssassin, TO_NO_BRKTS_HTML_IMG).
 */
function inBrackets(address: string) {
  return { name: ' ', address };
}

/** The message in the mail library's form. The library must not read any part of it from a file or URL. */
export function toNodemailer(message: MailMessage) {
  return {
    from: message.from,
    to: inBrackets(message.to),
    subject: message.subject,
    messageId: message.messageId,
    text: message.text,
    html: message.html,
    headers: Object.fromEntries(
      Object.entries(message.headers).map(([name, value]) => [name, asWritten(value)]),
    ),
    attachments: message.attachments.map((picture) => ({
      ...picture,
      contentDisposition: 'inline' as const,
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
    // Base64 would make the source unreadable for people. Long links survive both encodings.
    textEncoding: 'quoted-printable' as const,
  };
}

/** The mail as a file (RFC 5322), without signature, for previews, the demo and `digest --out`. */
export async function toEml(message: MailMessage): Promise<Buffer> {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  const sent = await transport.sendMail(toNodemailer(message));
  return sent.message as Buffer;
}
