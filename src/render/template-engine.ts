// LiquidJS set up so that an edited template can't do harm: what it prints is escaped, what it misspells is an
// error, and it reaches nothing but the view it is given. CSS is copied into mails here, once per load.
import juice from 'juice';
import { Liquid, type LiquidOptions, type Template } from 'liquidjs';
import { reasonOf } from '../domain/errors.js';
import { quicken } from './quick-names.js';
import type { TemplateFile } from './template-files.js';

/** What is wrong with a template, for a log line and for `mail lint`. */
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
  /** By name without `.liquid`; throws for a template that is missing or asks for what the view lacks. */
  render(name: string, view: object): string;
}

// Liquid's tags would confuse the HTML parser; juice puts registered blocks aside while it works.
juice.codeBlocks.LIQUID = { start: '{%', end: '%}' };

const OPTIONS: LiquidOptions = {
  strictFilters: true,
  strictVariables: true,
  // A condition may ask for anything; printing what is not there is the error.
  lenientIf: false,
  ownPropertyOnly: true,
  relativeReference: false,
};

function inlined(html: string, css: string): string {
  const styled = juice.inlineContent(html, css, {
    applyStyleTags: false,
    removeStyleTags: false,
    applyWidthAttributes: false,
    applyHeightAttributes: false,
    applyAttributesTableElements: false,
  });
  // Indentation is for those who edit, not for those who download.
  // Lines stay, so that an error can name the one it is in.
  return styled.replace(/\n[ \t]+/gu, '\n').replace(/style="([^"]*)"/gu, (_, style: string) => {
    return `style="${style.replace(/;\s*$/u, '').replace(/([:;,])\s+/gu, '$1')}"`;
  });
}

type Parsed = Template[] | Promise<Template[]>;

function engine(templates: Record<string, string>, html: boolean): Liquid {
  const parsed = new Map<string, Parsed>();
  const liquid: Liquid = new Liquid({
    ...OPTIONS,
    templates,
    cache: {
      read: (key) => parsed.get(key),
      write(key, file) {
        if (Array.isArray(file)) quicken(file, liquid.options.outputEscape);
        parsed.set(key, file);
      },
      remove: (key) => void parsed.delete(key),
    },
    ...(html ? { outputEscape: 'escape' as const } : {}),
  });
  // Without its special mark the filter prints escaped like everything else: data never becomes markup.
  liquid.registerFilter('raw', (value: unknown) => value);
  return liquid;
}

function parseOr(key: string, parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    throw new BrokenTemplate(locate(error, {}, key));
  }
}

/** Compiles a folder; throws for the first file that can't be read as a template. */
export function compileTemplates(files: ReadonlyMap<string, TemplateFile>): Compiled {
  const css = files.get('mail/inline.css')?.text ?? '';
  // Without a prototype, so that `constructor` is no template.
  const texts: Record<string, string> = Object.create(null);
  const pages: Record<string, string> = Object.create(null);
  const parser = engine({}, true);
  for (const { name, text } of files.values()) {
    const key = name.replace(/\.liquid$/u, '');
    const raw = /\|\s*raw\b/u.exec(text);
    if (raw) {
      const line = text.slice(0, raw.index).split('\n').length;
      throw new BrokenTemplate({ file: name, line, reason: 'the filter "raw" is not available' });
    }
    // Parsed as written first: once the CSS is inlined, lines and columns are no longer those of the file.
    if (name.endsWith('.liquid')) parseOr(key, () => parser.parse(text, key));
    if (key.endsWith('.html') && name.startsWith('mail/')) pages[key] = inlined(text, css);
    else pages[key] = text;
    texts[key] = text;
  }
  const html = engine(pages, true);
  const plain = engine(texts, false);
  return {
    render(name, view) {
      const marked = name.endsWith('.html');
      try {
        const out = (marked ? html : plain).renderFileSync(name, view) as string;
        return marked ? out.replace(/\n{2,}/gu, '\n') : out;
      } catch (error) {
        throw new BrokenTemplate(locate(error, marked ? pages : texts, name));
      }
    },
  };
}

interface Located {
  readonly token?: { readonly file?: string; readonly input?: string; getPosition?(): [number, number] };
}

/** Where an error of the engine is. It names the file for some errors only; for the others the text itself tells. */
function locate(error: unknown, texts: Readonly<Record<string, string>>, rendered: string): TemplateFault {
  const { token } = error as Located;
  const input = token?.input;
  const key = token?.file ?? Object.keys(texts).find((name) => texts[name] === input) ?? rendered;
  const line = token?.getPosition?.()[0];
  const reason = (reasonOf(error).split('\n')[0] as string).replace(
    /, (?:file:[^,]*, )?line:\d+, col:\d+$/u,
    '',
  );
  return { file: fileOf(key), ...(line ? { line } : {}), reason };
}

function fileOf(key: string): string {
  return /\.(?:liquid|css)$/u.test(key) ? key : `${key}.liquid`;
}

/** Which file an error of compiling or rendering came from, and where in it, as far as can be told. */
export function faultOf(error: unknown): TemplateFault {
  return error instanceof BrokenTemplate ? error.fault : { file: '', reason: reasonOf(error) };
}
