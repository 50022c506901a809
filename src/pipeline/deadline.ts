// A time limit combined with a signal, without AbortSignal.any. That leaks memory at each call when a signal it is
// given outlives the result (nodejs/node#55351, #64476), and the signal that ends the service outlives everything:
// after a million deliveries the leak was more than a hundred megabytes.

export interface Deadline {
  readonly signal: AbortSignal;
  /** Stops the timer and removes the listener from the outer signal. Call it when the work is done. */
  release(): void;
}

/** Aborts when `outer` does, with its reason, and after `ms` milliseconds with a TimeoutError. */
export function deadlineWithin(outer: AbortSignal, ms: number): Deadline {
  const controller = new AbortController();
  const follow = () => controller.abort(outer.reason);
  const late = () => controller.abort(new DOMException('no answer in time', 'TimeoutError'));
  // Like the timers of AbortSignal.timeout: one that was not released must not keep the process alive.
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
