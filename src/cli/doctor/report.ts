// The file for a bug report: the findings without secrets, mail addresses, host names and ids.

import { homedir } from 'node:os';
import { secretsOf } from '../../config/secrets.js';
import type { Config } from '../../config.js';
import { defined } from '../../domain/defined.js';
import { withoutDiscordIds } from '../../domain/discord-id.js';
import type { CheckResult } from '../../domain/finding.js';
import { scrubbed } from '../../log.js';
import { readPostgresUrl } from '../../store/postgres/url.js';

function hostsOf(config: Config): string[] {
  const { jobsApi, publicUrl, queueUrl, mail, store } = config;
  const addresses = [jobsApi.url, publicUrl, queueUrl, mail?.smtpUrl.reveal()];
  const database = store.url.startsWith('sqlite:') ? undefined : readPostgresUrl(store.url);
  return [
    ...addresses.flatMap((address) => (address ? new URL(address).hostname : [])),
    ...(database && 'address' in database ? database.address.hosts.map(({ host }) => host) : []),
    mail?.from.split('@')[1]?.replace(/>$/u, ''),
    mail?.dkim?.domain,
  ]
    .filter((host): host is string => !!host && host !== 'localhost' && !host.startsWith('127.'))
    .sort((a, b) => b.length - a.length);
}

/** Undefined when there is none: in containers it is `/`, or the user has none, for which Node throws. */
function homeFolder(): string | undefined {
  try {
    const home = homedir();
    return home.length > 1 ? home : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a function that removes secrets, mail addresses, host names, Discord ids and the home folder from a text. */
function redactor(config: Config): (text: string) => string {
  const secrets = secretsOf(config);
  const hosts = hostsOf(config);
  const home = homeFolder();
  return (text) => {
    const named = hosts.reduce((rest, host) => rest.replaceAll(host, '[host]'), scrubbed(text, secrets));
    const clean = withoutDiscordIds(named, '[id]');
    return home ? clean.replaceAll(home, '~') : clean;
  };
}

/** The report as JSON text. For each setting it says whether it is given and where, not its value. */
export function renderReport(
  config: Config,
  results: readonly CheckResult[],
  version: string,
  now: number,
): string {
  const clean = redactor(config);
  const report = {
    jobcrier: version,
    at: new Date(now).toISOString(),
    settings: config.shown.map(({ name, value, from }) => ({
      name,
      given: value !== undefined && from !== 'default',
      from: clean(from),
    })),
    findings: results.map(({ check, state, says, fix }) => ({
      check,
      state,
      says: clean(says),
      ...defined({ fix: fix ? clean(fix) : undefined }),
    })),
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}
