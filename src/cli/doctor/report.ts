// The file for a bug report: everything that helps, nothing that names a person, a place or a secret.
import { homedir } from 'node:os';
import type { Config } from '../../config.js';
import type { Secret } from '../../domain/secret.js';
import { scrubbed } from '../../log.js';
import type { Finding } from './check.js';

export interface Result extends Finding {
  readonly check: string;
}

function secretsOf(config: Config): string[] {
  const { jobsApi, secretKey, discord, mail, adminToken, webhook, bounceSecret } = config;
  const all: readonly (Secret | undefined)[] = [
    jobsApi.token,
    secretKey,
    discord.token,
    mail?.smtpUrl,
    mail?.dkim?.key,
    adminToken,
    webhook.secret,
    bounceSecret,
  ];
  return all.flatMap((one) => (one ? [one.reveal()] : []));
}

function hostsOf(config: Config): string[] {
  const addresses = [
    config.jobsApi.url,
    config.publicUrl,
    config.queueUrl,
    config.mail?.smtpUrl.reveal(),
    config.store.url.startsWith('sqlite:') ? undefined : config.store.url,
  ];
  const domains = [config.mail?.from.split('@')[1]?.replace(/>$/u, ''), config.mail?.dkim?.domain];
  return [
    ...addresses.flatMap((one) => (one ? [new URL(one).hostname] : [])),
    ...domains.filter((one) => !!one),
  ]
    .filter((host): host is string => !!host && host !== 'localhost' && !host.startsWith('127.'))
    .sort((a, b) => b.length - a.length);
}

/** Takes out secrets, mail addresses, host names, ids of Discord and the home folder. */
function redactor(config: Config): (text: string) => string {
  const secrets = secretsOf(config);
  const hosts = hostsOf(config);
  return (text) => {
    const bare = secrets.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), scrubbed(text));
    return hosts
      .reduce((rest, host) => rest.replaceAll(host, '[host]'), bare)
      .replace(/\d{17,20}/gu, '[id]')
      .replaceAll(homedir(), '~');
  };
}

/** The report as JSON text. Of the settings it says which are given and where, not what they hold. */
export function renderReport(
  config: Config,
  results: readonly Result[],
  version: string,
  now: number,
): string {
  const clean = redactor(config);
  const report = {
    jobcrier: version,
    at: new Date(now).toISOString(),
    settings: config.shown.map(({ name, value, from }) => ({
      name,
      given: value !== undefined,
      from: clean(from),
    })),
    findings: results.map(({ check, state, says, mend }) => ({
      check,
      state,
      says: clean(says),
      ...(mend ? { mend: clean(mend) } : {}),
    })),
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}
