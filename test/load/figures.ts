// The size of a run, and its figures with their goals as one table. LOAD=short makes every run small enough for CI;
// the variable that a run names sets one number.
import { cpus, loadavg } from 'node:os';
import { expect } from 'vitest';

export const IS_SHORT = process.env.LOAD === 'short';

/** A number of a run: the variable `name`, or the value of the long or the short form. */
export function sized(name: string, { long, short }: { readonly long: number; readonly short: number }) {
  return Number(process.env[name] ?? (IS_SHORT ? short : long));
}

export interface Figure {
  readonly what: string;
  readonly is: number;
  readonly unit?: string;
  /** The goal. */
  readonly most?: number;
  readonly least?: number;
  /**
   * The run fails above this. For a promise (nothing lost, repeated, in the wrong order) it is the goal itself; memory has some
   * room; what depends on the speed of the machine has no such limit.
   */
  readonly failsAbove?: number;
}

/** Something that must not happen, and how often it did. */
export const never = (what: string, is: number): Figure => ({ what, is, most: 0, failsAbove: 0 });

const isReached = ({ is, most, least }: Figure) =>
  !Number.isNaN(is) && (most === undefined || is <= most) && (least === undefined || is >= least);

/** Prints figures with their goals and the machine they were measured on; fails when a promise is broken. */
export function judge(title: string, figures: readonly Figure[]): void {
  const [core] = cpus();
  console.log(
    `${title} (${IS_SHORT ? 'short' : 'long'} form, ${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} × ${core?.model ?? 'unknown'}, load ${loadavg()[0]?.toFixed(1)})`,
  );
  console.table(
    Object.fromEntries(
      figures.map((one) => {
        const goal =
          one.most !== undefined ? `≤ ${one.most}` : one.least !== undefined ? `≥ ${one.least}` : '';
        const measured = `${shown(one.is)}${one.unit ? ` ${one.unit}` : ''}`;
        return [one.what, { measured, goal, reached: goal && (isReached(one) ? 'yes' : 'NO') }];
      }),
    ),
  );
  // In this order, because what could not be measured is broken too.
  const broken = figures.filter(({ is, failsAbove }) => failsAbove !== undefined && !(is <= failsAbove));
  expect(broken).toEqual([]);
}

function shown(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return value.toFixed(Math.abs(value) < 10 ? 2 : 1);
}

/** The value that a share of all is not above; NaN for none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
