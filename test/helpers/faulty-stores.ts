// Stores that fail on demand: what is asked of them goes to the real ones, unless a fault is set for it.
import type { Stores } from '../../src/ports/stores.js';

/** The same stores; `faultOf` gets names such as `ledgers.write` and gives what the call fails with. */
export function withFaults(stores: Stores, faultOf: (name: string) => Error | undefined): Stores {
  const guard = <T extends object>(target: T, prefix: string): T =>
    new Proxy(target, {
      get(inner, name) {
        const value: unknown = Reflect.get(inner, name);
        if (typeof value === 'object' && value !== null) return guard(value, `${prefix}${String(name)}.`);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          const fault = faultOf(`${prefix}${String(name)}`);
          if (fault) return Promise.reject(fault);
          const result = value.apply(inner, args);
          // A ledger is changed by what its opening gives.
          return prefix === 'ledgers.' && name === 'open'
            ? result.then((opened: object) => guard(opened, prefix))
            : result;
        };
      },
    });
  return guard(stores, '');
}
