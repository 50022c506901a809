// Regions and time zones as people name them in a location ("EMEA", "LATAM", "US time zones ± 3h"), and the places that
// a location names. A location is read generously: what is not understood is no place, and is never a reason to leave a
// posting out.
import { countryOfLocation } from './countries.js';
import { COUNTRY_ROWS } from './country-data.js';

const EU = 'AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE';
const EEA = `${EU} IS LI NO`;
const EUROPE = `${EEA} GB CH AD AL AX BA BY FO GG GI IM JE MC MD ME MK RS RU SM TR UA VA XK`;
const MENA = 'AE BH DZ EG IL IQ IR JO KW LB LY MA OM PS QA SA SY TN TR YE';
const AFRICA =
  'AO BF BI BJ BW CD CF CG CI CM CV DJ DZ EG EH ER ET GA GH GM GN GQ GW KE KM LR LS LY MA MG ML MR MU MW MZ NA NE NG RE RW SC SD SH SL SN SO SS ST SZ TD TG TN TZ UG YT ZA ZM ZW';
const NORTH_AMERICA = 'US CA MX';
const SOUTH_AMERICA = 'AR BO BR CL CO EC FK GF GY PE PY SR UY VE';
const LATAM = `${SOUTH_AMERICA} MX BZ CR CU DO GT HN HT NI PA PR SV`;
const EAST_ASIA = 'BN CN HK ID JP KH KP KR LA MM MN MO MY PH SG TH TL TW VN';
const SOUTH_ASIA = 'BD BT IN LK MV NP PK';
const ASIA = `${EAST_ASIA} ${SOUTH_ASIA} AE AF AM AZ BH CY GE IL IQ IR JO KG KW KZ LB OM PS QA SA SY TJ TM TR UZ YE`;

/** The regions that a rule can name, each with the ISO 3166 alpha-2 codes of its countries. */
const REGION_CODES = {
  eu: EU,
  eea: EEA,
  europe: EUROPE,
  emea: `${EUROPE} ${MENA} ${AFRICA} AM AZ GE`,
  mena: MENA,
  africa: AFRICA,
  americas: `${NORTH_AMERICA} ${LATAM}`,
  'north-america': NORTH_AMERICA,
  'south-america': SOUTH_AMERICA,
  latam: LATAM,
  apac: `${EAST_ASIA} ${SOUTH_ASIA} AU FJ NZ PG`,
  asia: ASIA,
  dach: 'DE AT CH LI',
  nordics: 'DK FI IS NO SE AX FO',
  baltics: 'EE LV LT',
  benelux: 'BE NL LU',
} as const;
type Region = keyof typeof REGION_CODES;
export const REGIONS = Object.keys(REGION_CODES) as readonly Region[];

/** How locations and people write the regions. */
const SPELLINGS: Readonly<Record<Region, string>> = {
  eu: 'eu|e\\.u\\.|european union|europäische union|unión europea',
  eea: 'eea|european economic area|ewr',
  europe: 'europe|european(?! (?:union|economic))|europa',
  emea: 'emea',
  mena: 'mena|middle east|middle east and north africa|gcc',
  africa: '(?<!south )(?:africa|afrika|áfrica)',
  americas: '(?:the )?americas|amer',
  'north-america': 'north america|na(?=\\W*$)|northern america|noram|nordamerika|norteamérica',
  'south-america': 'south america|südamerika|sudamérica|suramérica',
  latam: 'latam|latin america|lateinamerika|latinoamérica|américa latina',
  apac: 'apac|asia[\\s/-]*pacific|asia-pac',
  asia: 'asia|asien|south-?east asia|east asia|south asia',
  dach: 'dach|d-a-ch',
  nordics: 'nordics?|nordic countries|scandinavia|skandinavien',
  baltics: 'baltics?|baltic states',
  benelux: 'benelux',
};

