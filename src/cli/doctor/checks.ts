// All checks in the order of the output: settings, machine, store, templates, then the services it connects to.
import { BUILT_IN } from '../../sinks/index.js';
import { sinkSettings } from '../../wiring/sinks.js';
import type { Check, CheckEnv } from './check.js';
import { jobsApiCheck } from './jobs-api.js';
import { backupsCheck, clockCheck, diskCheck, fileSystemCheck, versionsCheck } from './machine.js';
import { publicUrlCheck } from './public-url.js';
import { settingsCheck, subscriptionsFileCheck, templatesCheck } from './settings.js';
import { postgresCheck, queueCheck, storeCheck } from './store.js';

export async function allChecks(): Promise<readonly Check[]> {
  return [
    versionsCheck,
    settingsCheck,
    subscriptionsFileCheck,
    clockCheck,
    diskCheck,
    fileSystemCheck,
    storeCheck,
    postgresCheck,
    queueCheck,
    backupsCheck,
    templatesCheck,
    jobsApiCheck,
    ...(await sinkChecks()),
    publicUrlCheck,
  ];
}

async function sinkChecks(): Promise<readonly Check[]> {
  const sinks = await Promise.all(
    Object.entries(BUILT_IN).map(async ([sink, { checks }]) => ({ sink, checks: (await checks?.()) ?? [] })),
  );
  return sinks.flatMap(({ sink, checks }) =>
    checks.map(({ name, run }) => ({
      name,
      run: (env, signal) =>
        run(
          sinkSettings(env.config),
          { log: env.log, words: env.words, targets: () => targetsOf(env, sink) },
          signal,
        ),
    })),
  );
}

async function targetsOf(env: CheckEnv, sink: string): Promise<ReadonlyMap<string, string>> {
  const targets = new Map<string, string>();
  const stores = await env.stores();
  if (!stores) return targets;
  for await (const { id, destinations } of stores.subscriptions.list())
    for (const one of destinations)
      if (one.sink === sink && !targets.has(one.target)) targets.set(one.target, id);
  return targets;
}
