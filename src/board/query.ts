// Query parameters of both endpoints. No value is an error: an invalid one means the default (limit) or matches
// nothing (tag, country), as in the jobs API.

import { COUNTRY_SLUG_PATTERN } from '../domain/countries.js';
import { defined } from '../domain/defined.js';
import { isTag } from '../domain/tags.js';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** What a request asks for. `nothing` is set when a tag or country is not one that the API accepts. */
export interface JobQuery {
  readonly tag?: string;
  readonly country?: string;
  readonly nothing: boolean;
  readonly remoteOnly: boolean;
  readonly limit: number;
  readonly withDescription: boolean;
}

/**
 * Reads the filters (jobs API, endpoint 1, query parameters). The first of a repeated parameter counts. An empty one
 * counts as left out. `remote` and `show_description` only have an effect as `true` and `false`.
 */
export function parseQuery(params: URLSearchParams): JobQuery {
  const tag = params.get('tag') || undefined;
  const country = params.get('country') || undefined;
  return {
    ...defined({ tag, country }),
    nothing:
      (tag !== undefined && !isTag(tag)) || (country !== undefined && !COUNTRY_SLUG_PATTERN.test(country)),
    remoteOnly: params.get('remote') === 'true',
    limit: parseLimit(params.get('limit')),
    withDescription: params.get('show_description') !== 'false',
  };
}

// A whole number from 1 up is used, up to the maximum. Anything else gives the default.
function parseLimit(text: string | null): number {
  const limit = Number(text ?? '');
  return Number.isInteger(limit) && limit >= 1 ? Math.min(limit, MAX_LIMIT) : DEFAULT_LIMIT;
}
