// Checks the DNS records that make receivers trust the sender's domain: SPF, DKIM, DMARC.
import { createPublicKey } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { type Check, codeOf, type Finding, off, ok, warn } from './check.js';

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
        'add a TXT record "v=spf1 …" that names your relay; its provider tells which',
      )
    : warn(`${domain} has ${records.length} SPF records, which counts as none`, 'make one of them');
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
    ? ok(`the DKIM record at ${name} fits DKIM_KEY`)
    : warn(`the DKIM record at ${name} is of another key than DKIM_KEY`, `make it ${text}`);
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
          "see this machine's name server",
        ),
      ),
    ),
  );
}

export const mailDnsCheck: Check = {
  name: 'mail records',
  async run({ config }) {
    if (!config.mail) return [off('SMTP_URL is not set')];
    const domain = /@([^@>\s]+)>?$/u.exec(config.mail.from)?.[1] ?? '';
    const { dkim: own } = config.mail;
    const key = own ? { domain: own.domain, selector: own.selector, pem: own.key.reveal() } : undefined;
    return mailRecords(domain, key, dnsLookUp());
  },
};