const SLUG_OF = new Map(COUNTRY_ROWS.map(([slug, code]) => [code, slug]));
const slugs = (codes: string) => codes.split(' ').flatMap((code) => SLUG_OF.get(code) ?? []);
const COUNTRIES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  REGIONS.map((region) => [region, new Set(slugs(REGION_CODES[region]))]),
);

/** Standard time of countries, hours from UTC: the westernmost and the easternmost zone where most people live. */
const OFFSETS = `
-8 -5 US; -8 -3.5 CA; -8 -5 MX; -6 -6 BZ CR GT HN NI SV; -5 -5 BS CO CU EC HT JM KY PA PE; -4 -4 AW BB BM BO CL CW DO GY PR PY TT VE;
-5 -3 BR; -3 -3 AR FK GF SR UY; -1 -1 CV; 0 0 BF CI GB GG GH GM GN GW IE IM IS JE LR ML MR PT SL SN ST TG FO; 0 1 ES MA;
1 1 AD AL AO AT BA BE BJ CF CG CH CM CZ DE DK DZ FR GA GI GQ HR HU IT LI LU MC ME MK MT NE NG NL NO PL RS SE SI SK SM TD TN VA XK;
1 2 CD; 2 2 AX BG BI BW CY EE EG FI GR IL LB LS LT LV LY MD MW MZ NA PS RO RW SD SS SZ UA ZA ZM ZW;
3 3 BH BY DJ ER ET IQ JO KE KM KW MG QA SA SO SY TR TZ UG YE; 2 12 RU; 3.5 3.5 IR; 4 4 AE AM AZ GE MU OM RE SC; 4.5 4.5 AF;
5 5 KZ MV PK TJ TM UZ; 5.5 5.5 IN LK; 5.75 5.75 NP; 6 6 BD BT KG; 6.5 6.5 MM; 7 7 KH LA TH VN; 7 9 ID; 7 8 MN;
8 8 BN CN HK MO MY PH SG TW; 9 9 JP KP KR TL; 8 10 AU; 10 10 GU PG; 12 12 FJ NZ`;

/** Hours from UTC, from the west to the east. */
type Zones = readonly [from: number, to: number];

const ZONES_OF: ReadonlyMap<string, Zones> = new Map(
  OFFSETS.trim()
    .split(/;\s*/u)
    .flatMap((line) => {
      const [from, to, ...codes] = line.split(' ');
      return slugs(codes.join(' ')).map((slug): [string, Zones] => [slug, [Number(from), Number(to)]]);
    }),
);

