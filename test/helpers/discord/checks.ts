// Small checks that collect faults in the words of Discord, shared by the validators of messages, components, modals
// and commands.
import { invalidForm, type Trouble } from './errors.js';
import type { Json } from './types.js';

export interface Report {
  troubles: Trouble[];
}

export type Path = (string | number)[];

/** Runs checks and throws one 50035 with all faults. */
export function validated(check: (report: Report) => void): void {
  const report: Report = { troubles: [] };
  check(report);
  if (report.troubles.length > 0) throw invalidForm(report.troubles);
}

export function fail(report: Report, path: Path, code: string, message: string): void {
  report.troubles.push({ path, code, message });
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function absent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/**
 * A string with a length in UTF-16 units after trimming (never less strict than Discord, which counts
 * characters). Absent is fine unless `min` is above zero and `optional` is not set.
 */
export function checkText(
  report: Report,
  path: Path,
  value: unknown,
  limits: { min?: number; max: number; optional?: boolean },
): void {
  const { min = 0, max, optional = min === 0 } = limits;
  if (absent(value)) {
    if (!optional) fail(report, path, 'BASE_TYPE_REQUIRED', 'This field is required');
    return;
  }
  if (typeof value !== 'string') {
    fail(report, path, 'STRING_TYPE_CONVERT', 'Could not interpret value as string.');
    return;
  }
  const size = value.trim().length;
  if (size === 0 && min > 0) fail(report, path, 'BASE_TYPE_REQUIRED', 'This field is required');
  else if (size < min || size > max) {
    const wanted = min > 0 ? `between ${min} and ${max}` : `${max} or fewer`;
    fail(
      report,
      path,
      min > 0 ? 'BASE_TYPE_BAD_LENGTH' : 'BASE_TYPE_MAX_LENGTH',
      `Must be ${wanted} in length.`,
    );
  }
}

/** An array of at most `max` (at least `min`) items; anything else is reported and treated as empty. */
export function checkList(report: Report, path: Path, value: unknown, max: number, min = 0): unknown[] {
  if (absent(value)) {
    if (min > 0) fail(report, path, 'BASE_TYPE_REQUIRED', 'This field is required');
    return [];
  }
  if (!Array.isArray(value)) {
    fail(report, path, 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType');
    return [];
  }
  if (value.length > max || value.length < min) {
    const wanted = min > 0 ? `between ${min} and ${max}` : `${max} or fewer`;
    const code = min > 0 ? 'BASE_TYPE_BAD_LENGTH' : 'BASE_TYPE_MAX_LENGTH';
    fail(report, path, code, `Must be ${wanted} in length.`);
  }
  return value;
}

export function checkInteger(report: Report, path: Path, value: unknown, min: number, max: number): void {
  if (absent(value)) return;
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    fail(report, path, 'NUMBER_TYPE_COERCE', `Value "${String(value)}" is not int.`);
    return;
  }
  if (value < min)
    fail(report, path, 'NUMBER_TYPE_MIN', `int value should be greater than or equal to ${min}.`);
  if (value > max) fail(report, path, 'NUMBER_TYPE_MAX', `int value should be less than or equal to ${max}.`);
}

export function checkOneOf(report: Report, path: Path, value: unknown, allowed: readonly unknown[]): boolean {
  if (allowed.includes(value)) return true;
  fail(report, path, 'BASE_TYPE_CHOICES', `Value must be one of {${allowed.join(', ')}}.`);
  return false;
}

/** A link Discord accepts: scheme, and a host that is an address or has a dot. */
export function checkUrl(
  report: Report,
  path: Path,
  value: unknown,
  schemes: readonly string[] = ['http', 'https'],
  max = 2048,
): void {
  if (absent(value)) return;
  if (typeof value !== 'string') {
    fail(report, path, 'STRING_TYPE_CONVERT', 'Could not interpret value as string.');
    return;
  }
  if (value.length > max) {
    fail(report, path, 'BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`);
    return;
  }
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(value)?.[1]?.toLowerCase();
  if (scheme && !schemes.includes(scheme)) {
    const list = schemes.map((s) => `'${s}'`).join(', ');
    fail(report, path, 'URL_TYPE_INVALID_SCHEME', `Scheme "${scheme}" must be one of (${list}).`);
    return;
  }
  if (scheme === 'attachment' || scheme === 'discord') return;
  const host = /\s/.test(value) ? undefined : hostOf(value);
  if (!host?.includes('.') && !host?.startsWith('['))
    fail(report, path, 'URL_TYPE_INVALID_URL', 'Not a well formed URL.');
}

function hostOf(value: string): string | undefined {
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) return undefined;
  return new URL(value).hostname;
}

/** A snowflake in a path or body. */
export function isSnowflake(value: unknown): value is string {
  return typeof value === 'string' && /^\d{17,20}$/.test(value);
}
