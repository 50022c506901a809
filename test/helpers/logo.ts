// A logo as an operator would set it: a wide PNG.
import { Resvg } from '@resvg/resvg-js';
import type { Logo } from '../../src/render/brand.js';

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="240" height="96"><rect width="240" height="96" rx="20" fill="#0f766e"/></svg>';

export const LOGO: Logo = {
  png: new Resvg(SVG).render().asPng().toString('base64'),
  width: 240,
  height: 96,
};
