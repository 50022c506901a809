// Copies CSS rules into the style attributes of a template, because many mail programs drop style sheets. It supports
// plain class selectors only, so it needs no HTML parser and leaves the rest of the text, Liquid included, as it is.
/** A selector that {@link readRules} does not support. */
export class SelectorFault extends Error {
    line;
    constructor(line, text) {
        super(`"${text}" is no plain class selector such as .title; what is not belongs into mail/head.css`);
        this.line = line;
    }
}
const DECLARATION = /([\w-]+)\s*:\s*((?:"[^"]*"|'[^']*'|\([^)]*\)|[^;"'(])+)/gu;
/** Declarations by their property. Double quotes become single ones, because the attribute uses double ones. */
function readDeclarations(text) {
    return [...text.matchAll(DECLARATION)].map(([, property = '', value = '']) => [
        property,
        value.trim().replaceAll('"', "'"),
    ]);
}
/** The rules in their order. Throws a {@link SelectorFault} for the first selector that is not a class or a list of them. */
export function readRules(css) {
    // Line breaks stay, so that a fault can name its line.
    const text = css.replace(/\/\*[\s\S]*?\*\//gu, (comment) => comment.replace(/[^\n]/gu, ' ')).trimEnd();
    const rule = /\s*(\.[\w-]+(?:\s*,\s*\.[\w-]+)*)\s*\{([^{}]*)\}/uy;
    const rules = [];
    while (rule.lastIndex < text.length) {
        const { lastIndex } = rule;
        const found = rule.exec(text);
        if (!found) {
            const rest = text.slice(lastIndex);
            const start = lastIndex + rest.search(/\S/u);
            const selector = text.slice(start).split(/[{\n]/u)[0];
            throw new SelectorFault(text.slice(0, start).split('\n').length, selector.trim());
        }
        const [, selectors = '', declarations = ''] = found;
        rules.push({
            classes: selectors.split(',').map((one) => one.trim().slice(1)),
            declarations: readDeclarations(declarations),
        });
    }
    return rules;
}
/** Liquid and comments, which stay unchanged, or a start tag, which may contain Liquid. */
const LIQUID = String.raw `\{%(?:(?!%\}|\{%)[\s\S])*%\}|\{\{(?:(?!\}\}|\{\{)[\s\S])*\}\}`;
const PART = new RegExp(String.raw `${LIQUID}|<!--[\s\S]*?-->|<[a-z][\w-]*(?:${LIQUID}|"[^"]*"|'[^']*'|\{(?![%{])|[^>"'{])*>`, 'giu');
function attribute(tag, name) {
    const found = new RegExp(String.raw `\s${name}=(?:"([^"]*)"|'([^']*)')`, 'iu').exec(tag);
    return found ? { text: found[0], value: found[1] ?? found[2] ?? '' } : undefined;
}
/**
 * A later rule wins over an earlier one, whatever the order in the class attribute. The tag's own style wins over
 * both.
 */
function styled(tag, rules) {
    const given = attribute(tag, 'class');
    if (!given)
        return tag;
    // A class name that contains Liquid is not known yet, so it matches no rule.
    const names = new Set(given.value.replace(new RegExp(LIQUID, 'gu'), '\0').split(/\s+/u));
    const matching = rules.filter(({ classes }) => classes.some((name) => names.has(name)));
    if (matching.length === 0)
        return tag;
    const own = attribute(tag, 'style');
    const style = new Map();
    for (const [property, value] of matching.flatMap(({ declarations }) => declarations)) {
        style.delete(property);
        style.set(property, value);
    }
    const declared = [...style].map(([property, value]) => `${property}: ${value}`);
    const text = [...declared, ...(own ? [own.value] : [])].join('; ');
    const bare = own ? tag.replace(own.text, () => '') : tag;
    return bare.replace(given.text, () => `${given.text} style="${text}"`);
}
/** The template with `rules` in its style attributes. */
export function inlineCss(html, rules) {
    return html.replace(PART, (part) => (/^<[a-z]/iu.test(part) ? styled(part, rules) : part));
}
//# sourceMappingURL=inline-css.js.map