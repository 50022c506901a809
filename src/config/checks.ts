// Checks across settings: incomplete pairs are faults, values that work but are risky are warnings.
import type { Values } from './settings.js';

/** One fault for each group of settings that is only half given. A setting with an unusable value has its own fault. */
export function pairFaults(isGiven: (name: keyof Values) => boolean): string[] {
  const faults: string[] = [];
  if (isGiven('SMTP_URL') && !isGiven('MAIL_FROM'))
    faults.push(
      'MAIL_FROM: not given although SMTP_URL is; wanted the sender, for example MAIL_FROM=Job crier <jobs@example.org>.',
    );
  const dkim = ['DKIM_DOMAIN', 'DKIM_SELECTOR', 'DKIM_KEY'] as const;
  const lacking = dkim.filter((name) => !isGiven(name));
  if (lacking.length > 0 && lacking.length < dkim.length)
    faults.push(
      `${lacking.join(' and ')}: not given although the rest of DKIM is; give DKIM_DOMAIN, DKIM_SELECTOR and DKIM_KEY, or none of them.`,
    );
  return faults;
}

function isLoopback(address: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/u.test(new URL(address).hostname);
}

/** One warning for each value that works but is unwise. */
export function risks(values: Values): string[] {
  const warnings: string[] = [];
  for (const name of ['JOBS_API_URL', 'PUBLIC_URL'] as const) {
    const address = values[name];
    if (address?.startsWith('http:') && !isLoopback(address))
      warnings.push(`${name} is plain http: tokens in its addresses are sent unencrypted; use https.`);
  }
  if (values.TRUSTED_PROXIES?.some((one) => one.endsWith('/0')))
    warnings.push(
      'TRUSTED_PROXIES contains every address, so any client can forge its address; list only your proxies.',
    );
  if (values.MAIL_FROM && !values.SMTP_URL)
    warnings.push('MAIL_FROM is given without SMTP_URL: e-mail stays off.');
  if (values.SMTP_URL && !values.PUBLIC_URL)
    warnings.push('SMTP_URL is given without PUBLIC_URL: mails have no confirm and unsubscribe links.');
  if (values.MIN_POLL_SECONDS < 60)
    warnings.push(
      'MIN_POLL_SECONDS is below 60: for tests and demonstrations only, a real jobs API will refuse this.',
    );
  for (const name of ['ADMIN_TOKEN', 'BOUNCE_SECRET'] as const)
    if ((values[name]?.reveal().length ?? 99) < 16)
      warnings.push(
        `${name} is short enough to guess: use at least 16 characters (openssl rand -base64 32).`,
      );
  return warnings;
}
