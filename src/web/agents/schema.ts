// The arguments of a tool as JSON Schema, for programs that read what they may send.
import { toJsonSchema } from '@valibot/to-json-schema';
import type { Tool } from './tools.js';

/** Returns the JSON Schema of a tool's arguments, which is always an object. */
export function argumentsOf({ args }: Tool) {
  const { $schema: _draft, properties = {}, required = [] } = toJsonSchema(args, { typeMode: 'input' });
  return {
    type: 'object' as const,
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}
