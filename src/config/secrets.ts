// The secrets of the settings as texts, for the code that removes them from log lines and reports.
import type { Config } from '../config.js';

/** Least length of a secret: shorter ones would also match ordinary words. */
const SHORTEST = 8;

/** The password of an address, as it is written there and decoded as the server gets it. */
function passwordsIn(address: string | undefined): string[] {
  const [, password] = /^[a-z+]+:\/\/[^/?#]*?:([^/?#]*)@/iu.exec(address ?? '') ?? [];
  if (!password) return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

/** Returns the secrets, longest first, so that no part of one remains when it contains another. */
export function secretsOf(config: Config): readonly string[] {
  const { jobsApi, secretKey, discord, mail, adminToken, webhook, bounceSecret, store, queueUrl } = config;
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
    ...[mail?.smtpUrl.reveal(), store.url, queueUrl].flatMap(passwordsIn),
  ];
  return [...new Set([...whole, ...parts])]
    .filter((one) => one.length >= SHORTEST)
    .sort((a, b) => b.length - a.length);
}
