// The one picture of a digest. Mail programs show no SVG, so it is turned into a small PNG here.
import { Resvg } from '@resvg/resvg-js';
import { CHART_SIZE, renderChart, type Week } from '../../render/chart.js';
import type { MailPicture } from './message.js';

export const CHART_CID = 'weeks@jobcrier';

/** Draws the chart at twice its size; system fonts are not loaded, there is no text in it. */
export function chartPicture(weeks: readonly Week[]): MailPicture {
  const image = new Resvg(renderChart(weeks), {
    fitTo: { mode: 'width', value: CHART_SIZE.width * 2 },
    font: { loadSystemFonts: false },
  });
  return {
    cid: CHART_CID,
    filename: 'weeks.png',
    content: image.render().asPng(),
    contentType: 'image/png',
  };
}
