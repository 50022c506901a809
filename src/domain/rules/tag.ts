// Tags of a posting, by the slugs of the jobs API or by any other tag that the posting has.
import { resolveTag } from '../tags.js';
import { anyOf, type Rule, UNKNOWN } from './rule.js';

export const tag: Rule = {
  // A posting may have tags that are not in the API's list, so any word is accepted.
  parse: (text) => resolveTag(text) ?? (text.toLowerCase().replace(/\s+/gu, '-') || undefined),
  wanted: 'a tag',
  match: (values, { tags }) =>
    tags
      ? anyOf(
          tags,
          values.filter((value) => tags.includes(value)),
        )
      : UNKNOWN,
};
