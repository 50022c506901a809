// A rule of a filter, as the pipeline names it ("exclude: intern"), in the reader's language.
import { countryName } from '../../render/describe.js';
import { escaped } from '../../render/discord/escape.js';
import type { Texts } from '../../render/texts.js';

export function ruleWords(rule: string, texts: Texts): string {
  const { rules } = texts.bot.preview;
  const [, name = rule, rest = ''] = /^(\w+)(?:: (.*))?$/su.exec(rule) ?? [];
  const value = escaped(rest, 80);
  const words =
    name === 'exclude'
      ? rules.exclude({ words: value })
      : name === 'include'
        ? rules.include({ words: value })
        : name === 'tags'
          ? rules.tags({ words: value })
          : name === 'country'
            ? rules.country({ words: escaped(countryName(rest, texts), 80) })
            : name === 'remote'
              ? rules.remote
              : name === 'minSalary'
                ? rest === 'pay unknown'
                  ? rules.payUnknown
                  : rules.minSalary
                : escaped(rule, 80);
  return texts.describe.quoted({ phrase: words });
}
