// Colours as `#rrggbb`, and the shades of the operator's colour in mails and pages. A contrast is that of WCAG 2.2, from 1
// to 21.

type Rgb = readonly [red: number, green: number, blue: number];

const WHITE = '#ffffff';
const BLACK = '#000000';
/** The grounds of mails and pages that have the least contrast with text. */
const LIGHT_GROUND = '#f2f3f7';
const DARK_GROUND = '#232831';
/** The ground of a button in the dark scheme. */
const DARK_SHEET = '#1a1e24';

/** WCAG 2.2, 1.4.3: the least contrast of text with its ground. */
export const TEXT_CONTRAST = 4.5;

function rgbOf(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** `share` of `other` in `color`, 0 to 1. */
function mix(color: string, other: string, share: number): string {
  const [one, two] = [rgbOf(color), rgbOf(other)];
  const mixed = one.map((part, index) => Math.round(part + ((two[index] ?? 0) - part) * share));
  return `#${mixed.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function luminance(color: string): number {
  const [red, green, blue] = rgbOf(color).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function contrast(one: string, other: string): number {
  const [bright, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (bright + 0.05) / (dark + 0.05);
}

/** The colour, mixed with `toward` no more than it needs for a contrast of `least` with `ground`. */
function readable(color: string, toward: string, ground: string, least: number): string {
  for (let step = 0; step <= 20; step++) {
    const mixed = mix(color, toward, step / 20);
    if (contrast(mixed, ground) >= least) return mixed;
  }
  return toward;
}

/** The names of the shades, as templates write them: `var(--accent-ink)`. */
export type Shade =
  | 'accent'
  | 'accent-ink'
  | 'accent-tint'
  | 'accent-dark'
  | 'accent-ink-dark'
  | 'accent-tint-dark';

/**
 * The shades of a colour on which white text is readable. `accent` is a ground for white text, `ink` is for text, `tint` is
 * a pale ground for text in `ink`; those that end in `-dark` are for the dark scheme. `accent-dark` is visible on light and
 * dark grounds alike.
 */
export function shadesOf(color: string): Readonly<Record<Shade, string>> {
  return {
    accent: color,
    'accent-ink': readable(color, BLACK, LIGHT_GROUND, 5),
    'accent-tint': mix(WHITE, color, 0.08),
    'accent-dark': readable(color, WHITE, DARK_SHEET, 3),
    'accent-ink-dark': readable(color, WHITE, DARK_GROUND, 7),
    'accent-tint-dark': mix(DARK_SHEET, color, 0.25),
  };
}
