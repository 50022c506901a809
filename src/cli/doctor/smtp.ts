// Checks whether the mail relay accepts the login, over an encrypted connection.
import { createTransport } from 'nodemailer';
import { isLoopback, mustEncrypt } from '../../sinks/email/relay.js';
import { type Check, codeOf, type Finding, fail, off, ok, warn } from './check.js';

/** Relays that rewrite links for tracking unless you switch it off there. Links of postings must not be changed. */
const TRACKERS =
  /(?:mailgun|sendgrid|postmark|mandrill|sparkpost|amazonaws|brevo|sendinblue|mailjet|mailchimp|resend)/iu;

function isReadableByChoice(url: URL): boolean {
  return url.searchParams.get('ignoreTLS') === 'true';
}

/** Logs in and out again; throws when that fails. With `requireTls` it also fails when the relay offers no STARTTLS. */
async function tryLogin(url: URL, requireTls: boolean, signal: AbortSignal): Promise<void> {
  const transport = createTransport({
    host: url.hostname.replace(/^\[|\]$/gu, ''),
    port: Number(url.port) || (url.protocol === 'smtps:' ? 465 : 587),
    secure: url.protocol === 'smtps:',
    requireTLS: requireTls,
    ignoreTLS: isReadableByChoice(url),
    ...(url.username
      ? { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }
      : {}),
    // The address may hold options such as tls.rejectUnauthorized, which the mail sink reads too.
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

/** The finding for a relay that offers no STARTTLS. It sends nothing to the relay that the service would not send. */
async function readable(url: URL, signal: AbortSignal): Promise<Finding> {
  const host = url.hostname;
  if (mustEncrypt(url))
    return fail(
      `${host} offers no STARTTLS, so the password is not sent and no mail goes out`,
      'use smtps:// or a relay that encrypts; where the line is safe, write ?requireTLS=false behind the address',
    );
  try {
    await tryLogin(url, false, signal);
  } catch (error) {
    return verdict(error, host);
  }
  const what = url.username === '' ? 'mails travel' : 'password and mails travel';
  return warn(
    `the line to ${host} is not encrypted: ${what} readable`,
    'use smtps:// or a relay that encrypts',
  );
}

export const smtpCheck: Check = {
  name: 'mail relay',
  async run({ config }, signal) {
    if (!config.mail) return [off('SMTP_URL is not set')];
    const url = new URL(config.mail.smtpUrl.reveal());
    const host = url.hostname;
    const findings: Finding[] = [];
    const inside = isLoopback(host);
    const mayBeReadable = url.protocol === 'smtp:' && !inside;
    try {
      if (mayBeReadable && isReadableByChoice(url)) findings.push(await readable(url, signal));
      else {
        await tryLogin(url, mayBeReadable, signal);
        findings.push(ok(`${host} lets us in${inside ? '' : ' over an encrypted line'}`));
      }
    } catch (error) {
      const isOpen = mayBeReadable && codeOf(error) === 'ETLS';
      findings.push(isOpen ? await readable(url, signal) : verdict(error, host));
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
