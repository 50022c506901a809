// The only picture of a digest, its chart. Mail programs show no SVG, so it is converted to a small PNG here.
import { Resvg } from '@resvg/resvg-js';
import { CHART_SIZE, renderChart, type Week } from '../../render/chart.js';
import type { MailPicture } from './message.js';

export const CHART_CID = 'weeks@jobcrier';

/** Charts kept, of about 2 KB each. An edition goes to many readers within minutes; older charts are not needed again. */
const KEPT = 64;
const drawn = new Map<string, Buffer>();

/** Draws at twice the size. System fonts are not loaded, because the chart has no text. */
function draw(svg: string): Buffer {
  const image = new Resvg(svg, {
    fitTo: { mode: 'width', value: CHART_SIZE.width * 2 },
    font: { loadSystemFonts: false },
  });
  return image.render().asPng();
}

/** The chart of these weeks, drawn once for all mails that show the same figures. */
export function chartPicture(weeks: readonly Week[]): MailPicture {
  const svg = renderChart(weeks);
  const content = drawn.get(svg) ?? draw(svg);
  drawn.set(svg, content);
  const [oldest] = drawn.keys();
  if (drawn.size > KEPT && oldest !== undefined) drawn.delete(oldest);
  return { cid: CHART_CID, filename: 'weeks.png', content, contentType: 'image/png' };
}
