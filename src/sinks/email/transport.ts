// Sends mails over a small pool of connections to the relay. Each mail is signed (with DKIM settings) and has its own
// envelope sender. The library does not retry, because the ledger decides what is tried again and when.

import { createTransport } from 'nodemailer';
import { defined } from '../../domain/defined.js';
import type { Secret } from '../../domain/secret.js';
import { verpAddress } from './address.js';
import { type MailMessage, toNodemailer } from './message.js';
import { MailError, readFailure } from './smtp-replies.js';

/** RSA key in PEM; `selector` as in `selector._domainkey.domain`. */
export interface DkimSettings {
  readonly domain: string;
  readonly selector: string;
  readonly key: Secret;
}

/** The library's own list lacks List-Unsubscribe-Post, which RFC 8058 requires to be signed. */
const SIGNED_HEADERS = [
  'From',
  'To',
  'Subject',
  'Date',
  'Message-ID',
  'In-Reply-To',
  'References',
  'MIME-Version',
  'Content-Type',
  'List-Id',
  'List-Help',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
  'Auto-Submitted',
  'Feedback-ID',
].join(':');

export interface MailTransport {
  /** Resolves once the relay has accepted the mail; rejects with a {@link MailError}. */
  send(message: MailMessage, signal?: AbortSignal): Promise<void>;
  /** Connects and logs in, sends nothing. */
  verify(): Promise<void>;
  close(): void;
}

/** `bounce`: the address for delivery reports; `token`: returns what stands for a recipient in it. */
export function createMailTransport(options: {
  smtpUrl: Secret;
  bounce: string;
  token: (address: string) => string;
  dkim?: DkimSettings | undefined;
}): MailTransport {
  const { dkim } = options;
  const url = options.smtpUrl.reveal();
  const transport = createTransport({
    url,
    requireTLS: mustEncrypt(new URL(url)),
    pool: true,
    maxConnections: 3,
    maxRequeues: 0,
    connectionTimeout: 20_000,
    greetingTimeout: 20_000,
    socketTimeout: 60_000,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...defined({
      dkim: dkim
        ? {
            domainName: dkim.domain,
            keySelector: dkim.selector,
            privateKey: dkim.key.reveal(),
            headerFieldNames: SIGNED_HEADERS,
          }
        : undefined,
    }),
  });
  // Without a listener a broken idle connection would end the process.
  transport.on('error', () => undefined);
  return {
    async send(message, signal) {
      const envelope = { from: verpAddress(options.bounce, options.token(message.to)), to: [message.to] };
      await transport
        .sendMail({ ...toNodemailer(message), envelope, ...defined({ signal }) })
        .catch(rejected);
    },
    async verify() {
      await transport.verify().catch(rejected);
    },
    close: () => transport.close(),
  };
}

function rejected(error: unknown): never {
  throw new MailError(readFailure(error));
}

// What the relay's URL says about encryption. A password never goes unencrypted to another machine, unless the
// operator allows that in the URL.

/** True for a host that is this machine. `host` as in a URL: IPv6 in brackets. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/iu.test(host);
}

/**
 * True if the connection must be encrypted before the login: smtp:// with a user, to another machine.
 * `?requireTLS=false` or `?ignoreTLS=true` in the URL turns that off.
 */
export function mustEncrypt({ protocol, username, hostname, searchParams }: URL): boolean {
  const waived = searchParams.get('requireTLS') === 'false' || searchParams.get('ignoreTLS') === 'true';
  return protocol === 'smtp:' && username !== '' && !isLoopback(hostname) && !waived;
}
