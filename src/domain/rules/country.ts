// The country of a posting: its own field, otherwise the one that its location names.
import { countryOfLocation, resolveCountry } from '../countries.js';
import { compare, type Rule } from './rule.js';

export const country: Rule = {
  parse: (text) => resolveCountry(text)?.slug,
  wanted: 'a country such as germany or united-states',
  match(values, { country: own, location }) {
    const found = own ?? countryOfLocation(location ?? '');
    return compare(found === undefined ? [] : [found], values);
  },
};
