// Checks whether the mail relay accepts the login, over an encrypted connection.

import { createPublicKey } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { createTransport } from 'nodemailer';
import { defined } from '../../domain/defined.js';
import { codeOf, type Finding, fail, off, ok, warn } from '../../domain/finding.js';
import type { SinkCheck } from '../settings.js';
import { isLoopback, mustEncrypt } from './transport.js';

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
    ...defined({
      auth: url.username
        ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }
        : undefined,
    }),
    // The address may hold options such as tls.rejectUnauthorized, which the mail sink reads too.
    ...defined({
      tls:
        url.searchParams.get('tls.rejectUnauthorized') === 'false'
          ? { rejectUnauthorized: false }
          : undefined,
    }),
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
      'check SMTP_URL; write @ and / in a password as %40 and %2F',
    );
  if (code === 'ETLS' || /CERT|SSL|TLS/u.test(code))
    return fail(
      `the encrypted connection to ${host} fails (${code})`,
      'port 465 requires smtps://, port 587 requires smtp://; the certificate must match the host name',
    );
  return fail(
    `${host} can't be reached (${code}${answer})`,
    'check the host and port in SMTP_URL, and that no firewall blocks outgoing mail',
  );
}

/** The finding for a relay that offers no STARTTLS. It sends nothing to the relay that the service would not send. */
async function readable(url: URL, signal: AbortSignal): Promise<Finding> {
  const host = url.hostname;
  if (mustEncrypt(url))
    return fail(
      `${host} offers no STARTTLS, so the password is not sent and no mail goes out`,
      'use smtps:// or a relay that encrypts; if the connection is safe, add ?requireTLS=false to the address',
    );
  try {
    await tryLogin(url, false, signal);
  } catch (error) {
    return verdict(error, host);
  }
  const what = url.username === '' ? 'mails are' : 'password and mails are';
  return warn(
    `the connection to ${host} is not encrypted: ${what} readable`,
    'use smtps:// or a relay that encrypts',
  );
}

const smtpCheck: SinkCheck = {
  name: 'mail relay',
  async run({ mail }, _about, signal) {
    if (!mail) return [off('SMTP_URL is not set')];
    const url = new URL(mail.smtpUrl.reveal());
    const host = url.hostname;
    const findings: Finding[] = [];
    const inside = isLoopback(host);
    const mayBeReadable = url.protocol === 'smtp:' && !inside;
    try {
      if (mayBeReadable && isReadableByChoice(url)) findings.push(await readable(url, signal));
      else {
        await tryLogin(url, mayBeReadable, signal);
        findings.push(ok(`the connection to ${host} works${inside ? '' : ' and is encrypted'}`));
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

// Checks the DNS records that make receivers trust the sender's domain: SPF, DKIM, DMARC.

/** Returns all TXT records of a name, empty when there are none. Throws when the name server does not answer. */
export type LookUp = (name: string) => Promise<readonly string[]>;

function dnsLookUp(): LookUp {
  const resolver = new Resolver({ timeout: 3000, tries: 2 });
  return async (name) => {
    try {
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
    } catch (error) {
      if (['ENOTFOUND', 'ENODATA'].includes(codeOf(error))) return [];
      throw error;
    }
  };
}

async function spf(domain: string, lookUp: LookUp): Promise<Finding> {
  const records = (await lookUp(domain)).filter((text) => /^v=spf1\b/iu.test(text));
  if (records.length === 1) return ok(`${domain} has an SPF record`);
  return records.length === 0
    ? warn(
        `${domain} has no SPF record`,
        'add a TXT record "v=spf1 …" that names your relay; the provider of the relay documents the value',
      )
    : warn(`${domain} has ${records.length} SPF records, which counts as none`, 'merge them into one record');
}

async function dmarc(domain: string, lookUp: LookUp): Promise<Finding> {
  // A subdomain without its own record uses the one of its parent domain.
  const names = domain.split('.').length > 2 ? [domain, domain.split('.').slice(-2).join('.')] : [domain];
  for (const name of names)
    if ((await lookUp(`_dmarc.${name}`)).some((text) => /^v=DMARC1\b/iu.test(text)))
      return ok(`${name} has a DMARC record`);
  return warn(
    `${domain} has no DMARC record`,
    `add a TXT record at _dmarc.${domain}, at the least "v=DMARC1; p=none"`,
  );
}

async function dkim(
  given: { domain: string; selector: string; pem: string },
  lookUp: LookUp,
): Promise<Finding> {
  const name = `${given.selector}._domainkey.${given.domain}`;
  const record = (await lookUp(name)).find((text) => /(?:^|;)\s*p=/iu.test(text));
  const ours = createPublicKey(given.pem).export({ type: 'spki', format: 'der' }).toString('base64');
  const theirs = /(?:^|;)\s*p=([^;]*)/iu.exec(record ?? '')?.[1]?.replace(/\s/gu, '');
  const text = `"v=DKIM1; k=rsa; p=${ours}"`;
  if (theirs === undefined)
    return warn(`there is no DKIM record at ${name}`, `add a TXT record there: ${text}`);
  return theirs === ours
    ? ok(`the DKIM record at ${name} matches DKIM_KEY`)
    : warn(`the DKIM record at ${name} does not match DKIM_KEY`, `change it to ${text}`);
}

/** Findings for the domain of a sender. `key` is undefined when the relay signs. */
export async function mailRecords(
  domain: string,
  key: { domain: string; selector: string; pem: string } | undefined,
  lookUp: LookUp,
): Promise<Finding[]> {
  const questions = [spf(domain, lookUp), dmarc(domain, lookUp), ...(key ? [dkim(key, lookUp)] : [])];
  return Promise.all(
    questions.map((question) =>
      question.catch((error: unknown) =>
        warn(
          `records of ${domain} could not be looked up (${codeOf(error)})`,
          "check this machine's name server",
        ),
      ),
    ),
  );
}

const mailDnsCheck: SinkCheck = {
  name: 'mail records',
  async run({ mail }) {
    if (!mail) return [off('SMTP_URL is not set')];
    const domain = /@([^@>\s]+)>?$/u.exec(mail.from)?.[1] ?? '';
    const { dkim: own } = mail;
    const key = own ? { domain: own.domain, selector: own.selector, pem: own.key.reveal() } : undefined;
    return mailRecords(domain, key, dnsLookUp());
  },
};

export const checks: readonly SinkCheck[] = [smtpCheck, mailDnsCheck];
