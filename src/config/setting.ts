// What a setting is: a schema whose message says what is wanted, with what people should know as its metadata. The tables
// in settings.ts (environment) and file.ts (config/default.json) are made of these and read in the same way.
import * as v from 'valibot';

export type About = {
  readonly meaning: string;
  /** A valid value as it is written. */
  readonly example: string;
  /** What applies when it is not set, in words, for a setting without a default. */
  readonly otherwise?: string;
  /** The value is never shown, not even in a fault. */
  readonly secret?: true;
  /** An address that may hold a password; it is shown without it. */
  readonly address?: true;
};

/** One entry of a table. A default is read by the schema, like a given value. */
export function setting<S extends v.GenericSchema>(schema: S, about: About) {
  return v.pipe(schema, v.metadata<v.InferOutput<S>, About>(about));
}

/** A setting of a table. Its default is text, as people would write it. */
export interface Setting<N extends string> extends About {
  readonly name: N;
  readonly schema: v.GenericSchema;
  readonly default: string | undefined;
}

/** The entries of a table as a list, in their order. */
export function settingsOf<E extends Readonly<Record<string, ReturnType<typeof setting>>>>(
  table: E,
): readonly Setting<keyof E & string>[] {
  return Object.entries(table).map(([name, schema]) => {
    const standard = v.getDefault(schema);
    const [, { metadata }] = schema.pipe;
    return { name, schema, default: standard === undefined ? undefined : String(standard), ...metadata };
  });
}

/** Values by the name of their setting, such as HTTP_PORT or limits.digestCap. */
export type Given = Readonly<Record<string, unknown>>;

/** Turns `{ 'limits.digestCap': 20 }` into `{ limits: { digestCap: 20 } }`. */
function nested(given: Given): Given {
  const groups: Record<string, Record<string, unknown>> = {};
  const own: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const [group = '', key] = name.split('.');
    if (key === undefined) own[name] = value;
    else groups[group] = { ...groups[group], [key]: value };
  }
  return { ...own, ...groups };
}

/** Reads a table. `refused` is called for each value that can't be used, and its default applies. */
export function readSettings<S extends v.GenericSchema>(
  table: S,
  given: Given,
  refused: (name: string, message: string) => void,
): v.InferOutput<S> {
  const result = v.safeParse(table, nested(given));
  if (result.success) return result.output;
  const faults = new Map(result.issues.map((issue) => [v.getDotPath(issue) ?? '', issue.message]));
  for (const [name, message] of faults) refused(name, message);
  const sound = Object.entries(given).filter(([name]) => !faults.has(name));
  return v.parse(table, nested(Object.fromEntries(sound)));
}
