// Rules for Components V2: with this flag, the components are the whole message. The rules say which component may be
// where, how many, and how much text.
import {
  absent,
  checkInteger,
  checkList,
  checkOneOf,
  checkText,
  checkUrl,
  fail,
  isJson,
  type Path,
  type Report,
} from './checks.js';
import { type DiscordError, invalidForm, type Trouble } from './errors.js';
import type { Json } from './types.js';
import { checkButton, checkRow } from './validate-components.js';

export const COMPONENTS_V2 = 1 << 15;

/** Row, section, text, separator. Galleries (12) and files (13) are not implemented, so they are refused too. */
const INNER = [1, 9, 10, 14];
const MOST_COMPONENTS = 40;
const MOST_TEXT = 4000;
/** Fields that a layout can't have, with the value that removes each in an edit. */
const LEGACY: readonly (readonly [field: string, empty: (value: unknown) => boolean])[] = [
  ['content', (value) => value === ''],
  ['embeds', (value) => Array.isArray(value) && value.length === 0],
  ['poll', () => false],
  ['sticker_ids', (value) => Array.isArray(value) && value.length === 0],
];

/** True for a body or a message with the flag. */
export function hasLayout({ flags }: { readonly flags?: unknown }): boolean {
  return (Number(flags ?? 0) & COMPONENTS_V2) !== 0;
}

const legacyTrouble = (field: string): Trouble => ({
  path: [field],
  code: 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
  message: `The '${field}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2`,
});

/** The refusal of a flag that is set on a message which still has content or embeds. */
export function legacyFields(): DiscordError {
  return invalidForm([legacyTrouble('content')]);
}

/**
 * `isEdit`: the fields of other messages may be emptied. `isLayout`: the message that is edited has the flag already, so
 * the components may stay as they are.
 */
export function checkLayoutMessage(report: Report, body: Json, isEdit: boolean, isLayout: boolean): void {
  for (const [field, isEmpty] of LEGACY)
    if (!absent(body[field]) && !(isEdit && isEmpty(body[field]))) report.troubles.push(legacyTrouble(field));
  if (isLayout && !absent(body.flags) && !hasLayout(body))
    fail(
      report,
      ['flags'],
      'MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG',
      'The IS_COMPONENTS_V2 flag cannot be removed from a message',
    );
  if (isLayout && body.components === undefined) return;
  const at = ['components'];
  const seen = new Set<string>();
  checkList(report, at, body.components, MOST_COMPONENTS, 1).forEach((part, i) => {
    checkPart(report, [...at, i], part, [...INNER, 17], seen);
  });
  const count = allParts(body.components).length;
  if (count > MOST_COMPONENTS)
    fail(
      report,
      at,
      'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED',
      `The number of components (${count}) exceeds ${MOST_COMPONENTS}`,
    );
  const size = textsIn(body.components).reduce((sum, text) => sum + text.length, 0);
  if (size > MOST_TEXT)
    fail(
      report,
      at,
      'COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED',
      `The displayable text size (${size}) exceeds ${MOST_TEXT}`,
    );
}

function checkPart(
  report: Report,
  at: Path,
  part: unknown,
  types: readonly number[],
  seen: Set<string>,
): void {
  if (!isJson(part)) {
    fail(report, at, 'DICT_TYPE_CONVERT', 'Only dictionaries may be used in a DictType');
    return;
  }
  if (!checkOneOf(report, [...at, 'type'], part.type, types)) return;
  if (part.type === 1) checkRow(report, at, part, seen);
  if (part.type === 9) checkSection(report, at, part, seen);
  if (part.type === 10) checkText(report, [...at, 'content'], part.content, { min: 1, max: MOST_TEXT });
  if (part.type === 14) checkInteger(report, [...at, 'spacing'], part.spacing, 1, 2);
  if (part.type !== 17) return;
  checkInteger(report, [...at, 'accent_color'], part.accent_color, 0, 0xffffff);
  const inside = [...at, 'components'];
  checkList(report, inside, part.components, MOST_COMPONENTS, 1).forEach((one, i) => {
    checkPart(report, [...inside, i], one, INNER, seen);
  });
}

/** One to three texts, and exactly one button or thumbnail. */
function checkSection(report: Report, at: Path, section: Json, seen: Set<string>): void {
  checkList(report, [...at, 'components'], section.components, 3, 1).forEach((text, i) => {
    checkPart(report, [...at, 'components', i], text, [10], seen);
  });
  const here = [...at, 'accessory'];
  const { accessory } = section;
  if (!isJson(accessory)) {
    fail(report, here, 'BASE_TYPE_REQUIRED', 'This field is required');
    return;
  }
  if (!checkOneOf(report, [...here, 'type'], accessory.type, [2, 11])) return;
  if (accessory.type === 2) checkButton(report, here, accessory, seen);
  else
    checkUrl(report, [...here, 'media', 'url'], Object(accessory.media).url ?? '', [
      'http',
      'https',
      'attachment',
    ]);
}

/** Every component at any depth, with accessories, in the order in which they are shown. */
function allParts(components: unknown): Json[] {
  if (!Array.isArray(components)) return [];
  return components
    .filter(isJson)
    .flatMap((one) => [one, ...allParts(one.components), ...allParts([one.accessory])]);
}

function textsIn(components: unknown): string[] {
  return allParts(components).flatMap(({ type, content }) =>
    type === 10 && typeof content === 'string' ? [content] : [],
  );
}

/** The text displays, one below the other: mentions in them notify. */
export function layoutText(components: unknown): string {
  return textsIn(components).join('\n');
}
