// Loaded before the program (`--import`): tells the parent how late its event loop was since it was asked before.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How often it is looked, milliseconds; that long a wait is none. */
const EVERY_MS = 1;
const delay = monitorEventLoopDelay({ resolution: EVERY_MS });
delay.enable();
process.on('message', () => {
  const late = (ns) => ns / 1e6 - EVERY_MS;
  process.send({ p99: late(delay.percentile(99)), max: late(delay.max) });
  delay.reset();
});
process.channel.unref();
