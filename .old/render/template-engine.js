// LiquidJS, set up so that an edited template can't do harm: output is escaped, a misspelt name is an error, and a
// template can read only the view it is given. CSS is also copied into mails here, once per load.
import { Liquid } from 'liquidjs';
import { reasonOf } from '../domain/errors.js';
import { compileLiquid } from './compile-liquid.js';
import { inlineCss, readRules, SelectorFault } from './inline-css.js';
class BrokenTemplate extends Error {
    fault;
    constructor(fault) {
        super(fault.reason);
        this.fault = fault;
    }
}
const OPTIONS = {
    strictFilters: true,
    strictVariables: true,
    // A missing name is an error in a condition too.
    lenientIf: false,
    ownPropertyOnly: true,
    relativeReference: false,
};
const INLINE_CSS = 'mail/inline.css';
function rulesOf(css) {
    try {
        return readRules(css);
    }
    catch (error) {
        if (!(error instanceof SelectorFault))
            throw error;
        throw new BrokenTemplate({ file: INLINE_CSS, line: error.line, reason: error.message });
    }
}
function inlined(html, rules) {
    // Removes indentation, to make the mail smaller. Line breaks stay, so that an error can name its line.
    return inlineCss(html, rules)
        .replace(/\n[ \t]+/gu, '\n')
        .replace(/style="([^"]*)"/gu, (_, style) => {
        return `style="${style.replace(/;\s*$/u, '').replace(/([:;,])\s+/gu, '$1')}"`;
    });
}
function engine(templates, html) {
    const liquid = new Liquid({
        ...OPTIONS,
        templates,
        cache: true,
        ...(html ? { outputEscape: 'escape' } : {}),
    });
    // Without its special mark, the filter prints escaped text like everything else, so data never becomes markup.
    liquid.registerFilter('raw', (value) => value);
    return liquid;
}
/**
 * Compiles a folder, each file when it is first rendered. Throws for a style sheet that can't be read and for the
 * filter `raw`.
 */
export function compileTemplates(files) {
    const rules = rulesOf(files.get(INLINE_CSS)?.text ?? '');
    // Without a prototype, so that `constructor` is not a template.
    const texts = Object.create(null);
    const pages = Object.create(null);
    for (const { name, text } of files.values()) {
        const key = name.replace(/\.liquid$/u, '');
        const raw = /\|\s*raw\b/u.exec(text);
        if (raw) {
            const line = text.slice(0, raw.index).split('\n').length;
            throw new BrokenTemplate({ file: name, line, reason: 'the filter "raw" is not available' });
        }
        texts[key] = text;
        pages[key] = key.endsWith('.html') && name.startsWith('mail/') ? inlined(text, rules) : text;
    }
    const html = { liquid: engine(pages, true), texts: pages };
    const plain = { liquid: engine(texts, false), texts };
    const engineOf = (key) => (key.endsWith('.html') ? html : plain);
    const attempt = (key, work) => {
        try {
            return work();
        }
        catch (error) {
            throw new BrokenTemplate(locate(error, engineOf(key).texts, key));
        }
    };
    const quick = { html: compileLiquid(html.liquid), plain: compileLiquid(plain.liquid) };
    return {
        parse() {
            for (const { name } of files.values()) {
                const key = name.replace(/\.liquid$/u, '');
                if (key !== name)
                    attempt(key, () => engineOf(key).liquid.parseFileSync(key));
            }
        },
        render(name, view) {
            const marked = name.endsWith('.html');
            const out = (marked ? quick.html : quick.plain)(name, view) ??
                attempt(name, () => engineOf(name).liquid.renderFileSync(name, view));
            return marked ? out.replace(/\n{2,}/gu, '\n') : out;
        },
    };
}
/**
 * Where an error of the engine is. Only some errors name the file; for the others it is found by the template's text.
 */
function locate(error, texts, rendered) {
    const { token } = error;
    const input = token?.input;
    const key = token?.file ?? Object.keys(texts).find((name) => texts[name] === input) ?? rendered;
    const line = token?.getPosition?.()[0];
    const reason = reasonOf(error).split('\n')[0].replace(/, (?:file:[^,]*, )?line:\d+, col:\d+$/u, '');
    return { file: fileOf(key), ...(line ? { line } : {}), reason };
}
function fileOf(key) {
    return /\.(?:liquid|css)$/u.test(key) ? key : `${key}.liquid`;
}
/** The file and line of a compile or render error, as far as they are known. */
export function faultOf(error) {
    return error instanceof BrokenTemplate ? error.fault : { file: '', reason: reasonOf(error) };
}
//# sourceMappingURL=template-engine.js.map