// People are told everything that is wrong at once, not one thing per try.
import { UserError } from '../../domain/errors.js';
import type { Texts } from '../../render/texts.js';

/** A fault in what was typed. `fields`: names of the options it is about, so that they can be asked for again. */
export class FormError extends UserError {
  readonly fields: readonly string[];
  constructor(message: string, fields: readonly string[]) {
    super(message);
    this.fields = fields;
  }
}

export interface Faults {
  add(fault: FormError): void;
  /** Runs a reader; its UserError joins the list and the value is undefined. */
  collect<T>(read: () => T): T | undefined;
  /** The same for what is read elsewhere. */
  collectFrom<T>(reading: Promise<T>): Promise<T | undefined>;
  /** Throws one FormError with everything found, if anything was. */
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
    add: take,
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

// A fault a person can do something about, in that person's language.

/** What the services refuse by name is said in the reader's language; our own faults are in it already. */
export function faultWords({ fault, message }: UserError, texts: Texts): string {
  if (!fault) return message;
  const words = texts.bot.fault[fault.name];
  return typeof words === 'string' ? words : words({ count: fault.count ?? 0 });
}
