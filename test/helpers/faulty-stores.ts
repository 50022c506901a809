// Stores that fail on demand: calls go to the real ones, unless a fault is set for them.
import type { OpenLedger, Stores } from '../../src/ports/stores.js';

/** The same stores; `faultOf` gets names such as `ledgers.write` and returns the error of the call. */
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
          // A ledger is changed through the result of its `open`.
          return prefix === 'ledgers.' && name === 'open' ? result.then(guardCommit) : result;
        };
      },
    });
  function guardCommit(opened: OpenLedger): OpenLedger {
    return {
      ...opened,
      async commit(...change) {
        const fault = faultOf('ledgers.commit');
        if (fault) throw fault;
        return opened.commit(...change);
      },
    };
  }
  return guard(stores, '');
}
