// Checks the clock of this machine, and whether it knows the time zones of the schedules.
import { request } from 'undici';
import { isTimezone } from '../../domain/schedule.js';
import { type Check, type CheckEnv, type Finding, fail, off, ok, warn } from './check.js';

/** Largest difference without a warning: digests go out at a given minute; webhook signatures allow five minutes. */
const SKEW_SECONDS = 60;

/** Whether Node has time zone data. Berlin has summer time; a build without zone data gives one offset all year. */
function knowsZones(): boolean {
  const hourIn = (month: number) =>
    new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin', hour: 'numeric', hourCycle: 'h23' }).format(
      Date.UTC(2024, month, 15, 12),
    );
  return isTimezone('Asia/Kolkata') && hourIn(0) !== hourIn(6);
}

/** Seconds that this clock is ahead of the jobs API's; undefined when the API gives no time. No token is sent. */
async function skew({ config, context }: CheckEnv, signal: AbortSignal): Promise<number | undefined> {
  try {
    const { headers, body } = await request(config.jobsApi.url as string, { method: 'HEAD', signal });
    await body.dump();
    const theirs = Date.parse(String(headers.date ?? ''));
    return Number.isNaN(theirs) ? undefined : Math.round((context.clock.now() - theirs) / 1000);
  } catch {
    return undefined;
  }
}

async function unknownZones(env: CheckEnv): Promise<Finding[]> {
  const stores = await env.stores();
  if (!stores) return [];
  const zones = new Map<string, string>();
  for await (const { id, schedule } of stores.subscriptions.list()) zones.set(schedule.timezone, id);
  return [...zones]
    .filter(([zone]) => !isTimezone(zone))
    .map(([zone, id]) =>
      fail(
        `subscription ${id}: this machine does not know the zone ${zone}`,
        'use a newer Node, or another zone',
      ),
    );
}

export const clockCheck: Check = {
  name: 'clock',
  async run(env, signal) {
    const findings = await unknownZones(env);
    if (!knowsZones())
      findings.push(
        fail('Node has no time zone data', 'use a build of Node with full ICU (the official ones)'),
      );
    const ahead = env.config.jobsApi.url ? await skew(env, signal) : undefined;
    if (ahead === undefined)
      return [...findings, off('zones are known; the jobs API gave no time to compare with')];
    if (Math.abs(ahead) > SKEW_SECONDS)
      findings.push(
        warn(
          `the clock is ${Math.abs(ahead)} s ${ahead > 0 ? 'ahead of' : 'behind'} the jobs API's`,
          'switch on time synchronisation (timedatectl set-ntp true)',
        ),
      );
    return findings.length > 0 ? findings : [ok('agrees with the jobs API, zones are known')];
  },
};
