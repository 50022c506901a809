// Checks whether Redis answers and is set up to lose no job.
import { reasonOf } from '../../domain/errors.js';
import { inspectRedis } from '../../engine/redis.js';
import { type Check, fail, off, ok } from './check.js';

export const queueCheck: Check = {
  name: 'queue',
  async run({ config: { queueUrl } }) {
    if (!queueUrl) return [off('QUEUE_URL is not set: one process does everything')];
    let report: Awaited<ReturnType<typeof inspectRedis>>;
    try {
      report = await inspectRedis(queueUrl);
    } catch (error) {
      return [fail(reasonOf(error), 'see QUEUE_URL, and whether Redis runs and lets this machine in')];
    }
    const { server, faults } = report;
    return faults.length > 0 ? faults.map(({ says, fix }) => fail(says, fix)) : [ok(server)];
  },
};
