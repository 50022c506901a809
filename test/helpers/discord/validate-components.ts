// Rules for rows of buttons and selects, and for modals. A layout of the second version is in validate-layout.ts.
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
  validated,
} from './checks.js';
import type { Json } from './types.js';

const SELECTS = [3, 5, 6, 7, 8];

/** Rows of a message: 5 rows, each with 5 buttons or one select; custom ids are unique in all of them. */
export function checkComponents(report: Report, at: Path, value: unknown): void {
  const seen = new Set<string>();
  checkList(report, at, value, 5).forEach((row, i) => {
    const here = [...at, i];
    if (isJson(row) && checkOneOf(report, [...here, 'type'], row.type, [1]))
      checkRow(report, here, row, seen);
  });
}

/** One row: 5 buttons or one select. */
export function checkRow(report: Report, at: Path, row: Json, seen: Set<string>): void {
  const items = checkList(report, [...at, 'components'], row.components, 5, 1);
  const selects = items.filter((item) => isJson(item) && SELECTS.includes(Number(item.type)));
  if (selects.length > 0 && items.length > 1)
    fail(
      report,
      [...at, 'components'],
      'COMPONENT_LAYOUT_WIDTH_EXCEEDED',
      'The specified component exceeds the maximum width',
    );
  items.forEach((item, j) => {
    const path = [...at, 'components', j];
    if (!isJson(item) || !checkOneOf(report, [...path, 'type'], item.type, [2, ...SELECTS])) return;
    if (item.type === 2) checkButton(report, path, item, seen);
    else checkSelect(report, path, item, seen);
  });
}

function checkCustomId(report: Report, at: Path, value: unknown, seen: Set<string>): void {
  checkText(report, [...at, 'custom_id'], value, { min: 1, max: 100 });
  if (typeof value !== 'string') return;
  if (seen.has(value))
    fail(
      report,
      [...at, 'custom_id'],
      'COMPONENT_CUSTOM_ID_DUPLICATED',
      'Component custom id cannot be duplicated',
    );
  seen.add(value);
}

export function checkButton(report: Report, at: Path, button: Json, seen: Set<string>): void {
  checkOneOf(report, [...at, 'style'], button.style, [1, 2, 3, 4, 5]);
  checkText(report, [...at, 'label'], button.label, { max: 80 });
  if (absent(button.emoji) && (typeof button.label !== 'string' || button.label.trim() === ''))
    fail(report, at, 'BUTTON_COMPONENT_INVALID', 'A button must have either a label or an emoji');
  if (button.style === 5) {
    if (!absent(button.custom_id))
      fail(
        report,
        [...at, 'custom_id'],
        'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE',
        'A custom id and url cannot both be specified',
      );
    if (absent(button.url)) fail(report, [...at, 'url'], 'BASE_TYPE_REQUIRED', 'A url is required');
    checkUrl(report, [...at, 'url'], button.url, ['http', 'https', 'discord'], 512);
    return;
  }
  if (!absent(button.url))
    fail(
      report,
      [...at, 'url'],
      'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE',
      'A custom id and url cannot both be specified',
    );
  checkCustomId(report, at, button.custom_id, seen);
}

function checkSelect(report: Report, at: Path, select: Json, seen: Set<string>): void {
  checkCustomId(report, at, select.custom_id, seen);
  checkText(report, [...at, 'placeholder'], select.placeholder, { max: 150 });
  checkInteger(report, [...at, 'min_values'], select.min_values, 0, 25);
  checkInteger(report, [...at, 'max_values'], select.max_values, 1, 25);
  const min = Number(select.min_values ?? 1);
  const max = Number(select.max_values ?? 1);
  if (min > max)
    fail(report, [...at, 'min_values'], 'SELECT_COMPONENT_MIN_MAX', 'min_values must not exceed max_values');
  if (select.type !== 3) return;
  const options = checkList(report, [...at, 'options'], select.options, 25, 1);
  if (options.length > 0 && max > options.length)
    fail(
      report,
      [...at, 'max_values'],
      'SELECT_COMPONENT_TOO_MANY_MAX_VALUES',
      'max_values exceeds the number of options',
    );
  const values = new Set<unknown>();
  let chosen = 0;
  options.forEach((option, i) => {
    const here = [...at, 'options', i];
    if (!isJson(option)) {
      fail(report, here, 'DICT_TYPE_CONVERT', 'Only dictionaries may be used in a DictType');
      return;
    }
    checkText(report, [...here, 'label'], option.label, { min: 1, max: 100 });
    checkText(report, [...here, 'value'], option.value, { min: 1, max: 100 });
    checkText(report, [...here, 'description'], option.description, { max: 100 });
    if (values.has(option.value))
      fail(
        report,
        [...here, 'value'],
        'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED',
        'The specified option value is already used',
      );
    values.add(option.value);
    if (option.default === true) chosen += 1;
  });
  if (chosen > max)
    fail(
      report,
      [...at, 'options'],
      'SELECT_COMPONENT_TOO_MANY_DEFAULTS',
      'More default values than max_values',
    );
}

/** Data of a modal response: title 45, custom_id 100, one to five rows or labels with one input each. */
export function validateModal(data: Json): void {
  validated((report) => {
    checkText(report, ['data', 'title'], data.title, { min: 1, max: 45 });
    checkText(report, ['data', 'custom_id'], data.custom_id, { min: 1, max: 100 });
    const seen = new Set<string>();
    checkList(report, ['data', 'components'], data.components, 5, 1).forEach((row, i) => {
      const at: Path = ['data', 'components', i];
      if (!isJson(row) || !checkOneOf(report, [...at, 'type'], row.type, [1, 10, 18])) return;
      if (row.type === 10) {
        checkText(report, [...at, 'content'], row.content, { min: 1, max: 4000 });
        return;
      }
      if (row.type === 18) {
        checkLabel(report, at, row, seen);
        return;
      }
      const items = checkList(report, [...at, 'components'], row.components, 1, 1);
      const input = items[0];
      const here = [...at, 'components', 0];
      if (isJson(input) && checkOneOf(report, [...here, 'type'], input.type, [4]))
        checkInput(report, here, input, seen, true);
    });
  });
}

function checkLabel(report: Report, at: Path, row: Json, seen: Set<string>): void {
  checkText(report, [...at, 'label'], row.label, { min: 1, max: 45 });
  checkText(report, [...at, 'description'], row.description, { max: 100 });
  const here = [...at, 'component'];
  if (!isJson(row.component)) {
    fail(report, here, 'BASE_TYPE_REQUIRED', 'This field is required');
    return;
  }
  if (!checkOneOf(report, [...here, 'type'], row.component.type, [4, ...SELECTS])) return;
  if (row.component.type === 4) checkInput(report, here, row.component, seen, false);
  else checkSelect(report, here, row.component, seen);
}

function checkInput(report: Report, at: Path, input: Json, seen: Set<string>, labelled: boolean): void {
  checkCustomId(report, at, input.custom_id, seen);
  checkOneOf(report, [...at, 'style'], input.style, [1, 2]);
  if (labelled) checkText(report, [...at, 'label'], input.label, { min: 1, max: 45 });
  checkText(report, [...at, 'placeholder'], input.placeholder, { max: 100 });
  checkText(report, [...at, 'value'], input.value, { max: 4000 });
  checkInteger(report, [...at, 'min_length'], input.min_length, 0, 4000);
  checkInteger(report, [...at, 'max_length'], input.max_length, 1, 4000);
}
