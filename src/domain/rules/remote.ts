// Whether a posting is remote, as far as it says so itself.
import { type Rule, UNKNOWN } from './rule.js';

export const remote: Rule = {
  parse: () => undefined,
  wanted: 'no value',
  takes: 'none',
  match: (_values, { remote: is }) =>
    is === undefined ? UNKNOWN : { is: is ? 'yes' : 'no', saw: [], met: [] },
};
