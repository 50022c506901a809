// Renders mails and pages from templates/, which an operator may change while the service runs. A broken edit never
// stops a mail: the last working version of that file stays in use, and the log names the fault and its place.

import { resolve } from 'node:path';
import { attributionFaults, type Linked } from '../domain/attribution.js';
import { defined } from '../domain/defined.js';
import { reasonOf } from '../domain/errors.js';
import type { Log } from '../ports/system.js';
import { type Brand, brandView, colored, STANDARD_BRAND } from './brand.js';
import { type CardView, separated } from './card-view.js';
import {
  type Compiled,
  compileTemplates,
  faultOf,
  type TemplateFault,
  withFewerBreaks,
} from './template-engine.js';
import { readTemplates, sameFiles, stampOf, type TemplateFile } from './template-files.js';
import { textsFor } from './texts.js';

export type MailKind = 'digest' | 'alert' | 'quiet' | 'confirm' | 'notice' | 'reminder';

/** A mail's three texts. */
export interface Rendered {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/** Views to try every template on, so that a template that uses a missing name fails before a reader sees it. */
export interface Samples {
  readonly mails: Readonly<Record<string, readonly object[]>>;
  readonly pages: Readonly<Record<string, readonly object[]>>;
}

export interface Templates {
  readonly brand: Brand;
  render(kind: MailKind, locale: string, view: object): Rendered;
  /** A web page, `templates/page/<name>.html.liquid`. */
  page(name: string, locale: string, view: object): string;
  /** A style sheet with the colours filled in, e.g. `page/page.css`. */
  file(name: string): string | undefined;
  /** Faults of the files as they are on disk now. */
  lint(): readonly TemplateFault[];
}

/** `dirs`: the program's own folder first, then the operator's. A later folder wins file by file. */
export interface TemplateOptions {
  readonly dirs: readonly string[];
  readonly log: Log;
  readonly samples: Samples;
  /** {@link STANDARD_BRAND} when left out. */
  readonly brand?: Brand | undefined;
  /** Least time between two checks of the disk, milliseconds; 1000 when left out. */
  readonly checkMs?: number;
}

type Files = ReadonlyMap<string, TemplateFile>;

interface Loaded {
  readonly files: Files;
  readonly compiled: Compiled;
}

/** The output of a template breaks a link rule and must not be sent (jobs API, Link attribution). */
class BrokenLinks extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    const more = faults.length > 2 ? `; and ${faults.length - 2} more` : '';
    super(`breaks a link rule: ${faults.slice(0, 2).join('; ')}${more}`);
    this.faults = faults;
  }
}

interface Cards {
  readonly cards: readonly (Pick<CardView, 'title' | 'link'> & Partial<Pick<CardView, 'also'>>)[];
  readonly rest?: readonly Cards[];
}

function linksOf({ cards, rest = [] }: Cards): readonly Linked[] {
  const all = cards.flatMap((card) => [card, ...(card.also?.places.map((one) => one.card) ?? [])]);
  const own = all.map(({ title, link }) => ({
    key: `"${title}"`,
    ...defined({ applyUrl: link === null ? undefined : link }),
  }));
  return [...own, ...rest.flatMap(linksOf)];
}

/** Faults of a rendered template by the link rules. A subject holds no links. */
function linkFaults(name: string, output: string, view: object): readonly string[] {
  const { groups = [], note } = view as { groups?: readonly Cards[]; note?: string };
  const linked = groups.flatMap(linksOf);
  if (name.endsWith('.html')) return attributionFaults({ format: 'html', body: output }, linked);
  if (!name.endsWith('.text') || linked.length === 0) return [];
  return attributionFaults({ format: 'text', body: output, ...defined({ note: note || undefined }) }, linked);
}

/**
 * Renders a view. A template that does not show all places of a card, because it was written before `card.also`, gets a
 * card for each. Only the finished output shows that. `faults` are those that are left.
 */
function renderWhole(
  { render }: Compiled,
  name: string,
  view: object,
): { readonly output: string; readonly faults: readonly string[] } {
  const output = render(name, view);
  const faults = linkFaults(name, output, view);
  if (faults.length === 0) return { output, faults };
  const apart = separated(view);
  const longer = render(name, apart);
  return { output: longer, faults: linkFaults(name, longer, apart) };
}

