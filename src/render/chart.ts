// The number of postings per week as a small picture. The mail also shows the figures as text, because mail
// programs often hide pictures.

/** Postings that matched a subscription in the seven days from `from` (milliseconds since the epoch). */
export interface Week {
  readonly from: number;
  readonly count: number;
}

const WEEK = 7 * 86_400_000;
const LEAST_WEEKS = 3;
const MOST_WEEKS = 12;

/** The data of a chart: how many postings matched at which time. It is complete from `since` on. */
export interface Matches {
  readonly since: number;
  readonly counts: readonly (readonly [at: number, count: number])[];
}

/** Whole weeks up to `until`, oldest first, at most 12; empty under three weeks of history. */
export function weeklyCounts({ since, counts }: Matches, until: number): readonly Week[] {
  const weeks = Math.min(MOST_WEEKS, Math.floor((until - since) / WEEK));
  if (weeks < LEAST_WEEKS) return [];
  return Array.from({ length: weeks }, (_, index) => {
    const from = until - (weeks - index) * WEEK;
    const within = counts.filter(([at]) => at >= from && at < from + WEEK);
    return { from, count: within.reduce((sum, [, count]) => sum + count, 0) };
  });
}

/** True when a chart of these weeks would say something: at least three weeks that are not all the same. */
export function saysSomething(weeks: readonly Week[]): boolean {
  return weeks.length >= LEAST_WEEKS && new Set(weeks.map((week) => week.count)).size > 1;
}

/** The median of the weeks before the last one, rounded to a whole number. */
export function usualCount(weeks: readonly Week[]): number {
  const sorted = weeks
    .slice(0, -1)
    .map((week) => week.count)
    .sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [lower = 0, upper = 0] = [sorted[middle - 1], sorted[middle]];
  return Math.round(sorted.length % 2 === 1 ? upper : (lower + upper) / 2);
}

/**
 * Size of the picture in CSS pixels; it is drawn at twice that for sharp screens. It fits on a phone, so that its
 * figures are never shrunk.
 */
export const CHART_SIZE = { width: 272, height: 60 } as const;

/** Visible on light and on dark. */
const BAR = '#a3a9b5';
const LABEL = '#767e8c';
/** The machine that draws the picture may have no fonts, so figures are drawn as lines, 6 units wide and 10 high. */
const DIGITS = [
  'M3 0C1 0 0 1.8 0 5s1 5 3 5 3-1.8 3-5-1-5-3-5Z',
  'M1 2.2 3.6 0V10',
  'M.3 2.7C.3 1.1 1.4 0 3 0s2.7 1 2.7 2.6C5.7 5 .2 7 .2 10H6',
  'M.4 1.7C.9.6 1.8 0 3 0c1.6 0 2.6 1 2.6 2.4S4.6 4.7 2.6 4.7C4.8 4.7 6 5.7 6 7.3S4.8 10 3 10C1.6 10 .5 9.3 0 8.2',
  'M4.6 10V0L0 7H6',
  'M5.4 0H1.1L.6 4.6C1.2 4 2 3.7 3 3.7 4.8 3.7 6 5 6 6.8S4.8 10 3 10C1.6 10 .5 9.3 0 8.2',
  'M5.4 1.4C4.9.5 4 0 3.1 0 1.2 0 0 2 0 5.5 0 8.5 1.2 10 3 10s3-1.3 3-3.1-1.2-3-3-3-3 1.1-3 2.6',
  'M0 0H6C3.8 3 2.4 6 2.2 10',
  'M3 4.6C1.5 4.6.5 3.7.5 2.3S1.5 0 3 0s2.5.9 2.5 2.3S4.5 4.6 3 4.6ZM3 4.6c-1.8 0-3 1.1-3 2.7S1.2 10 3 10s3-1.1 3-2.7-1.2-2.7-3-2.7Z',
  'M.6 8.6C1.1 9.5 2 10 2.9 10 4.8 10 6 8 6 4.5 6 1.5 4.8 0 3 0S0 1.3 0 3.1s1.2 3 3 3 3-1.1 3-2.6',
];
const LABEL_HEIGHT = 15;
const LABEL_STEP = 8.6;

/** A figure centred at `x`, its lower edge at `y`. */
function label(value: number, x: number, y: number, color: string): string {
  const digits = [...String(value)].map(Number);
  const wide = digits.length * LABEL_STEP - (LABEL_STEP - 6);
  const left = Math.max(1, Math.min(CHART_SIZE.width - wide - 1, x - wide / 2));
  const paths = digits.map((digit, index) => {
    const at = `translate(${(left + index * LABEL_STEP).toFixed(1)} ${(y - 10).toFixed(1)})`;
    return `<path d="${DIGITS[digit]}" transform="${at}"/>`;
  });
  const line = 'fill="none" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"';
  return `<g ${line} stroke="${color}">${paths.join('')}</g>`;
}

/**
 * Renders the chart as SVG: bars without a background, in colours that are visible on light and on dark. The last week is
 * in `accent`. It and the highest one have their figures above them.
 */
export function renderChart(weeks: readonly Week[], accent: string): string {
  const { width, height } = CHART_SIZE;
  const counts = weeks.map((week) => week.count);
  const most = Math.max(1, ...counts);
  const last = counts.length - 1;
  const step = width / Math.max(1, counts.length);
  const bars = counts.map((count, index) => {
    const tall = count === 0 ? 2 : Math.max(4, Math.round((count / most) * (height - LABEL_HEIGHT)));
    const color = index === last ? accent : BAR;
    const bar = `<rect x="${(index * step + step * 0.14).toFixed(1)}" y="${height - tall}" width="${(step * 0.72).toFixed(1)}" height="${tall}" rx="3" fill="${color}"/>`;
    const isNamed = index === last || index === counts.indexOf(most);
    return isNamed
      ? bar + label(count, (index + 0.5) * step, height - tall - 4, index === last ? accent : LABEL)
      : bar;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${bars.join('')}</svg>`;
}
