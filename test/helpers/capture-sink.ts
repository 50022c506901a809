// A sink that keeps what it gets and fails as scripted. Like a recipient with message ids, it treats a message that
// is repeated under the same id as the one it has.
import { defined } from '../../src/domain/defined.js';
import { DeliveryError, UserError } from '../../src/domain/errors.js';
import type { Delivery, Sink } from '../../src/ports/sink.js';

/** How a call ends. lost: the message arrived, but the answer is lost. */
type CallEnds = 'well' | 'lost' | Error;

export interface CaptureSink extends Sink {
  /** Every call, oldest first. */
  readonly calls: Delivery[];
  /** Messages that the recipient has, each once. */
  readonly messages: Delivery[];
  /** Titles of postings that are refused in any message. */
  readonly poison: Set<string>;
  /** The outcomes of the next calls for a target, in order. */
  script(target: string, ...ends: readonly CallEnds[]): void;
  /** Makes calls for a target wait until the returned function is called. */
  hold(target: string): () => void;
  /** Ids of the postings that a target (or every one) got, in order; a posting that came in two messages appears twice. */
  got(target?: string): string[];
}

/** How a call ends that the recipient did not answer. `retryAfterMs`: when it asks to be tried again. */
export function outage(retryAfterMs?: number): DeliveryError {
  return new DeliveryError('outage', 'the recipient does not answer', defined({ retryAfterMs }));
}

/** `size`: postings per message; all in one when left out. */
export function createCaptureSink(name = 'capture', size = Number.POSITIVE_INFINITY): CaptureSink {
  const calls: Delivery[] = [];
  const messages: Delivery[] = [];
  const poison = new Set<string>();
  const scripts = new Map<string, CallEnds[]>();
  const holds = new Map<string, Promise<void>>();
  return {
    name,
    calls,
    messages,
    poison,
    parseTarget(target) {
      if (typeof target === 'string' && target !== '') return target;
      throw new UserError('target: wanted a name.', 2);
    },
    isShared: (target) => target.startsWith('channel:'),
    isPrivate: (target) => target.startsWith('dm:'),
    pack(postings) {
      if (size === Number.POSITIVE_INFINITY) return [postings];
      const parts = Math.ceil(postings.length / size);
      return Array.from({ length: parts }, (_, n) => postings.slice(n * size, (n + 1) * size));
    },
    async deliver(delivery, target, context) {
      calls.push(delivery);
      await (holds.get(target) && Promise.race([holds.get(target), aborted(context.signal)]));
      const ends = scripts.get(target)?.shift() ?? 'well';
      if (ends instanceof Error) throw ends;
      if (delivery.postings.some(({ title }) => title !== undefined && poison.has(title)))
        throw new DeliveryError('content', 'this message is not acceptable');
      const { edition, part } = delivery;
      if (!messages.some((one) => one.edition === edition && one.part === part)) messages.push(delivery);
      if (ends === 'lost') throw new DeliveryError('outage', 'the connection broke');
    },
    script: (target, ...ends) => void scripts.set(target, [...(scripts.get(target) ?? []), ...ends]),
    hold(target) {
      let release = () => {};
      holds.set(
        target,
        new Promise<void>((resolve) => {
          release = resolve;
        }),
      );
      return () => {
        holds.delete(target);
        release();
      };
    },
    got: (target) =>
      messages
        .filter((one) => target === undefined || one.destination.target === target)
        .flatMap((one) => one.postings.map(({ key }) => key.replace(/^\w+:/u, ''))),
  };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
  });
}
