// `jobcrier run`: runs the service until it is stopped.
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { type App, createApp } from '../app.js';
import type { Config } from '../config.js';
import { StoreError, UserError } from '../domain/errors.js';
import type { CheckResult } from '../domain/finding.js';
import type { Role } from '../domain/role.js';
import type { Log } from '../ports/system.js';
import type { Command, CommandContext } from './context.js';
import { type Sound, soundConfig } from './sound-config.js';

export interface RunOptions {
  readonly role: Role;
  readonly stay?: boolean;
}

/** How V8 collects garbage in the service. */
const V8_FLAGS = [
  // How much the heap grows between two full collections, in percent. What a poll allocates becomes garbage immediately. With
  // V8's own choice a third of the time goes into full collections; an idle service needs no more memory with this value.
  '--heap-growing-percent=250',
  // By default, V8 creates objects directly in the old generation where earlier ones lived long. Those that a poll leaves
  // there keep what they refer to alive until the next full collection, and twice as much moved to the old generation.
  '--no-allocation-site-pretenuring',
  // A collection of the new generation takes a few milliseconds. Sharing it among threads makes it shorter, but takes more
  // CPU in all than one thread needs.
  '--no-parallel-scavenge',
];

/** A database with several hosts may take this long to make another one its primary. */
const FAILOVER_MS = 30_000;
const START_AGAIN_MS = 1_000;

/** Resolves with 0 after a clean stop, with 1 when the service could not continue. */
export const runCommand: Command<RunOptions> = async ({ role, stay = false }, context) => {
  for (const flag of V8_FLAGS) setFlagsFromString(flag);
  const isTerminal = context.io.stdin.isTTY && context.io.stdout.isTTY;
  if (role === 'all' && !stay && isTerminal) {
    const { isFirstStart, serveSetup } = await import('./setup.js');
    if ((await isFirstStart(context)) && !(await serveSetup(context))) return 0;
  }
  try {
    return await serveOnceThere(role, context);
  } catch (error) {
    if (!stay || !(error instanceof UserError) || error.exitCode !== 2) throw error;
    // With --stay it waits: after a restart it would end with the same faults again.
    context.io.say(error.message);
    context.io.say('Nothing runs. Correct the settings, then restart or re-create the container.');
    await untilStopped(context.signal);
    throw new UserError('stopped without having run', 2);
  }
};

/** Keeps the process alive until the signal aborts. */
function untilStopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const alive = setInterval(() => undefined, 60_000);
    const done = () => {
      clearInterval(alive);
      resolve();
    };
    if (signal.aborted) done();
    else signal.addEventListener('abort', done, { once: true });
  });
}

/** Serves. One of several processes repeats its start while their store is failing over. */
async function serveOnceThere(role: Role, context: CommandContext): Promise<0 | 1> {
  const { signal } = context;
  const log = (config: Config) => context.log('stdout', config.logLevel, config);
  // Counted from the first failure: a control may have waited for days before it starts.
  let latest = Number.POSITIVE_INFINITY;
  for (;;) {
    const sound = await soundConfig(context, { command: 'run', role, log });
    try {
      return await serve(sound, context);
    } catch (error) {
      const isAway =
        error instanceof StoreError && (error.fault === 'unavailable' || error.fault === 'unsure');
      latest = Math.min(latest, performance.now() + FAILOVER_MS);
      if (!isAway || sound.config.queueUrl === undefined || performance.now() >= latest) throw error;
      sound.log.warn({ reason: error.message }, 'store is not available, the start is repeated');
      await sleep(START_AGAIN_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return 0;
    }
  }
}

/** Starts the service and waits until the signal aborts or the service can't continue. */
async function serve({ config, log, sinks, figures }: Sound, context: CommandContext): Promise<0 | 1> {
  const { io, signal, version } = context;
  const { stdout } = io;
  const deps = { log, sinks, figures, stdout, version, signal, checks: checksOnDemand(context) };
  const app = await createApp(config, deps).catch((error: unknown) => {
    if (signal.aborted && error === signal.reason) return undefined;
    throw error;
  });
  if (!app) {
    log.info({ code: 0 }, 'stopped');
    return 0;
  }
  let code: 0 | 1 = 0;
  try {
    if (signal.aborted) return 0;
    await app.start();
    const broken = await Promise.race([untilStopped(signal), app.broken]);
    if (typeof broken === 'string') {
      log.error({ reason: broken }, 'service cannot continue');
      code = 1;
    } else log.info({}, 'stopping');
  } catch (error) {
    if (error instanceof UserError) log.error({ reason: error.message }, 'start failed');
    throw error;
  } finally {
    await stopInTime(app, config, log);
  }
  log.info({ code }, 'stopped');
  return code;
}

/** Loads the checks when the operator's page asks for them. */
function checksOnDemand(context: CommandContext): (locale: string) => Promise<readonly CheckResult[]> {
  let checks: Promise<(locale: string) => Promise<readonly CheckResult[]>> | undefined;
  return async (locale) => {
    checks ??= import('./doctor/doctor.js').then(({ serviceChecks }) => serviceChecks(context));
    return (await checks)(locale);
  };
}

/** Time for a stop, besides the wait for running work. */
const STOP_GRACE_MS = 2_000;

/**
 * Stops the app within a time limit. Each part has its own limit, but with a locked or unreachable store several of them
 * may use it up, and systemd or Docker would then kill the process. What matters is stored by now, so nothing is lost.
 */
async function stopInTime(app: App, config: Config, log: Log): Promise<void> {
  const stopped = app.stop().then(() => true);
  const late = sleep(config.limits.drainSeconds * 1000 + STOP_GRACE_MS, false, { ref: false });
  if (!(await Promise.race([stopped, late]))) log.warn({}, 'some parts did not stop in time');
}
