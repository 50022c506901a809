// A rule of a filter, as the pipeline names it ("exclude: intern"), in the reader's language.
import { readTerm } from '../../domain/rules/index.js';
import { countryName, describeTerm } from '../../render/describe.js';
import { escaped } from '../../render/discord/escape.js';
import type { Texts } from '../../render/texts.js';

export function ruleWords(rule: string, texts: Texts): string {
  return texts.describe.quoted({ phrase: ruleText(rule, texts) });
}

/** The same without quotes. Escaped. */
export function ruleText(rule: string, texts: Texts): string {
  const { rules } = texts.bot.preview;
  const [, name = rule, rest = ''] = /^(\w+)(?:: (.*))?$/su.exec(rule) ?? [];
  const value = escaped(rest, 80);
  const term = name === 'country' || name === 'remote' ? undefined : readTerm(rule);
  if (term) return escaped(describeTerm(term, texts), 120);
  return name === 'exclude'
    ? rules.exclude({ words: value })
    : name === 'include'
      ? rules.include({ words: value })
      : name === 'tags'
        ? rules.tags({ words: value })
        : name === 'country'
          ? rules.country({ words: escaped(countriesIn(rest, texts), 80) })
          : name === 'remote'
            ? rules.remote
            : name === 'minSalary'
              ? rest === 'pay unknown'
                ? rules.payUnknown
                : rules.minSalary
              : escaped(rule, 80);
}

/** A field has one country, a term may have several. */
function countriesIn(slugs: string, texts: Texts): string {
  return slugs
    .split(', ')
    .map((slug) => countryName(slug, texts))
    .join(', ');
}
