// `jobcrier poll`: runs one cycle. It takes the store's lease, so it refuses to run while a service holds the lease.

import { createApp } from '../app.js';
import { defined } from '../domain/defined.js';
import type { CycleLine } from '../pipeline/cycle.js';
import type { Command } from './context.js';
import type { Io } from './io.js';
import { soundConfig } from './sound-config.js';

export interface PollOptions {
  readonly subscription?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const TROUBLE = new Set(['failed', 'partial', 'rejected', 'throttled', 'no-token']);

/** Resolves with exit code 1 when a subscription could not be polled, or not in full, else with 0. */
export const pollCommand: Command<PollOptions> = async ({ subscription, dryRun, json }, context) => {
  const { config, ...made } = await soundConfig(context, {
    command: 'poll',
    // Without info lines in a dry run: they would report changes that did not happen.
    log: (config) =>
      context.log('stderr', dryRun && config.logLevel === 'info' ? 'warn' : config.logLevel, config),
  });
  const { io, signal } = context;
  // The console sink writes editions to standard output; the outcome goes there too, but only as JSON.
  // One cycle runs in this process alone, so it needs no queue, but the store for itself.
  const { queueUrl: _queue, ...alone } = config;
  const app = await createApp(alone, {
    log: made.log,
    sinks: made.sinks,
    figures: made.figures,
    stdout: io.stdout,
    ...defined({ dryRun: dryRun || undefined }),
  });
  const spinner = io.spinner('Polling');
  try {
    const lines = await app.cycle({
      signal,
      ...defined({ subscription, dryRun: dryRun || undefined }),
    });
    spinner.success(`Polled ${lines.length}`);
    if (json) io.json({ polled: lines });
    else if (lines.length === 0)
      io.say('There is no subscription yet; "jobcrier subscriptions add" makes one.');
    else for (const line of lines) tell(io, line, dryRun === true);
    return lines.some((line) => TROUBLE.has(line.outcome)) ? 1 : 0;
  } catch (error) {
    spinner.error('Polling failed');
    throw error;
  } finally {
    await app.stop();
  }
};

function tell(io: Io, line: CycleLine, dryRun: boolean): void {
  const { subscription, outcome, new: news = 0, matched, why } = line;
  const counts =
    matched === undefined ? '' : `, ${matched} matching, ${news} ${dryRun ? 'would be sent' : 'new'}`;
  io.say(`${subscription}: ${outcome}${counts}${why ? ` (${why})` : ''}`);
}
