// People are told everything that is wrong at once, not one thing per try.
import { UserError } from '../../domain/errors.js';

export interface Faults {
  readonly list: string[];
  /** Runs a reader; its UserError joins the list and the value is undefined. */
  collect<T>(read: () => T): T | undefined;
  /** The same for what is read elsewhere. */
  collectFrom<T>(reading: Promise<T>): Promise<T | undefined>;
  /** Throws one UserError with everything found, if anything was. */
  settle(): void;
}

export function createFaults(): Faults {
  const list: string[] = [];
  function take(error: unknown): undefined {
    if (!(error instanceof UserError)) throw error;
    list.push(...error.message.split('\n'));
  }
  return {
    list,
    collect(read) {
      try {
        return read();
      } catch (error) {
        return take(error);
      }
    },
    collectFrom: (reading) => reading.catch(take),
    settle() {
      if (list.length > 0) throw new UserError([...new Set(list)].join('\n'));
    },
  };
}
