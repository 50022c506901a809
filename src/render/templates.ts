// Recipients see what stands in templates/, and an operator may change it while the service runs. An edit that
// does not work must never stop a mail: the last version of that file that worked stays, and the log says where.

import { reasonOf } from '../domain/errors.js';
import type { Log } from '../ports/system.js';
import { textsFor } from './language/index.js';
import { type Compiled, compileTemplates, faultOf, type TemplateFault } from './template-engine.js';
import { readTemplates, sameFiles, stampOf, type TemplateFile } from './template-files.js';

export type MailKind = 'digest' | 'alert' | 'confirm' | 'notice';

/** A mail's three texts. */
export interface Rendered {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/** Views to try every template on: what a template asks for and no view has is found before a reader is. */
export interface Samples {
  readonly mails: Readonly<Record<string, readonly object[]>>;
  readonly pages: Readonly<Record<string, readonly object[]>>;
}

export interface Templates {
  render(kind: MailKind, locale: string, view: object): Rendered;
  /** A web page, `templates/page/<name>.html.liquid`. */
  page(name: string, locale: string, view: object): string;
  /** A file as it is, e.g. `page/page.css`. */
  file(name: string): string | undefined;
  /** Faults of the files as they are on disk now. */
  lint(): readonly TemplateFault[];
}

/** `dirs`: the program's own folder first, then the operator's; a later one wins file by file. */
export interface TemplateOptions {
  readonly dirs: readonly string[];
  readonly log: Log;
  readonly samples: Samples;
  /** Least time between two looks at the disk, milliseconds. */
  readonly checkMs?: number;
}

type Files = ReadonlyMap<string, TemplateFile>;

interface Loaded {
  readonly files: Files;
  readonly compiled: Compiled;
}

/** Compiles `wanted`; a file that does not work is replaced by the last one that did. Every such fault is reported. */
function load(wanted: Files, good: Files, samples: Samples): Loaded & { faults: readonly TemplateFault[] } {
  const files = new Map(wanted);
  const faults: TemplateFault[] = [];
  // Each round puts one file back, so this ends; the last good set works by itself.
  for (let round = 0; round <= wanted.size + good.size; round++) {
    try {
      const compiled = compileTemplates(files);
      tryAll(compiled, samples);
      return { files, compiled, faults };
    } catch (error) {
      const fault = faultOf(error);
      const present = files.get(fault.file);
      const former = good.get(fault.file);
      if (faults.length === 0 || present) faults.push(fault);
      if (former && former.text !== present?.text) files.set(fault.file, former);
      else if (present && !former) files.delete(fault.file);
      else break;
    }
  }
  if (good.size === 0) throw new Error(`the templates do not work: ${faults[0]?.reason ?? 'none found'}`);
  return { files: good, compiled: compileTemplates(good), faults };
}

function tryAll(compiled: Compiled, samples: Samples): void {
  const words = textsFor('en').mail;
  for (const [kind, views] of Object.entries(samples.mails))
    for (const view of views)
      for (const part of ['subject', 'html', 'text'])
        compiled.render(`mail/${kind}.${part}`, { ...view, words });
  const page = textsFor('en').page;
  for (const [name, views] of Object.entries(samples.pages))
    for (const view of views) compiled.render(`page/${name}.html`, { ...view, words: page });
}

/** Reads and compiles all templates. Throws when the program's own do not work. */
export function createTemplates(options: TemplateOptions): Templates {
  const { dirs, log, samples, checkMs = 1000 } = options;
  const own = load(readTemplates(dirs.slice(0, 1)), new Map(), samples);
  if (own.faults.length > 0) throw new Error(`the templates do not work: ${own.faults[0]?.reason}`);
  let current: Loaded = own;
  let stamp = '';
  let lookedAt = Number.NEGATIVE_INFINITY;

  function refresh(): void {
    const now = performance.now();
    if (now - lookedAt < checkMs) return;
    lookedAt = now;
    const next = stampOf(dirs);
    if (next === stamp) return;
    try {
      const wanted = readTemplates(dirs);
      // At the start and with nothing of the operator's, all of it has just been compiled and tried.
      if (stamp === '' && sameFiles(wanted, own.files)) {
        stamp = next;
        return;
      }
      // A file taken away falls back to the program's own, which is always among the good ones.
      const good = new Map([...own.files, ...current.files]);
      const loaded = load(wanted, good, samples);
      current = loaded;
      for (const fault of loaded.faults)
        log.error({ ...fault }, 'template is broken, the last good one stays');
      if (stamp !== '') log.info({ files: loaded.files.size }, 'templates read again');
    } catch (error) {
      log.error({ reason: reasonOf(error) }, 'templates could not be read again');
    }
    // Kept whatever came of it: the same broken edit is told once.
    stamp = next;
  }

  function renderSafely(name: string, view: object): string {
    refresh();
    try {
      return current.compiled.render(name, view);
    } catch (error) {
      if (current === own) throw error;
      log.error({ ...faultOf(error) }, 'template failed, the original is used');
      return own.compiled.render(name, view);
    }
  }

  refresh();
  return {
    render(kind, locale, view) {
      const scope = { ...view, words: textsFor(locale).mail };
      return {
        subject: renderSafely(`mail/${kind}.subject`, scope).replace(/\s+/gu, ' ').trim(),
        html: renderSafely(`mail/${kind}.html`, scope),
        text: `${renderSafely(`mail/${kind}.text`, scope)
          .replace(/\n{3,}/gu, '\n\n')
          .trim()}\n`,
      };
    },
    page: (name, locale, view) =>
      renderSafely(`page/${name}.html`, { ...view, words: textsFor(locale).page }),
    file(name) {
      refresh();
      return current.files.get(name)?.text;
    },
    lint: () => load(readTemplates(dirs), own.files, samples).faults,
  };
}
