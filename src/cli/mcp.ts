// `jobcrier mcp`: an MCP server on standard input and output, for one account. It works beside a running service: it
// follows the store, takes no lease, and leaves polls and deliveries to the service.
import { setTimeout as sleep } from 'node:timers/promises';
import { ACCOUNT } from '../domain/account.js';
import { read } from '../domain/input.js';
import { createScheduler, type Scheduler } from '../pipeline/scheduler.js';
import type { Services } from '../ports/services.js';
import { describeFilter } from '../render/describe.js';
import { createServices } from '../services/index.js';
import { createPipeline } from '../wiring/pipeline.js';
import { serviceSettings } from '../wiring/services.js';
import { NO_METRICS } from '../wiring/store.js';
import type { Command } from './context.js';
import { noStoreYet, withSinks, withStores } from './session.js';

export interface McpOptions {
  readonly account: string;
  readonly write?: boolean;
}

export const mcpCommand: Command<McpOptions> = async ({ account: given, write = false }, context) => {
  const account = read(ACCOUNT, given, '--account');
  const { io, signal, clock, version } = context;
  // Only the service may record a poll. It polls a new or resumed subscription soon after the change.
  const pollNow: Scheduler['pollNow'] = async () => ({ outcome: 'unchanged' });
  await withStores(context, write ? 'create' : 'change', (session) =>
    withSinks(session, context, async (sinks) => {
      const { config, stores, log } = session;
      const absent = noStoreYet(stores);
      if (absent) io.say(absent);
      const p = createPipeline(config, { stores, sinks, messengers: [], log, clock, metrics: NO_METRICS });
      try {
        const scheduler = createScheduler(
          p,
          () => undefined,
          (ms) => sleep(ms),
        );
        const made = createServices(
          p,
          { ...scheduler, pollNow },
          { ...serviceSettings(config), stopping: signal },
          describeFilter,
        );
        // How many postings match is known once the service has polled.
        const subscribe: Services['subscribe'] = async (caller, draft) => ({
          report: (await made.subscribe(caller, draft)).report,
        });
        const services = { ...made, subscribe };
        const { serveStdio } = await import('../web/agents/stdio.js');
        const { sourceName: source } = config;
        await serveStdio(io, signal, { account, write }, { services, source, clock, log, version });
      } finally {
        await p.engine.drain(2_000);
        await p.feed.close();
      }
    }),
  );
};
