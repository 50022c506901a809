// A time limit beside a signal, made by hand. AbortSignal.any leaves something behind at each call when a signal it is
// given outlives the result (nodejs/node#55351, #64476), and the one that ends the service outlives everything: after
// a million deliveries that was more than a hundred megabytes.

export interface Deadline {
  readonly signal: AbortSignal;
  /** Lets go of the signal it was made from; to be called when the work is done. */
  release(): void;
}

/** Aborts when `outer` does, for its reason, and after `ms` milliseconds. */
export function deadlineWithin(outer: AbortSignal, ms: number): Deadline {
  const controller = new AbortController();
  const follow = () => controller.abort(outer.reason);
  const late = () => controller.abort(new DOMException('no answer in time', 'TimeoutError'));
  // As the timers of AbortSignal.timeout: one that is left must not keep a process alive.
  const timer = setTimeout(late, ms).unref();
  if (outer.aborted) follow();
  else outer.addEventListener('abort', follow);
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer);
      outer.removeEventListener('abort', follow);
    },
  };
}
