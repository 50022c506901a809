// A rule of a filter, as the pipeline names it ("exclude: intern"), in the reader's words.
import { countryName } from '../../render/describe.js';
import { escaped } from '../../render/discord/escape.js';
export function ruleWords(rule, texts) {
    const { rules } = texts.bot.preview;
    const [, name = rule, rest = ''] = /^(\w+)(?:: (.*))?$/su.exec(rule) ?? [];
    const value = escaped(rest, 80);
    const words = name === 'exclude'
        ? rules.exclude(value)
        : name === 'include'
            ? rules.include(value)
            : name === 'tags'
                ? rules.tags(value)
                : name === 'country'
                    ? rules.country(escaped(countryName(rest, texts), 80))
                    : name === 'remote'
                        ? rules.remote
                        : name === 'minSalary'
                            ? rest === 'pay unknown'
                                ? rules.payUnknown
                                : rules.minSalary
                            : escaped(rule, 80);
    return texts.describe.quoted(words);
}
//# sourceMappingURL=rule.js.map