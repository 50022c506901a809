// `jobcrier doctor`: runs all checks at the same time and reports them in order. A time limit ends checks that hang.
import { writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import colors from 'picocolors';
import { loadConfig } from '../../config.js';
import { reasonOf, StoreError, UserError } from '../../domain/errors.js';
import { withFileFaults } from '../../domain/file-fault.js';
import { type CheckResult, codeOf, type Finding, fail, type State } from '../../domain/finding.js';
import { scrubbed } from '../../log.js';
import { textsFor } from '../../render/texts.js';
import type { OpenStores } from '../../store/index.js';
import { openStore } from '../../wiring/store.js';
import type { CommandContext } from '../context.js';
import { printable } from '../io.js';
import type { Check, CheckEnv } from './check.js';
import { allChecks } from './checks.js';
import { jobsApiCheck } from './jobs-api.js';
import { renderReport } from './report.js';
import { storeAbsent } from './store.js';

export interface DoctorOptions {
  readonly report?: string;
  readonly json?: boolean;
}

/** The time limit of one check. All checks run at the same time, so it also limits the whole run. */
const LIMIT_MS = 20_000;

const MARKS: Readonly<Record<State, string>> = {
  ok: colors.green('ok  '),
  warn: colors.yellow('warn'),
  fail: colors.red('FAIL'),
  off: colors.dim('off '),
};

/** The findings of a check. A check that hangs or throws gives a finding that says so. */
async function findingsOf(check: Check, env: CheckEnv): Promise<readonly Finding[]> {
  const limit = new AbortController();
  const timer = new AbortController();
  const { any } = env.words;
  const late = wait(LIMIT_MS, undefined, { signal: timer.signal })
    .then(() => {
      limit.abort();
      return [fail(any.late({ seconds: LIMIT_MS / 1000 }), any.lateFix)];
    })
    // Cancelled: the check ended in time.
    .catch(() => []);
  try {
    return await Promise.race([check.run(env, limit.signal), late]);
  } catch (error) {
    const says = isForPeople(error) ? reasonOf(error) : any.failed({ code: codeOf(error) });
    return [fail(scrubbed(says), any.failedFix)];
  } finally {
    timer.abort();
  }
}

function isForPeople(error: unknown): boolean {
  return error instanceof UserError || error instanceof StoreError;
}

function createEnv(context: CommandContext, locale: string): CheckEnv & { close(): Promise<void> } {
  const { env, cwd, programDir } = context;
  const config = loadConfig({ env, cwd, programDir, tolerant: true });
  const log = context.log('stderr', 'silent');
  const { doctor: words } = textsFor(locale);
  let opened: Promise<OpenStores | undefined> | undefined;
  const open = async () =>
    (await storeAbsent(config, words))
      ? undefined
      : (await openStore(config, log, context.clock, 'look')).stores;
  return {
    config,
    context,
    log,
    words,
    // Undefined on failure, which only the store's own check reports.
    stores: () => {
      opened ??= open();
      return opened.catch(() => undefined);
    },
    async storeTrouble() {
      opened ??= open();
      return opened.then(
        () => undefined,
        (error: unknown) => (isForPeople(error) ? reasonOf(error) : codeOf(error)),
      );
    },
    async close() {
      const stores = await opened?.catch(() => undefined);
      await stores?.close();
    },
  };
}

/** Runs checks at the same time. The results are in the order of the checks. */
async function resultsOf(checks: readonly Check[], env: CheckEnv): Promise<readonly CheckResult[]> {
  const running = checks.map(async (check) => {
    const findings = await findingsOf(check, env);
    return findings.map((finding): CheckResult => ({ check: env.words.names[check.name], ...finding }));
  });
  return (await Promise.all(running)).flat();
}

const CLOSE_MS = 1000;

/**
 * The checks for the operator's page of the running service. Calls at the same time share one run for each language. The check of the jobs
 * API is left out, because its requests would come too close to those that the service makes with the same token.
 */
export function serviceChecks(context: CommandContext): (locale: string) => Promise<readonly CheckResult[]> {
  const running = new Map<string, Promise<readonly CheckResult[]>>();
  async function run(locale: string): Promise<readonly CheckResult[]> {
    const env = createEnv(context, locale);
    try {
      const checks = await allChecks();
      return await resultsOf(
        checks.filter((check) => check !== jobsApiCheck),
        env,
      );
    } finally {
      await Promise.race([env.close(), wait(CLOSE_MS)]);
    }
  }
  return (locale) => {
    const current = running.get(locale) ?? run(locale).finally(() => running.delete(locale));
    running.set(locale, current);
    return current;
  };
}

function tell(results: readonly CheckResult[], context: CommandContext): void {
  for (const { check, state, says, fix } of results) {
    context.io.print(`${MARKS[state]} ${check}: ${printable(says)}`);
    if (fix) context.io.print(`     → ${printable(fix)}`);
  }
}

/** Runs the checks, prints the findings, and writes the report. Resolves with 1 when a check fails, else with 0. */
export async function doctorCommand(options: DoctorOptions, context: CommandContext): Promise<0 | 1> {
  const env = createEnv(context, 'en');
  const spinner = context.io.spinner('Looking');
  const results = await resultsOf(await allChecks(), env);
  const failing = results.filter((one) => one.state === 'fail').length;
  const summary = failing === 0 ? 'No check fails.' : `${failing} to fix.`;
  spinner[failing === 0 ? 'success' : 'error'](summary);
  if (options.json) context.io.json({ ok: failing === 0, findings: results });
  else tell(results, context);
  if (options.report) {
    const text = renderReport(env.config, results, context.version, context.clock.now());
    const file = options.report;
    await withFileFaults('write', file, () => writeFile(file, text));
    context.io.say(`Wrote ${options.report}, without secrets, names and addresses.`);
  }
  await Promise.race([env.close(), wait(CLOSE_MS)]);
  return failing === 0 ? 0 : 1;
}
