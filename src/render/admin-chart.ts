// Bars for the days of a month, as numbers a template draws. The figures stand beside the drawing as a table, because
// a picture tells nothing to whoever can't see it.

/** One day's figure. */
export interface DayValue {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly value: number;
}

/** Sizes in the units of the view box. */
export interface Bars {
  readonly width: number;
  readonly height: number;
  readonly bars: readonly {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
    /** Said when it is pointed at. */
    readonly says: string;
  }[];
  /** The whole drawing in a sentence. */
  readonly says: string;
  readonly total: string;
  readonly from: string;
  readonly to: string;
  readonly most: string;
}

const WIDTH = 600;
const HEIGHT = 120;
const GAP = 4;

/** `23 Nov` */
export function dayLabel(day: string): string {
  const at = new Date(`${day}T00:00:00Z`);
  return `${at.getUTCDate()} ${at.toLocaleString('en', { month: 'short', timeZone: 'UTC' })}`;
}

/** A day with nothing has a bar of no height; one with anything can be seen. */
export function barsOf(days: readonly DayValue[]): Bars {
  const most = Math.max(0, ...days.map((one) => one.value));
  const step = WIDTH / Math.max(1, days.length);
  const total = days.reduce((sum, one) => sum + one.value, 0);
  const peak = days.find((one) => one.value === most);
  const bars = days.map(({ day, value }, index) => {
    const height = value === 0 ? 0 : Math.max(3, Math.round((value / most) * HEIGHT));
    return {
      x: Math.round(index * step + GAP / 2),
      y: HEIGHT - height,
      width: Math.max(1, Math.round(step - GAP)),
      height,
      says: `${dayLabel(day)}: ${value.toLocaleString('en')}`,
    };
  });
  const [first, last] = [days[0]?.day, days.at(-1)?.day];
  return {
    width: WIDTH,
    height: HEIGHT,
    bars,
    total: total.toLocaleString('en'),
    from: first ? dayLabel(first) : '',
    to: last ? dayLabel(last) : '',
    most: most.toLocaleString('en'),
    says:
      total === 0 || !peak
        ? `Nothing in the last ${days.length} days.`
        : `${total.toLocaleString('en')} in ${days.length} days; most on ${dayLabel(peak.day)}, ${most.toLocaleString('en')}.`,
  };
}
