// Types of texts-types.mjs, which a test uses.
export function valuesOf(message: string): Map<string, string>;
export function typesFile(): string;
