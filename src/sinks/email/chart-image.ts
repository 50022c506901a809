// The one picture of a digest. Mail programs show no SVG, so it is turned into a small PNG here.
import { Resvg } from '@resvg/resvg-js';
import { CHART_SIZE, renderChart, type Week } from '../../render/chart.js';
import type { MailPicture } from './message.js';

export const CHART_CID = 'weeks@jobcrier';

/** An edition goes out to many readers within minutes; those that went out before are of no use. Of about 2 KB each. */
const KEPT = 64;
const drawn = new Map<string, Buffer>();

/** Draws at twice the size; system fonts are not loaded, there is no text in it. */
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
