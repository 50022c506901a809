// The region or the time zones of a posting, from its location and country. "Worldwide" lies partly in every region. A
// location that names no place, such as "Remote", is not known.
import { resolveCountry } from '../countries.js';
import { liesIn, parseRegion, placesOf, REGIONS, regionPlace } from '../regions.js';
import { type Rule, UNKNOWN } from './rule.js';

/** A country among regions: "EU, Switzerland". Codes only in capitals, because "no" and "in" are words. */
function countryIn(text: string): string | undefined {
  return text.length > 3 || /^[A-Z]{2,3}$/u.test(text) ? resolveCountry(text)?.slug : undefined;
}

export const region: Rule = {
  parse: (text) => parseRegion(text) ?? countryIn(text),
  values: REGIONS,
  wanted: 'a region, a country, or time zones such as "US time zones ± 3h"',
  match(values, { location = '', country = '' }) {
    const named = placesOf(location);
    const places = named.length > 0 ? named : placesOf(country.replaceAll('-', ' '));
    const saw = [location || country].filter(Boolean);
    const answers = values.map((value) => {
      const wanted = regionPlace(value);
      return places.map((place) => liesIn(place, wanted));
    });
    const known = answers.flat().filter((one) => one !== undefined);
    if (known.length === 0) return { ...UNKNOWN, saw };
    // A place is met by the region that covers most of it.
    const byPlace = places.map((_, at) => answers.map((one) => one[at]));
    const met = values.filter((_, at) => answers[at]?.some((one) => one === 'all' || one === 'part'));
    const isAll = byPlace.every((one) => one.includes('all'));
    if (met.length === 0 && known.length < answers.flat().length) return { ...UNKNOWN, saw };
    return { is: isAll ? 'yes' : met.length > 0 ? 'partly' : 'no', saw, met };
  },
};
