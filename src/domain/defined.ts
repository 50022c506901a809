// Objects without undefined fields: `exactOptionalPropertyTypes` distinguishes an absent field from an undefined one.

/** Returns the fields that are not undefined. For use in an object: `{ id, ...defined({ title, company }) }`. */
export function defined<const T extends object>(
  fields: T,
): { -readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  const set: { [K in keyof T]?: unknown } = {};
  for (const name in fields) if (fields[name] !== undefined) set[name] = fields[name];
  return set as { [K in keyof T]?: Exclude<T[K], undefined> };
}
