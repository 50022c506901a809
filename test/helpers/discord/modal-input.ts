// Fills in a modal: every field by its own rules, and the answer in the form of the modal.
import { isJson } from './checks.js';
import type { ShownModal } from './interaction-handle.js';
import type { Json } from './types.js';

type Fields = Record<string, string | string[]>;

/** The data of a modal submission; a field that is unknown, required but empty, or of a wrong length throws. */
export function modalData(modal: ShownModal, fields: Fields): Json {
  const known = new Set<string>();
  const components = modal.components.map((row, i) => {
    if (row.type === 10) return { type: 10, id: i + 1 };
    const inner = row.type === 18 ? row.component : Array.isArray(row.components) ? row.components[0] : null;
    if (!isJson(inner)) throw new Error(`Modal "${modal.title}": row ${i} has no input.`);
    known.add(String(inner.custom_id));
    const filled = fill(inner, fields[String(inner.custom_id)]);
    return row.type === 18
      ? { type: 18, id: i + 1, component: filled }
      : { type: 1, id: i + 1, components: [filled] };
  });
  for (const name of Object.keys(fields))
    if (!known.has(name))
      throw new Error(`Modal "${modal.title}" has no field "${name}" (${[...known].join(', ')}).`);
  return { custom_id: modal.customId, components };
}

function fill(input: Json, given: string | string[] | undefined): Json {
  const name = String(input.custom_id);
  const common = { type: input.type, id: 100, custom_id: name };
  if (input.type !== 4) {
    const values = typeof given === 'string' ? [given] : (given ?? defaultsOf(input));
    if (values.length === 0 && input.required !== false) throw new Error(`"${name}" must be chosen.`);
    return { ...common, values };
  }
  const value = typeof given === 'string' ? given : String(input.value ?? '');
  if (value === '' && input.required !== false) throw new Error(`"${name}" must be filled in.`);
  const min = Number(input.min_length ?? 0);
  const max = Number(input.max_length ?? 4000);
  if (value !== '' && (value.length < min || value.length > max))
    throw new Error(`"${name}": ${value.length} characters, allowed ${min}–${max}.`);
  if (input.style === 1 && value.includes('\n')) throw new Error(`"${name}" is a single line.`);
  return { ...common, value };
}

/** What a menu has chosen before a person touches it (Discord, "Component Reference", `default` and `default_values`). */
function defaultsOf(input: Json): string[] {
  const options = Array.isArray(input.options) ? input.options.filter(isJson) : [];
  const chosen = Array.isArray(input.default_values) ? input.default_values.filter(isJson) : [];
  return [
    ...options.filter((option) => option.default === true).map((option) => String(option.value)),
    ...chosen.map((one) => String(one.id)),
  ];
}
