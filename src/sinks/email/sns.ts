// Amazon SNS sends reports only to an address that has shown that it wants them, by visiting a link of Amazon's. The
// relay report reader has made sure that it is Amazon's; the post itself has shown the shared secret.
import { reasonOf } from '../../domain/errors.js';
import type { Log } from '../../ports/system.js';

/** A page waits 20 seconds at most for its answer. */
const LONGEST_MS = 10_000;

/** Visits the link once, without following it anywhere else. What the answer holds is not read. */
export async function confirmSnsSubscription(
  url: URL,
  log: Log,
): Promise<{ readonly taken: number; readonly refused?: string }> {
  try {
    const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(LONGEST_MS) });
    await answer.body?.cancel();
    if (!answer.ok) throw new Error(`answer ${answer.status}`);
    log.info({ host: url.hostname }, 'subscription to bounces of Amazon SNS confirmed');
    return { taken: 1 };
  } catch (error) {
    log.warn({ host: url.hostname, reason: reasonOf(error) }, 'Amazon SNS subscription not confirmed');
    return {
      taken: 0,
      refused: 'Amazon SNS: SubscribeURL could not be visited; create the subscription again to get another.',
    };
  }
}
