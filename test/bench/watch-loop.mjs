// Loaded before the program (`--import`): reports to the parent how late its event loop was since the last question.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How often it is measured, milliseconds; a wait of this length is no delay. */
const EVERY_MS = 1;
const delay = monitorEventLoopDelay({ resolution: EVERY_MS });
delay.enable();
process.on('message', () => {
  const late = (ns) => ns / 1e6 - EVERY_MS;
  process.send({ p99: late(delay.percentile(99)), max: late(delay.max) });
  delay.reset();
});
process.channel.unref();
