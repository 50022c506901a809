// The minimum for comparison: GETs by undici into a buffer, as many in parallel as the service makes. `{ url, count
// }` starts them and the answer is the CPU milliseconds of one.
import { Agent, request } from 'undici';

const AT_ONCE = 64;
const dispatcher = new Agent({ connections: AT_ONCE });

process.on('message', async ({ url, count }) => {
  const before = process.cpuUsage();
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < count) {
        const { body } = await request(`${url}/api/v1.xml?token=bench-token-${next++}&limit=20`, {
          dispatcher,
        });
        await body.arrayBuffer();
      }
    }),
  );
  const { user, system } = process.cpuUsage(before);
  process.send({ cpuMs: (user + system) / 1000 / count });
});
