// Sinks from outside this program. A module named in SINKS is loaded and checked before anything starts, so that the
// operator who added it sees its faults immediately.
import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { reasonOf, UserError } from '../domain/errors.js';
import { brief } from '../domain/input.js';
import type { Sink } from '../ports/sink.js';
import type { Clock, Log, Metrics } from '../ports/system.js';

/** What `createSink` of a third-party module gets. The module reads its own settings from the environment. */
export interface ThirdPartyOptions {
  /** The board's name. */
  readonly source: string;
  readonly publicUrl?: string;
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

const WANTED =
  'wanted a module that exports createSink(options), giving { name, parseTarget(target), deliver(delivery, target, context) }';

/**
 * Loads one sink. `spec`: a module path relative to one of `folders`, or a package name. Throws a
 * {@link UserError} that names the module and what is missing.
 */
export async function loadSink(
  spec: string,
  folders: readonly string[],
  options: ThirdPartyOptions,
): Promise<Sink> {
  const module = await load(spec, folders);
  const create = creatorIn(module);
  if (!create) throw sinkFault(spec, `exports no createSink; ${WANTED}`);
  let sink: unknown;
  try {
    sink = await create(options);
  } catch (error) {
    throw sinkFault(spec, `createSink failed: ${reasonOf(error)}`);
  }
  const faults = shapeFaults(sink);
  if (faults.length > 0) throw sinkFault(spec, `${faults.join('; ')}; ${WANTED}`);
  return sink as Sink;
}

/** Repeats a module path or a plain package name. Other long text is only described: it may be a misplaced secret. */
export function sinkFault(spec: string, why: string): UserError {
  const isPlain = spec.split(/[@/.-]/u).every((word) => /^[a-z]{0,15}$/u.test(word));
  const name = isPlain || /\.[cm]?[jt]s$/u.test(spec) ? spec : brief(spec);
  return new UserError(`SINKS: ${name}: ${why}.`, 2);
}

async function load(spec: string, folders: readonly string[]): Promise<Record<string, unknown>> {
  const path = /^(?:\.|\/|file:|[A-Za-z]:[\\/])|\.[cm]?js$/u.test(spec);
  const tries = path ? paths(spec, folders) : [spec, ...installed(spec, folders)];
  for (const one of tries) {
    try {
      return (await import(one)) as Record<string, unknown>;
    } catch (error) {
      if (!isMissing(error, one)) throw sinkFault(spec, `can't be loaded: ${reasonOf(error)}`);
    }
  }
  const where = path ? `no such file in ${folders.join(' or ')}` : 'no such package is installed';
  throw sinkFault(spec, `${where}; wanted the path of a module or the name of a package`);
}

function paths(spec: string, folders: readonly string[]): string[] {
  if (spec.startsWith('file:')) return [spec];
  if (isAbsolute(spec)) return [pathToFileURL(spec).href];
  return folders.map((folder) => pathToFileURL(join(folder, spec)).href);
}

/** Finds a package that is installed beside the operator's files and not with the program. */
function installed(spec: string, folders: readonly string[]): string[] {
  return folders.flatMap((folder) => {
    const home = join(folder, 'node_modules', spec);
    try {
      const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
      return [pathToFileURL(join(home, entryIn(manifest.exports) ?? manifest.main ?? 'index.js')).href];
    } catch {
      return [];
    }
  });
}

/** The module that `exports` of a package.json names for an import of the package itself. */
function entryIn(exports: unknown): string | undefined {
  if (typeof exports !== 'object' || exports === null)
    return typeof exports === 'string' ? exports : undefined;
  const { '.': root, import: esm, node, default: otherwise } = exports as Record<string, unknown>;
  return entryIn(root ?? esm ?? node ?? otherwise);
}

/**
 * True when the module itself is missing or its name is invalid, not when a module that it imports is missing. In
 * both cases Node's message quotes the name or the first part of it.
 */
function isMissing(error: unknown, spec: string): boolean {
  const { code, url, message = '' } = error as { code?: string; url?: string; message?: string };
  if (code === 'ERR_INVALID_MODULE_SPECIFIER') return message.includes(spec);
  if (code !== 'ERR_MODULE_NOT_FOUND') return false;
  if (url !== undefined) return url === spec;
  const name = /'([^']+)'/u.exec(message)?.[1];
  return name !== undefined && (spec === name || spec.startsWith(`${name}/`));
}

type Create = (options: ThirdPartyOptions) => unknown;

/** `createSink`, else the first function named like `create…Sink`. The exports of CommonJS are in `default`. */
function creatorIn(module: Record<string, unknown>): Create | undefined {
  const inner = module.default;
  const all = { ...(typeof inner === 'object' ? inner : {}), ...module } as Record<string, unknown>;
  const names = ['createSink', ...Object.keys(all).filter((name) => /^create\w+Sink$/u.test(name))];
  const name = names.find((one) => typeof all[one] === 'function');
  return name === undefined ? undefined : (all[name] as Create);
}

function shapeFaults(sink: unknown): string[] {
  if (typeof sink !== 'object' || sink === null) return ['createSink gave no object'];
  // Not spread: the methods of a class are on its prototype.
  const given = sink as Record<string, unknown>;
  const { name } = given;
  const faults: string[] = [];
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]{0,31}$/u.test(name))
    faults.push('name is not a word of lower-case letters, digits and dashes');
  for (const verb of ['parseTarget', 'deliver'])
    if (typeof given[verb] !== 'function') faults.push(`${verb} is no function`);
  for (const verb of [
    'isShared',
    'nameOf',
    'obstacle',
    'welcome',
    'begin',
    'pack',
    'restMs',
    'start',
    'close',
  ])
    if (given[verb] !== undefined && typeof given[verb] !== 'function') faults.push(`${verb} is no function`);
  return faults;
}
