// Whether a figure grows in the long run, apart from its swings: pure functions over samples, so that their judgement
// is tested without a long run. And the same figures as a picture in text.

/** One sample of a figure: its `value` at `at` polls after the start. */
export interface Point {
  readonly at: number;
  readonly value: number;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/**
 * Growth per 1,000 polls by Theil and Sen: the median of the slopes between all pairs. Up to 29 % of the points may have any
 * value, so a late garbage collection or a busy second decides nothing.
 */
export function growth(points: readonly Point[]): number {
  const slopes = points.flatMap((one, index) =>
    points
      .slice(index + 1)
      .filter((other) => other.at !== one.at)
      .map((other) => ((other.value - one.value) / (other.at - one.at)) * 1000),
  );
  return median(slopes);
}

const BARS = '▁▂▃▄▅▆▇█';

/** The figure over time, lowest to highest; at most `width` characters, each the median of its share. */
export function sparkline(values: readonly number[], width = 60): string {
  const size = Math.min(width, values.length);
  const shares = Array.from({ length: size }, (_, index) =>
    median(
      values.slice(
        Math.floor((index * values.length) / size),
        Math.floor(((index + 1) * values.length) / size),
      ),
    ),
  );
  const [low, high] = [Math.min(...shares), Math.max(...shares)];
  return shares
    .map((value) => BARS[high === low ? 0 : Math.round(((value - low) / (high - low)) * (BARS.length - 1))])
    .join('');
}
