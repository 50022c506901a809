// People are told everything that is wrong at once, not one thing per try.
import { UserError } from '../../domain/errors.js';

export interface Faults {
  readonly list: string[];
  /** Runs a reader; its UserError joins the list and the value is undefined. */
  collect<T>(read: () => T): T | undefined;
  /** Throws one UserError with everything found, if anything was. */
  settle(): void;
}

export function createFaults(): Faults {
  const list: string[] = [];
  return {
    list,
    collect(read) {
      try {
        return read();
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        list.push(...error.message.split('\n'));
        return undefined;
      }
    },
    settle() {
      if (list.length > 0) throw new UserError([...new Set(list)].join('\n'));
    },
  };
}
