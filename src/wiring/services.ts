// The settings of the services, which the service and `jobcrier mcp` share.
import { randomBytes } from 'node:crypto';
import type { Config } from '../config.js';
import type { ServiceSettings } from '../services/subscriptions.js';

export function serviceSettings(config: Config): ServiceSettings {
  const { subscriptionsPerAccount, subscriptionsPerServer } = config.limits;
  return {
    agentUrl: config.publicUrl && `${config.publicUrl.replace(/\/$/u, '')}/mcp`,
    liveSchedule: config.liveSchedule,
    subscriptionsPerAccount,
    subscriptionsPerServer,
    interactiveMs: config.jobsApi.interactiveTimeoutMs,
    newId: () => randomBytes(5).toString('hex'),
    newSecret: () => randomBytes(32).toString('base64url'),
  };
}
