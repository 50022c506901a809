// Checks whether the jobs API answers, and whether it accepts each account's token.
import { FeedError } from '../../domain/errors.js';
import { type Finding, fail, off, ok, warn } from '../../domain/finding.js';
import { fingerprint, type Secret } from '../../domain/secret.js';
import { OPERATOR } from '../../domain/subscription.js';
import { createFeedClient } from '../../sources/jobs-api/client.js';
import { NO_CACHE, NO_METRICS } from '../../wiring/store.js';
import type { Check, CheckEnv } from './check.js';

/** Most accounts that one run tries: all accounts of a large service would be a burst of requests. */
const MOST = 10;

async function tokensOf(env: CheckEnv): Promise<{ account: string; token: Secret | undefined }[]> {
  const own = env.config.jobsApi.token;
  const found: { account: string; token: Secret | undefined }[] = own
    ? [{ account: OPERATOR, token: own }]
    : [];
  const stores = await env.stores();
  if (!stores) return found;
  for await (const { id, hasToken } of stores.accounts.list())
    if (hasToken && !(own && id === OPERATOR)) found.push({ account: id, token: undefined });
  return found;
}

function verdict(account: string, error: unknown): Finding {
  if (!(error instanceof FeedError)) throw error;
  if (error.fault === 'rejected')
    return fail(
      `account ${account}: the jobs API does not accept the token (${error.message})`,
      account === OPERATOR
        ? 'renew it on the token page, then set JOBS_API_TOKEN or: jobcrier token set --account operator'
        : `its owner renews it with /token set, or you: jobcrier token set --account ${account}`,
    );
  if (error.fault === 'throttled')
    return warn(
      `account ${account}: the jobs API asks for a pause`,
      'raise API_SPACING_MS or MIN_POLL_SECONDS',
    );
  return fail(
    `the jobs API gives no answer (${error.message})`,
    'check JOBS_API_URL, the network and the API itself',
  );
}

export const jobsApiCheck: Check = {
  name: 'jobsApi',
  async run(env, signal) {
    const { jobsApi } = env.config;
    if (!jobsApi.url) return [off('JOBS_API_URL is not set')];
    const accounts = await tokensOf(env);
    if (accounts.length === 0)
      return [
        warn(
          'no account has a token, so it was not checked',
          'set JOBS_API_TOKEN, or: jobcrier token set --account operator',
        ),
      ];
    const stores = await env.stores();
    const feed = createFeedClient({
      baseUrl: jobsApi.url,
      cache: NO_CACHE,
      spacingMs: jobsApi.spacingMs,
      cacheMs: 1,
      attemptTimeoutMs: jobsApi.attemptTimeoutMs,
      maxBytes: jobsApi.maxBytes,
      format: jobsApi.format,
      clock: env.context.clock,
      log: env.log,
      metrics: NO_METRICS,
    });
    const findings: Finding[] = [];
    try {
      for (const { account, token: own } of accounts.slice(0, MOST)) {
        const token = own ?? (await stores?.accounts.get(account))?.token;
        if (!token) continue;
        const rejection = await stores?.rejections.get(account);
        try {
          await feed.fetch({ account, token, query: { limit: 1 }, fresh: true, signal });
          findings.push(
            rejection?.fingerprint === fingerprint(token) && account !== OPERATOR
              ? warn(
                  `account ${account}: the token is accepted now, but was rejected before, so its subscriptions wait`,
                  `set it again: jobcrier token set --account ${account}`,
                )
              : ok(`account ${account}: accepted`),
          );
        } catch (error) {
          findings.push(verdict(account, error));
          // The API itself is unavailable, so other accounts would get the same answer.
          if (error instanceof FeedError && error.fault === 'unavailable') break;
        }
      }
    } finally {
      await feed.close();
    }
    if (accounts.length > MOST)
      findings.push(off(`${accounts.length - MOST} more accounts were not checked`));
    return findings;
  },
};
