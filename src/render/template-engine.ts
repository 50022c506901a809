// LiquidJS, set up so that an edited template can't do harm: output is escaped, a misspelt name is an error, and a
// template can read only the view it is given. CSS is also copied into mails here, once per load.

import { Liquid, type LiquidOptions } from 'liquidjs';
import { defined } from '../domain/defined.js';
import { reasonOf } from '../domain/errors.js';
import { compileLiquid } from './compile-liquid.js';
import { inlineCss, readRules, SelectorFault } from './inline-css.js';
import type { TemplateFile } from './template-files.js';

/** A fault in a template, for a log line and for `mail lint`. */
export interface TemplateFault {
  /** Path below the templates folder. */
  readonly file: string;
  readonly line?: number;
  readonly reason: string;
}

class BrokenTemplate extends Error {
  readonly fault: TemplateFault;
  constructor(fault: TemplateFault) {
    super(fault.reason);
    this.fault = fault;
  }
}

export interface Compiled {
  /** Parses all templates, also those that no other one renders. Throws for the first one that can't be parsed. */
  parse(): void;
  /** Renders by name without `.liquid`. Throws for a missing template and for a name that the view lacks. */
  render(name: string, view: object): string;
}

const OPTIONS: LiquidOptions = {
  strictFilters: true,
  strictVariables: true,
  // A missing name is an error in a condition too.
  lenientIf: false,
  ownPropertyOnly: true,
  relativeReference: false,
};

const INLINE_CSS = 'mail/inline.css';

function rulesOf(css: string): ReturnType<typeof readRules> {
  try {
    return readRules(css);
  } catch (error) {
    if (!(error instanceof SelectorFault)) throw error;
    throw new BrokenTemplate({ file: INLINE_CSS, line: error.line, reason: error.message });
  }
}

function inlined(html: string, rules: ReturnType<typeof readRules>): string {
  // Removes indentation, to make the mail smaller. Line breaks stay, so that an error can name its line.
  return inlineCss(html, rules)
    .replace(/\n[ \t]+/gu, '\n')
    .replace(/style="([^"]*)"/gu, (_, style: string) => {
      return `style="${style.replace(/;\s*$/u, '').replace(/([:;,])\s+/gu, '$1')}"`;
    });
}

function engine(templates: Record<string, string>, html: boolean): Liquid {
  const liquid = new Liquid({
    ...OPTIONS,
    templates,
    cache: true,
    ...defined({ outputEscape: html ? ('escape' as const) : undefined }),
  });
  // Without its special mark, the filter prints escaped text like everything else, so data never becomes markup.
  liquid.registerFilter('raw', (value: unknown) => value);
  return liquid;
}

/** Makes runs of more than `most` line breaks that short. Indexes take half as long as a pattern. */
export function withFewerBreaks(text: string, most: number): string {
  const tooMany = '\n'.repeat(most + 1);
  let out = '';
  let from = 0;
  for (let at = text.indexOf(tooMany); at >= 0; at = text.indexOf(tooMany, from)) {
    out += text.slice(from, at + most);
    from = at + most + 1;
    while (text[from] === '\n') from++;
  }
  return out + text.slice(from);
}

/**
 * Compiles a folder, each file when it is first rendered. Throws for a style sheet that can't be read and for the
 * filter `raw`.
 */
export function compileTemplates(files: ReadonlyMap<string, TemplateFile>): Compiled {
  const rules = rulesOf(files.get(INLINE_CSS)?.text ?? '');
  // Without a prototype, so that `constructor` is not a template.
  const texts: Record<string, string> = Object.create(null);
  const pages: Record<string, string> = Object.create(null);
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
  const engineOf = (key: string) => (key.endsWith('.html') ? html : plain);
  const attempt = <T>(key: string, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw new BrokenTemplate(locate(error, engineOf(key).texts, key));
    }
  };
  const quick = { html: compileLiquid(html.liquid), plain: compileLiquid(plain.liquid) };
  return {
    parse() {
      for (const { name } of files.values()) {
        const key = name.replace(/\.liquid$/u, '');
        if (key !== name) attempt(key, () => engineOf(key).liquid.parseFileSync(key));
      }
    },
    render(name, view) {
      const marked = name.endsWith('.html');
      const out =
        (marked ? quick.html : quick.plain)(name, view) ??
        attempt(name, () => engineOf(name).liquid.renderFileSync(name, view) as string);
      return marked ? withFewerBreaks(out, 1) : out;
    },
  };
}

interface Located {
  readonly token?: { readonly file?: string; readonly input?: string; getPosition?(): [number, number] };
}

/**
 * Where an error of the engine is. Only some errors name the file; for the others it is found by the template's text.
 */
function locate(error: unknown, texts: Readonly<Record<string, string>>, rendered: string): TemplateFault {
  const { token } = error as Located;
  const input = token?.input;
  const key = token?.file ?? Object.keys(texts).find((name) => texts[name] === input) ?? rendered;
  const line = token?.getPosition?.()[0];
  const reason = (reasonOf(error).split('\n')[0] as string).replace(
    /, (?:file:[^,]*, )?line:\d+, col:\d+$/u,
    '',
  );
  return { file: fileOf(key), ...defined({ line: line || undefined }), reason };
}

function fileOf(key: string): string {
  return /\.(?:liquid|css|js)$/u.test(key) ? key : `${key}.liquid`;
}

/** The file and line of a compile or render error, as far as they are known. */
export function faultOf(error: unknown): TemplateFault {
  return error instanceof BrokenTemplate ? error.fault : { file: '', reason: reasonOf(error) };
}
