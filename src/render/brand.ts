// Whose mails and pages these are: the operator's name, logo and colour. Templates get the name and the logo as `brand`,
// and style sheets the shades of the colour as `var(--accent…)`. Mail programs know no custom properties, so the values
// are put in when the templates are read.
import { type Shade, shadesOf } from '../domain/color.js';

/** A PNG as base64, and its size in pixels. */
export interface Logo {
  readonly png: string;
  readonly width: number;
  readonly height: number;
}

export interface Brand {
  readonly name: string;
  /** `#rrggbb`; white text is readable on it. */
  readonly color: string;
  readonly logo?: Logo | undefined;
}

export const STANDARD_COLOR = '#3f4fd6';
export const STANDARD_BRAND: Brand = { name: 'jobcrier', color: STANDARD_COLOR };

export const LOGO_CID = 'logo@jobcrier';
/** CSS pixels; also in mail/inline.css. */
const LOGO_HIGHEST = 32;
const LOGO_WIDEST = 220;

interface BrandView {
  readonly name: string;
  /** The first letter of the name. */
  readonly initial: string;
  /** Width and height in CSS pixels. */
  readonly logo: { readonly src: string; readonly width: number; readonly height: number } | null;
}

/** The view for templates. A mail has the logo attached; a page contains it. */
export function brandView({ name, logo }: Brand, use: 'mail' | 'page'): BrandView {
  const scale = logo ? Math.min(1, LOGO_HIGHEST / logo.height, LOGO_WIDEST / logo.width) : 1;
  return {
    name,
    initial: [...name][0] ?? '',
    logo: logo
      ? {
          src: use === 'mail' ? `cid:${LOGO_CID}` : `data:image/png;base64,${logo.png}`,
          width: Math.max(1, Math.round(logo.width * scale)),
          height: Math.max(1, Math.round(logo.height * scale)),
        }
      : null,
  };
}

/** A style sheet with the shades of the colour in place of `var(--accent…)`. Other custom properties stay. */
export function colored(css: string, { color }: Brand): string {
  const shades = shadesOf(color);
  return css.replace(/var\(--(accent(?:-\w+)*)\)/gu, (whole, name: Shade) => shades[name] ?? whole);
}
