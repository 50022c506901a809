// How many postings a week brings, as a small picture. Its figures stand beside it as text, because pictures in
// mails are often not shown, and the drawing holds no letters, because no font can be counted on where it is made.
const WEEK = 7 * 86_400_000;
const LEAST_WEEKS = 3;
const MOST_WEEKS = 12;
/** Whole weeks up to `until`, oldest first, at most 12; empty under three weeks of history. */
export function weeklyCounts({ since, counts }, until) {
    const weeks = Math.min(MOST_WEEKS, Math.floor((until - since) / WEEK));
    if (weeks < LEAST_WEEKS)
        return [];
    return Array.from({ length: weeks }, (_, index) => {
        const from = until - (weeks - index) * WEEK;
        const within = counts.filter(([at]) => at >= from && at < from + WEEK);
        return { from, count: within.reduce((sum, [, count]) => sum + count, 0) };
    });
}
/** Size of the picture in CSS pixels; it is drawn at twice that for sharp screens. */
export const CHART_SIZE = { width: 536, height: 72 };
const BAR = '#7c6cf0';
const LAST = '#14a37f';
const BASE = '#8b93a1';
/** Bars of mid tones on nothing, so that they are seen on light and on dark ground alike. */
export function renderChart(weeks) {
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
//# sourceMappingURL=chart.js.map