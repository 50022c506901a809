// The number of postings per week as a small picture. The mail also shows the figures as text, because mail
// programs often hide pictures. The picture has no text, because the machine that draws it may have no fonts.

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

/** Size of the picture in CSS pixels; it is drawn at twice that for sharp screens. */
export const CHART_SIZE = { width: 536, height: 72 } as const;

const BAR = '#7c6cf0';
const LAST = '#14a37f';
const BASE = '#8b93a1';

/** Renders the chart as SVG: bars in medium colours without a background, visible on light and on dark. */
export function renderChart(weeks: readonly Week[]): string {
  const { width, height } = CHART_SIZE;
  const most = Math.max(1, ...weeks.map((week) => week.count));
  const step = width / Math.max(1, weeks.length);
  const bars = weeks.map((week, index) => {
    const tall = week.count === 0 ? 2 : Math.max(4, Math.round((week.count / most) * (height - 6)));
    const x = (index * step + step * 0.14).toFixed(1);
    const fill = index === weeks.length - 1 ? LAST : BAR;
    return `<rect x="${x}" y="${height - 2 - tall}" width="${(step * 0.72).toFixed(1)}" height="${tall}" rx="3" fill="${fill}"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${bars.join('')}<rect y="${height - 2}" width="${width}" height="2" fill="${BASE}"/></svg>`;
}
