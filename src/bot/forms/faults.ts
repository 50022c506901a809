// Collects the faults in a user's input, so that one reply reports all of them.
import { UserError } from '../../domain/errors.js';
import type { Texts } from '../../render/texts.js';

/** A fault in a user's input. `fields`: names of the options with the fault, so that a form can ask for them. */
export class FormError extends UserError {
  readonly fields: readonly string[];
  constructor(message: string, fields: readonly string[]) {
    super(message);
    this.fields = fields;
  }
}

export interface Faults {
  /** Runs a reader. A UserError is added to the list, and the result is undefined. */
  collect<T>(read: () => T): T | undefined;
  /** The same for a promise. */
  collectFrom<T>(reading: Promise<T>): Promise<T | undefined>;
  /** Throws one FormError with all collected faults. Does nothing when there are none. */
  settle(): void;
}

export function createFaults(): Faults {
  const list: string[] = [];
  const fields = new Set<string>();
  function take(error: unknown): undefined {
    if (!(error instanceof UserError)) throw error;
    list.push(...error.message.split('\n'));
    if (error instanceof FormError) for (const field of error.fields) fields.add(field);
  }
  return {
    collect(read) {
      try {
        return read();
      } catch (error) {
        return take(error);
      }
    },
    collectFrom: (reading) => reading.catch(take),
    settle() {
      if (list.length > 0) throw new FormError([...new Set(list)].join('\n'), [...fields]);
    },
  };
}

// The text of a fault that a user can fix, in that user's language.

/** A named fault of the services is translated. The bot's own faults are already in the reader's language. */
export function faultWords({ fault, message }: UserError, texts: Texts): string {
  if (!fault) return message;
  const words = texts.bot.fault[fault.name];
  return typeof words === 'string' ? words : words({ count: fault.count ?? 0 });
}
