// Amazon SNS sends reports only to an endpoint that has confirmed the subscription by visiting Amazon's link. The
// reader of relay reports has checked that the link is Amazon's, and the request had the shared secret.
import { reasonOf } from '../../domain/errors.js';
import type { Log } from '../../ports/system.js';

/** Less than the 20 seconds that a page may take. */
const LONGEST_MS = 10_000;

/** Visits the link once, without following redirects or reading the answer's body. If it fails, `refused` says why. */
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