/** What templates are tried on. */
type Trial = Pick<TemplateOptions, 'samples'> & { readonly brand: Brand };

/** Renders every sample. Returns the error, or undefined when all output may be sent. */
function faultIn(files: Files, trial: Trial): unknown {
  try {
    tryAll(compileTemplates(files), trial);
    return undefined;
  } catch (error) {
    return error;
  }
}

function withText(files: Files, name: string, text: string | undefined): Files {
  const next = new Map(files);
  const file = files.get(name);
  if (text === undefined) next.delete(name);
  else next.set(name, { name, path: file?.path ?? name, text });
  return next;
}

/** Matches a line that may affect a link rule. */
const ABOUT_LINKS = /\b(?:rel|ping|robots|href|link|url|plain|note)\b/u;

/**
 * Finds the edit that broke a link rule. It takes edits back one at a time: first whole files, then the new lines of
 * that file. Only the finished output shows that a rule is broken, and it does not show which template wrote it.
 */
function locateLinks(fault: BrokenLinks, files: Files, good: Files, trial: Trial): TemplateFault {
  const edited = [...files.keys()].filter((name) => good.get(name)?.text !== files.get(name)?.text);
  const without = (name: string) => faultIn(withText(files, name, good.get(name)?.text), trial);
  const alone = (name: string) => faultIn(withText(good, name, files.get(name)?.text), trial);
  const name =
    (edited.length > 1 ? edited.find((one) => without(one) === undefined) : undefined) ??
    (edited.length > 1 ? edited.find((one) => alone(one) instanceof BrokenLinks) : undefined) ??
    edited[0] ??
    '';
  const reason = fault.message;
  const lines = files.get(name)?.text.split('\n') ?? [];
  const former = new Set(
    good
      .get(name)
      ?.text.split('\n')
      .map((line) => line.trim()),
  );
  const fresh = lines.flatMap((line, index) => (line.trim() === '' || former.has(line.trim()) ? [] : index));
  const suspects = fresh.filter((index) => ABOUT_LINKS.test(lines[index] as string));
  // Number of faults without the line. When the template fails without it, the number stays the same.
  const left = (index: number) => {
    const found = faultIn(withText(files, name, lines.with(index, '').join('\n')), trial);
    return found === undefined ? 0 : (found instanceof BrokenLinks ? found : fault).faults.length;
  };
  const trials = suspects.map((index) => ({ index, left: left(index) }));
  const line = trials.sort((a, b) => a.left - b.left)[0]?.index ?? fresh[0];
  return { file: name, ...defined({ line: line === undefined ? undefined : line + 1 }), reason };
}

/**
 * Compiles `wanted`. A file that does not work is replaced by its last working version. Every such fault is reported.
 */
function load(wanted: Files, good: Files, trial: Trial): Loaded & { faults: readonly TemplateFault[] } {
  const files = new Map(wanted);
  const faults: TemplateFault[] = [];
  // Each round restores or removes one file, so the loop ends. The last good set works by itself.
  for (let round = 0; round <= wanted.size + good.size; round++) {
    try {
      const compiled = compileTemplates(files);
      tryAll(compiled, trial);
      return { files, compiled, faults };
    } catch (error) {
      const fault = error instanceof BrokenLinks ? locateLinks(error, files, good, trial) : faultOf(error);
      const present = files.get(fault.file);
      const former = good.get(fault.file);
      if (faults.length === 0 || present) faults.push(fault);
      if (former && former.text !== present?.text) files.set(fault.file, former);
      else if (present && !former) files.delete(fault.file);
      else break;
    }
  }
  if (good.size === 0) throw brokenOwn(faults[0] ?? { file: '', reason: 'none found' });
  return { files: good, compiled: compileTemplates(good), faults };
}

function brokenOwn({ file, line, reason }: TemplateFault): Error {
  const where = [file, ...(line === undefined ? [] : [`line ${line}`])].join(', ');
  return new Error(`the templates do not work: ${where ? `${where}: ` : ''}${reason}`);
}

