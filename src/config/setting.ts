// What a setting is: a schema whose message says what is wanted, with what people should know as its metadata. The tables
// in settings.ts (environment) and file.ts (config/default.json) are made of these and read in the same way.
import * as v from 'valibot';

export type About = {
  readonly meaning: string;
  /** A valid value as it is written; the default when left out. */
  readonly example?: string;
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
export interface Setting<N extends string> extends Omit<About, 'example'> {
  readonly name: N;
  readonly schema: v.GenericSchema;
  readonly default: string | undefined;
  readonly example: string | undefined;
}

/** The entries of a table as a list, in their order. */
export function settingsOf<E extends Readonly<Record<string, ReturnType<typeof setting>>>>(
  table: E,
): readonly Setting<keyof E & string>[] {
  return Object.entries(table).map(([name, schema]) => {
    const [, { metadata }] = schema.pipe;
    const standard = v.getDefault(schema);
    const text = standard === undefined ? undefined : String(standard);
    return { name, schema, default: text, ...metadata, example: metadata.example ?? text };
  });
}

/**
 * Reads a table. A value that can't be used is taken out of `given`, so that its default applies, and `refused` is called
 * with its name (HTTP_PORT, limits.digestCap), the message of its schema and the value.
 */
export function readSettings<S extends v.GenericSchema>(
  table: S,
  given: object,
  refused: (name: string, message: string, value: unknown) => void,
): v.InferOutput<S> {
  const result = v.safeParse(table, given);
  if (result.success) return result.output;
  for (const issue of result.issues) {
    const leaf = issue.path?.at(-1);
    refused(v.getDotPath(issue) ?? '', issue.message, leaf?.value);
    if (leaf?.type === 'object') delete leaf.input[leaf.key];
  }
  return v.parse(table, given);
}
