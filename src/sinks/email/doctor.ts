// Checks whether the mail relay accepts the login, over an encrypted connection.

import { createPublicKey } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { createTransport } from 'nodemailer';
import { defined } from '../../domain/defined.js';
import { codeOf, type Finding, fail, off, ok, warn } from '../../domain/finding.js';
import type { CheckContext, SinkCheck, SinkSettings } from '../settings.js';
import { UNTRUSTED } from './smtp-replies.js';
import { isLoopback, mustEncrypt } from './transport.js';

type Words = CheckContext['words']['mail'];

/** Relays that rewrite links for tracking unless you switch it off there. Links of postings must not be changed. */
const TRACKERS =
  /(?:mailgun|sendgrid|postmark|mandrill|sparkpost|amazonaws|brevo|sendinblue|mailjet|mailchimp|resend)/iu;

function isReadableByChoice(url: URL): boolean {
  return url.searchParams.get('ignoreTLS') === 'true';
}

/** Logs in and out again; throws when that fails. With `requireTls` it also fails when the relay offers no STARTTLS. */
async function tryLogin(url: URL, requireTls: boolean): Promise<void> {
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
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

function verdict(error: unknown, host: string, words: Words): Finding {
  const { responseCode, originalCode } = error as { responseCode?: number; originalCode?: string };
  // The mail library replaces the code of a connection with one code for all that can be wrong with it.
  const code = originalCode ?? codeOf(error);
  const answer = responseCode ? words.answer({ code: responseCode }) : '';
  if (code === 'EAUTH') return fail(words.login({ host, answer }), words.loginFix);
  if (code === 'ETLS' || UNTRUSTED.test(code)) return fail(words.tls({ host, code }), words.tlsFix);
  return fail(words.away({ host, code, answer }), words.awayFix);
}

/** The finding for a relay that offers no STARTTLS. It sends nothing to the relay that the service would not send. */
async function readable(url: URL, words: Words): Promise<Finding> {
  const host = url.hostname;
  if (mustEncrypt(url)) return fail(words.noTls({ host }), words.noTlsFix);
  try {
    await tryLogin(url, false);
  } catch (error) {
    return verdict(error, host, words);
  }
  return warn((url.username === '' ? words.openMails : words.openAll)({ host }), words.openFix);
}

const smtpCheck: SinkCheck = {
  name: 'mailRelay',
  async run({ mail }, { words: { any, mail: words } }) {
    if (!mail) return [off(any.notSet({ setting: 'SMTP_URL' }))];
    const url = new URL(mail.smtpUrl.reveal());
    const host = url.hostname;
    const findings: Finding[] = [];
    const inside = isLoopback(host);
    const mayBeReadable = url.protocol === 'smtp:' && !inside;
    try {
      if (mayBeReadable && isReadableByChoice(url)) findings.push(await readable(url, words));
      else {
        await tryLogin(url, mayBeReadable);
        findings.push(ok((inside ? words.works : words.worksEncrypted)({ host })));
      }
    } catch (error) {
      const isOpen = mayBeReadable && codeOf(error) === 'ETLS';
      findings.push(isOpen ? await readable(url, words) : verdict(error, host, words));
    }
    if (TRACKERS.test(host)) findings.push(warn(words.tracker({ host }), words.trackerFix));
    return findings;
  },
};

// Checks the DNS records that make receivers trust the sender's domain: SPF, DKIM, DMARC.

/** Returns all TXT records of a name, empty when there are none. Throws when the name server does not answer. */
export type LookUp = (name: string) => Promise<readonly string[]>;

/** Asks `servers`, or the name servers of the machine. */
export function dnsLookUp(servers?: readonly string[]): LookUp {
  const resolver = new Resolver({ timeout: 3000, tries: 2 });
  if (servers) resolver.setServers(servers);
  return async (name) => {
    try {
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
    } catch (error) {
      if (['ENOTFOUND', 'ENODATA'].includes(codeOf(error))) return [];
      throw error;
    }
  };
}

async function spf(domain: string, words: Words, lookUp: LookUp): Promise<Finding> {
  const records = (await lookUp(domain)).filter((text) => /^v=spf1\b/iu.test(text));
  if (records.length === 1) return ok(words.spf({ domain }));
  return records.length === 0
    ? warn(words.noSpf({ domain }), words.noSpfFix)
    : warn(words.manySpf({ domain, count: records.length }), words.manySpfFix);
}

async function dmarc(domain: string, words: Words, lookUp: LookUp): Promise<Finding> {
  // A domain without its own record uses the one of the nearest domain above it (DMARC, DNS tree walk).
  for (let labels = domain.split('.'); labels.length > 1; labels = labels.slice(1)) {
    const name = labels.join('.');
    if ((await lookUp(`_dmarc.${name}`)).some((text) => /^v=DMARC1\b/iu.test(text)))
      return ok(words.dmarc({ domain: name }));
  }
  return warn(words.noDmarc({ domain }), words.noDmarcFix({ domain }));
}

async function dkim(
  given: { domain: string; selector: string; pem: string },
  words: Words,
  lookUp: LookUp,
): Promise<Finding> {
  const name = `${given.selector}._domainkey.${given.domain}`;
  const record = (await lookUp(name)).find((text) => /(?:^|;)\s*p=/iu.test(text));
  const ours = createPublicKey(given.pem).export({ type: 'spki', format: 'der' }).toString('base64');
  const theirs = /(?:^|;)\s*p=([^;]*)/iu.exec(record ?? '')?.[1]?.replace(/\s/gu, '');
  const text = `"v=DKIM1; k=rsa; p=${ours}"`;
  if (theirs === undefined) return warn(words.noDkim({ name }), words.noDkimFix({ text }));
  return theirs === ours
    ? ok(words.dkim({ name }))
    : warn(words.wrongDkim({ name }), words.wrongDkimFix({ text }));
}

/** Findings for the domain of a sender. `key` is undefined when the relay signs. */
export async function mailRecords(
  domain: string,
  key: { domain: string; selector: string; pem: string } | undefined,
  words: Words,
  lookUp: LookUp,
): Promise<Finding[]> {
  const questions = [
    spf(domain, words, lookUp),
    dmarc(domain, words, lookUp),
    ...(key ? [dkim(key, words, lookUp)] : []),
  ];
  return Promise.all(
    questions.map((question) =>
      question.catch((error: unknown) =>
        warn(words.noLookup({ domain, code: codeOf(error) }), words.noLookupFix),
      ),
    ),
  );
}

/** Findings for the domain of MAIL_FROM. */
export function senderRecords(
  { from, dkim: own }: Pick<NonNullable<SinkSettings['mail']>, 'from' | 'dkim'>,
  words: Words,
  lookUp: LookUp,
): Promise<Finding[]> {
  const domain = /@([^@>\s]+)>?$/u.exec(from)?.[1] ?? '';
  const key = own ? { domain: own.domain, selector: own.selector, pem: own.key.reveal() } : undefined;
  return mailRecords(domain, key, words, lookUp);
}

const mailDnsCheck: SinkCheck = {
  name: 'mailRecords',
  async run({ mail }, { words: { any, mail: words } }) {
    if (!mail) return [off(any.notSet({ setting: 'SMTP_URL' }))];
    return senderRecords(mail, words, dnsLookUp());
  },
};

export const checks: readonly SinkCheck[] = [smtpCheck, mailDnsCheck];
