// Whether the mail relay lets us in, over an encrypted line.
import { isIP } from 'node:net';
import { createTransport } from 'nodemailer';
import { type Check, codeOf, type Finding, fail, off, ok, warn } from './check.js';

/** Relays that rewrite links for tracking unless that is switched off there; links of postings must stay as they are. */
const TRACKERS =
  /(?:mailgun|sendgrid|postmark|mandrill|sparkpost|amazonaws|brevo|sendinblue|mailjet|mailchimp|resend)/iu;

function isLocal(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Logs in and out again. `requireTls` fails when the relay offers no STARTTLS. */
async function tryLogin(url: URL, requireTls: boolean, signal: AbortSignal): Promise<void> {
  const transport = createTransport({
    host: url.hostname.replace(/^\[|\]$/gu, ''),
    port: Number(url.port) || (url.protocol === 'smtps:' ? 465 : 587),
    secure: url.protocol === 'smtps:',
    requireTLS: requireTls,
    ...(url.username
      ? { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }
      : {}),
    // Options such as tls.rejectUnauthorized may stand in the address, as the mail sink reads them.
    ...(url.searchParams.get('tls.rejectUnauthorized') === 'false'
      ? { tls: { rejectUnauthorized: false } }
      : {}),
    connectionTimeout: 8000,
    greetingTimeout: 8000,
    socketTimeout: 8000,
  });
  const stop = () => transport.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await transport.verify();
  } finally {
    signal.removeEventListener('abort', stop);
    transport.close();
  }
}

function verdict(error: unknown, host: string): Finding {
  const code = codeOf(error);
  const { responseCode } = error as { responseCode?: number };
  const answer = responseCode ? `, answer ${responseCode}` : '';
  if (code === 'EAUTH')
    return fail(
      `${host} refuses user or password${answer}`,
      'see SMTP_URL; write @ and / in a password as %40 and %2F',
    );
  if (code === 'ETLS' || /CERT|SSL|TLS/u.test(code))
    return fail(
      `the encrypted line to ${host} fails (${code})`,
      'port 465 wants smtps://, port 587 smtp://; the certificate must fit the host name',
    );
  return fail(
    `${host} can't be reached (${code}${answer})`,
    'see host and port in SMTP_URL and whether a firewall lets mail out',
  );
}

export const smtpCheck: Check = {
  name: 'mail relay',
  async run({ config }, signal) {
    if (!config.mail) return [off('SMTP_URL is not set')];
    const url = new URL(config.mail.smtpUrl.reveal());
    const host = url.hostname;
    const findings: Finding[] = [];
    const inside = isLocal(host);
    try {
      await tryLogin(url, url.protocol === 'smtp:' && !inside, signal);
      findings.push(ok(`${host} lets us in${inside ? '' : ' over an encrypted line'}`));
    } catch (error) {
      const open = url.protocol === 'smtp:' && !inside && codeOf(error) === 'ETLS';
      const without = open ? await tryLogin(url, false, signal).catch((second: unknown) => second) : error;
      findings.push(
        without === undefined
          ? warn(
              `${host} offers no STARTTLS: password and mails travel readable`,
              'use smtps:// or a relay that encrypts',
            )
          : verdict(without, host),
      );
    }
    if (TRACKERS.test(host))
      findings.push(
        warn(
          `${host} can rewrite links to count clicks`,
          'switch click tracking off there: the jobs API forbids altered links',
        ),
      );
    return findings;
  },
};