/** Zones by the names they have in locations. Summer time counts as the standard time of the same place. */
const NAMED_ZONES: readonly (readonly [string, Zones])[] = [
  ['(?:us|usa|u\\.s\\.|american|north american)', [-8, -5]],
  ['(?:eu|european|europe)', [0, 2]],
  ['(?:latam|latin american|south american)', [-6, -3]],
  ['(?:apac|asian)', [5.5, 10]],
];
const ABBREVIATIONS: Readonly<Record<string, number>> = {
  pst: -8,
  pdt: -8,
  pt: -8,
  mst: -7,
  mdt: -7,
  cst: -6,
  cdt: -6,
  est: -5,
  edt: -5,
  et: -5,
  brt: -3,
  art: -3,
  utc: 0,
  gmt: 0,
  wet: 0,
  bst: 0,
  cet: 1,
  cest: 1,
  eet: 2,
  eest: 2,
  msk: 3,
  gst: 4,
  ist: 5.5,
  sgt: 8,
  hkt: 8,
  jst: 9,
  kst: 9,
  aest: 10,
  aedt: 10,
};
const NUMBER = '\\d{1,2}(?::\\d\\d|\\.5|\\.75)?';
/** "± 3h", "+/- 3 hours", within which the other zone may be. */
const SPREAD = `(?:\\s*\\(?\\s*(?:±|\\+\\s?/?\\s?-)\\s*(\\d{1,2})\\s*(?:hours?|horas?|hrs?|h|stunden|std)?\\.?\\s*\\)?)?`;
const TIME_ZONES = '[\\s-]*(?:time[\\s-]*zones?|tz|hours|working hours)';
const NAMED = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${NAMED_ZONES.map(([name]) => `(${name})`).join('|')})${TIME_ZONES}(?![\\p{L}])${SPREAD}`,
  'giu',
);
const ABBREVIATED = new RegExp(
  `(?<![\\p{L}\\p{N}])(${Object.keys(ABBREVIATIONS).join('|')})(?:\\s?([+−–-])\\s?(${NUMBER}))?(?![\\p{L}\\p{N}])(?:${TIME_ZONES})?${SPREAD}`,
  'giu',
);

/** A place that a location names: countries, or zones, or neither for anywhere. */
export interface Area {
  readonly countries?: ReadonlySet<string>;
  readonly zones?: Zones;
}

function hoursOf(sign: string | undefined, number: string): number {
  const [hours, minutes = 0] = number.split(':');
  return (Number(hours) + Number(minutes) / 60) * (sign === '+' ? 1 : -1);
}

const wider = ([from, to]: Zones, spread: string | undefined): Zones => [
  from - Number(spread ?? 0),
  to + Number(spread ?? 0),
];

/** The zones that a text names, and the text without them. */
function zonesIn(text: string): { readonly zones: readonly Zones[]; readonly rest: string } {
  const zones: Zones[] = [];
  const unnamed = text.replace(NAMED, (...match: (string | undefined)[]) => {
    const at = NAMED_ZONES.findIndex((_, index) => match[index + 1] !== undefined);
    const named = NAMED_ZONES[at]?.[1];
    if (named) zones.push(wider(named, match[NAMED_ZONES.length + 1]));
    return ' ';
  });
  const rest = unnamed.replace(
    ABBREVIATED,
    (all: string, name: string, sign?: string, number?: string, spread?: string) => {
      // In small letters "et", "art" and "pt" are words.
      if (name !== name.toUpperCase()) return all;
      const base = ABBREVIATIONS[name.toLowerCase()] ?? 0;
      const hours = base + (number === undefined ? 0 : hoursOf(sign, number));
      zones.push(wider([hours, hours], spread));
      return ' ';
    },
  );
  // "UTC-5 to UTC+1" is one stretch.
  const [one, other, ...more] = zones;
  const isStretch =
    one &&
    other &&
    more.length === 0 &&
    /^[\s(]*(?:to|-|–|through|bis|a|until)[\s)]*$/iu.test(
      rest.replace(/remote|only|between|from|within/giu, ''),
    );
  return { zones: isStretch ? [[Math.min(one[0], other[0]), Math.max(one[1], other[1])]] : zones, rest };
}

const REGION_NAMES = REGIONS.map(
  (region) =>
    [region, new RegExp(`(?<![\\p{L}\\p{N}])(?:${SPELLINGS[region]})(?![\\p{L}\\p{N}])`, 'iu')] as const,
);
const ANYWHERE =
  /(?<![\p{L}\p{N}])(?:any ?where|world-?wide|global|globally|all countries|any country|any (?:location|time ?zone)|weltweit|mundial)(?![\p{L}\p{N}])/iu;
const COUNTRY_NAMES = new Map(
  COUNTRY_ROWS.flatMap(([slug, , , name, ...aliases]): [string, string][] =>
    [name, ...aliases].map((one) => [one.toLowerCase(), slug]),
  ),
);
const LONGEST_LOCATION = 500;

/** Returns the places of a location; none for one that names no place, such as "Remote". */
export function placesOf(location: string): readonly Area[] {
  const { zones, rest } = zonesIn(location.slice(0, LONGEST_LOCATION));
  const places: Area[] = zones.map((one) => ({ zones: one }));
  for (const part of rest.split(/[/;|•&+]|\s(?:or|and|oder|und|y|o)\s/iu)) {
    if (ANYWHERE.test(part)) places.push({});
    const regions = REGION_NAMES.filter(([, pattern]) => pattern.test(part)).map(([region]) => region);
    for (const region of regions) places.push({ countries: COUNTRIES.get(region) ?? new Set() });
    // "Germany, France, Spain" are three countries; "Berlin, Germany" and "Atlanta, Georgia, USA" are one.
    const listed = part
      .replace(/(?<!\p{L})(?:remote|only|based|in)(?!\p{L})|[()]/giu, ' ')
      .split(',')
      .flatMap((item) => COUNTRY_NAMES.get(item.trim().toLowerCase()) ?? [])
      .filter((slug, _, all) => slug !== 'georgia' || !all.includes('united-states'));
    const named = listed.length > 1 ? listed : [countryOfLocation(part)];
    // "America" in "Latin America" is no country.
    const isCountry = !regions.some((region) => /america|latam/u.test(region));
    for (const slug of named)
      if (slug !== undefined && isCountry) places.push({ countries: new Set([slug]) });
  }
  return places;
}

const overlap = (a: Zones, b: Zones) => a[0] <= b[1] && b[0] <= a[1];
const within = (a: Zones, b: Zones) => a[0] >= b[0] && a[1] <= b[1];

/** Whether a place lies in another one: all of it, a part of it or nothing. Undefined if that is not known. */
export function liesIn(place: Area, wanted: Area): 'all' | 'part' | 'none' | undefined {
  if (!place.countries && !place.zones) return 'part';
  if (wanted.countries) {
    const countries = [...wanted.countries];
    if (place.countries) {
      const own = [...place.countries];
      const inside = own.filter((slug) => wanted.countries?.has(slug));
      return inside.length === own.length ? 'all' : inside.length > 0 ? 'part' : 'none';
    }
    const zones = place.zones;
    return zones && countries.some((slug) => overlap(ZONES_OF.get(slug) ?? [99, 99], zones))
      ? 'part'
      : 'none';
  }
  const { zones } = wanted;
  if (!zones) return 'all';
  if (place.zones) return within(place.zones, zones) ? 'all' : overlap(place.zones, zones) ? 'part' : 'none';
  const own = [...(place.countries ?? [])].flatMap((slug) => {
    const one = ZONES_OF.get(slug);
    return one ? [one] : [];
  });
  if (own.length === 0) return undefined;
  if (own.every((one) => within(one, zones))) return 'all';
  return own.some((one) => overlap(one, zones)) ? 'part' : 'none';
}

const asUtc = (value: number) => `UTC${value < 0 ? '-' : '+'}${Math.abs(value)}`;

/**
 * Reads a region or time zones as a rule names them, in one spelling: "eu", "north-america", "UTC-8 to UTC-5". Undefined
 * for a text that names neither.
 */
export function parseRegion(text: string): string | undefined {
  const plain = text.trim();
  const slug = plain.toLowerCase().replace(/[\s_]+/gu, '-');
  const region = REGIONS.find(
    (one) => one === slug || new RegExp(`^(?:the )?(?:${SPELLINGS[one]})$`, 'iu').test(plain),
  );
  if (region) return region;
  const { zones, rest } = zonesIn(
    plain.replace(
      /(?<!\p{L})(?:utc|gmt|cet|cest|eet|est|edt|pst|pdt|et|pt|ist|sgt|jst|brt)(?!\p{L})/giu,
      (name) => name.toUpperCase(),
    ),
  );
  const [only, ...others] = zones;
  if (!only || others.length > 0 || !/^[\s()]*(?:to|-|–|bis|a)?[\s()]*$/iu.test(rest)) return undefined;
  return only[0] === only[1] ? asUtc(only[0]) : `${asUtc(only[0])} to ${asUtc(only[1])}`;
}

/** The place that {@link parseRegion} has read, or a country. */
export function regionPlace(value: string): Area {
  const countries = COUNTRIES.get(value) ?? (ZONES_OF.has(value) ? new Set([value]) : undefined);
  if (countries) return { countries };
  const [zones] = zonesIn(value).zones;
  return zones ? { zones } : {};
}