/** Throws for the first template that fails on a sample, or whose output for it must not be sent. */
function tryAll(compiled: Compiled, { samples, brand }: Trial): void {
  compiled.parse();
  const texts = textsFor('en');
  const attempt = (name: string, view: object, use: 'mail' | 'page') => {
    const scope = { ...view, words: texts[use], brand: brandView(brand, use) };
    const { faults } = renderWhole(compiled, name, scope);
    if (faults.length > 0) throw new BrokenLinks(faults);
  };
  for (const [kind, views] of Object.entries(samples.mails))
    for (const view of views)
      for (const part of ['subject', 'html', 'text']) attempt(`mail/${kind}.${part}`, view, 'mail');
  for (const [name, views] of Object.entries(samples.pages))
    for (const view of views) attempt(`page/${name}.html`, view, 'page');
}

/** The templates of these folders, with the colours in their style sheets. */
function read(dirs: readonly string[], brand: Brand): Files {
  const files = [...readTemplates(dirs)].map(([name, file]) => {
    return [name, name.endsWith('.css') ? { ...file, text: colored(file.text, brand) } : file] as const;
  });
  return new Map(files);
}

/**
 * Reads all templates. Each is compiled once, when it is first rendered. Throws when a template in the program's own
 * folder does not work. The program's tests cover that folder, so it is tried on the samples only when it is also the
 * operator's.
 */
export function createTemplates(options: TemplateOptions): Templates {
  const { dirs, log, samples, brand = STANDARD_BRAND, checkMs = 1000 } = options;
  const [program = '', ...operators] = dirs.map((dir) => resolve(dir));
  // The program's own files change only with the program, so they are watched only when there is no other folder.
  const watched = operators.length > 0 ? operators : [program];
  const trial = { samples, brand };
  const inBrand = { mail: brandView(brand, 'mail'), page: brandView(brand, 'page') };
  const files = read([program], brand);
  const own = operators.includes(program)
    ? load(files, new Map(), trial)
    : { files, compiled: compileTemplates(files), faults: [] };
  if (own.faults[0]) throw brokenOwn(own.faults[0]);
  log.debug({ files: files.size }, 'templates loaded');
  let current: Loaded = own;
  let stamp: string | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;

  function refresh(): void {
    const now = performance.now();
    if (now - lookedAt < checkMs) return;
    lookedAt = now;
    const next = stampOf(watched);
    if (next === stamp) return;
    try {
      const wanted = read(dirs, brand);
      // The operator's files change nothing.
      if (sameFiles(wanted, own.files)) current = own;
      else {
        // A removed file falls back to the program's own version, which is always in the good set.
        const loaded = load(wanted, new Map([...own.files, ...current.files]), trial);
        current = loaded;
        for (const fault of loaded.faults)
          log.error({ ...fault }, 'template is broken, the last good one stays');
      }
      if (stamp !== undefined) log.info({ files: current.files.size }, 'templates read again');
    } catch (error) {
      log.error({ reason: reasonOf(error) }, 'templates could not be read again');
    }
    // Stored even when the reload failed, so that the same broken edit is logged once.
    stamp = next;
  }

  function renderSafely(name: string, view: object): string {
    refresh();
    if (current === own) return own.compiled.render(name, view);
    try {
      const { output, faults } = renderWhole(current.compiled, name, view);
      if (faults.length === 0) return output;
      const file = `${name}.liquid`;
      log.error({ file, reason: faults.join('; ') }, 'template breaks a link rule, the original is used');
    } catch (error) {
      log.error({ ...faultOf(error) }, 'template failed, the original is used');
    }
    return own.compiled.render(name, view);
  }

  refresh();
  return {
    brand,
    render(kind, locale, view) {
      const scope = { ...view, words: textsFor(locale).mail, brand: inBrand.mail };
      return {
        subject: renderSafely(`mail/${kind}.subject`, scope).replace(/\s+/gu, ' ').trim(),
        html: renderSafely(`mail/${kind}.html`, scope),
        text: `${withFewerBreaks(renderSafely(`mail/${kind}.text`, scope), 2).trim()}\n`,
      };
    },
    page: (name, locale, view) =>
      renderSafely(`page/${name}.html`, { ...view, words: textsFor(locale).page, brand: inBrand.page }),
    file(name) {
      refresh();
      return current.files.get(name)?.text;
    },
    lint: () => load(read(dirs, brand), own.files, trial).faults,
  };
}
