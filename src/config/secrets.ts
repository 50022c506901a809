// Every text of the settings that opens something, for those who search finished words for it before they leave.
import type { Config } from '../config.js';
import type { Secret } from '../domain/secret.js';

/** Shorter ones would be found in ordinary words. */
const SHORTEST = 8;

/** The password of an address, as it is written there and as the relay gets it. */
function passwordsIn(address: Secret | undefined): string[] {
  if (!address || !URL.canParse(address.reveal())) return [];
  const { password } = new URL(address.reveal());
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

/** Longest first, so that no part of one is left over where it holds another. */
export function secretsOf(config: Config): readonly string[] {
  const { jobsApi, secretKey, discord, mail, adminToken, webhook, bounceSecret } = config;
  const whole = [
    jobsApi.token,
    discord.token,
    mail?.smtpUrl,
    mail?.dkim?.key,
    adminToken,
    webhook.secret,
    bounceSecret,
  ].flatMap((one) => (one ? [one.reveal()] : []));
  const parts = [
    ...(secretKey?.reveal().split(',') ?? []),
    ...(mail?.dkim?.key.reveal().split('\n') ?? []).filter((line) => !line.startsWith('-----')),
    ...(webhook.secret ? [webhook.secret.reveal().replace(/^whsec_/u, '')] : []),
    ...passwordsIn(mail?.smtpUrl),
  ];
  return [...new Set([...whole, ...parts])]
    .filter((one) => one.length >= SHORTEST)
    .sort((a, b) => b.length - a.length);
}
