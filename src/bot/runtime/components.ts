// Builds buttons, menus and modals as Discord's JSON. Discord's length limits are applied only here, because
// Discord refuses the whole answer for one label that is too long.
import { defined } from '../../domain/defined.js';
import { discordId } from '../../domain/discord-id.js';
import { ellipsis } from '../../domain/text.js';
import type { Button, LinkButton, Select } from '../../render/discord/payload.js';

interface Menu {
  readonly type: 3;
  readonly custom_id: string;
  readonly placeholder: string;
  readonly min_values?: number;
  readonly max_values?: number;
  readonly options: readonly {
    readonly label: string;
    readonly value: string;
    readonly description?: string;
    readonly default?: boolean;
  }[];
}

/** A menu of the server's channels, filled in by Discord. */
interface ChannelMenu {
  readonly type: 8;
  readonly custom_id: string;
  readonly placeholder: string;
  readonly channel_types: readonly number[];
}

/** `Select` comes from the card renderer. */
export interface ActionRow {
  readonly type: 1;
  readonly components: readonly (Button | LinkButton | Menu | ChannelMenu | Select)[];
}

interface TextField {
  readonly type: 4;
  readonly custom_id: string;
  readonly style: 1 | 2;
  readonly required: boolean;
  readonly max_length: number;
  readonly value?: string;
  readonly placeholder?: string;
}

type ChoiceField = Pick<Menu, 'type' | 'custom_id' | 'options'> & { readonly required: boolean };

/** A menu of the server's roles, filled in by Discord. */
interface RoleField {
  readonly type: 6;
  readonly custom_id: string;
  readonly required: boolean;
  readonly default_values?: readonly { readonly id: string; readonly type: 'role' }[];
}

/** A field with its label (Discord, "Component Reference", Label). */
interface Label {
  readonly type: 18;
  readonly label: string;
  readonly description?: string;
  readonly component: TextField | ChoiceField | RoleField;
}

export interface Modal {
  readonly custom_id: string;
  readonly title: string;
  readonly components: readonly Label[];
}

/** Text, announcement, threads of every kind, forum. */
export const CHANNEL_TYPES: readonly number[] = [0, 5, 10, 11, 12, 15];

const STYLES = { primary: 1, plain: 2, good: 3, danger: 4 } as const;

export function button(
  label: string,
  customId: string,
  style: keyof typeof STYLES = 'plain',
  emoji?: string,
): Button {
  return {
    type: 2,
    style: STYLES[style],
    label: ellipsis(label, 80),
    custom_id: customId,
    ...defined({ emoji: emoji ? { name: emoji } : undefined }),
  };
}

/** A button that opens an address of at most 512 characters, which Discord does not report to the bot. */
export function link(label: string, url: string): LinkButton {
  return { type: 2, style: 5, label: ellipsis(label, 80), url };
}

export function row(...components: ActionRow['components']): ActionRow {
  return { type: 1, components };
}

export interface MenuOption {
  readonly label: string;
  readonly value: string;
  readonly about?: string;
  readonly chosen?: boolean;
}

/**
 * A menu of at most 25 options, of which one is chosen; further options are left out. Options must have distinct
 * values. `most`: up to so many are chosen, or none.
 */
export function menu(
  customId: string,
  placeholder: string,
  options: readonly MenuOption[],
  most?: number,
): Menu {
  const shown = menuOptions(options);
  return {
    type: 3,
    custom_id: customId,
    placeholder: ellipsis(placeholder, 150),
    ...(most === undefined ? {} : { min_values: 0, max_values: Math.min(most, shown.length) }),
    options: shown,
  };
}

function menuOptions(options: readonly MenuOption[]): Menu['options'] {
  return options.slice(0, 25).map(({ label, value, about, chosen }) => ({
    label: ellipsis(label, 100) || '—',
    value,
    ...defined({ description: about ? ellipsis(about, 100) : undefined, default: chosen || undefined }),
  }));
}

export function channelMenu(customId: string, placeholder: string): ChannelMenu {
  return {
    type: 8,
    custom_id: customId,
    placeholder: ellipsis(placeholder, 150),
    channel_types: CHANNEL_TYPES,
  };
}

/** A field of a modal: a line of text, or with `options` a menu, or with `roles` a menu of the server's roles. */
export interface FieldSpec {
  readonly id: string;
  readonly label: string;
  readonly about?: string;
  /** What the field holds: a text, or the id of a role. */
  readonly value?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly max?: number;
  /** The chosen one is in the option itself. */
  readonly options?: readonly MenuOption[];
  readonly roles?: true;
}

/** A modal of one to five fields. */
export function modal(customId: string, title: string, fields: readonly FieldSpec[]): Modal {
  return {
    custom_id: customId,
    title: ellipsis(title, 45),
    components: fields.map((field) => ({
      type: 18,
      label: ellipsis(field.label, 45),
      ...defined({ description: field.about ? ellipsis(field.about, 100) : undefined }),
      component: fieldOf(field),
    })),
  };
}

function fieldOf({
  id,
  value,
  placeholder,
  required = false,
  max = 400,
  options,
  roles,
}: FieldSpec): Label['component'] {
  if (options) return { type: 3, custom_id: id, required, options: menuOptions(options) };
  if (roles) {
    const chosen = value ? ([{ id: value, type: 'role' }] as const) : undefined;
    return { type: 6, custom_id: id, required, ...defined({ default_values: chosen }) };
  }
  return {
    type: 4,
    custom_id: id,
    style: 1,
    required,
    max_length: max,
    ...defined({
      value: value ? value.slice(0, max) : undefined,
      placeholder: placeholder ? ellipsis(placeholder, 100) : undefined,
    }),
  };
}

/** The modal with what a person sent in it: texts, and the chosen one of each menu. A field left empty is empty. */
export function filledIn(form: Modal, sent: Readonly<Record<string, string>>): Modal {
  return {
    ...form,
    components: form.components.map((line) => ({
      ...line,
      component: withValue(line.component, sent[line.component.custom_id] ?? ''),
    })),
  };
}

function withValue(field: Label['component'], value: string): Label['component'] {
  if (field.type === 3)
    return {
      ...field,
      options: field.options.map(({ default: _former, ...option }) =>
        option.value === value ? { ...option, default: true } : option,
      ),
    };
  if (field.type === 6) {
    const { default_values: _former, ...rest } = field;
    return value ? { ...rest, default_values: [{ id: value, type: 'role' }] } : rest;
  }
  const { value: _former, ...rest } = field;
  return value ? { ...rest, value } : rest;
}

// The state of the bot's own buttons is in their custom_id, so that they work after a restart. It includes the user
// who may press: `<action>:<arg>…@<user id>`. A forged id gains nothing, because the service checks the user's
// rights again.

/** Returns at most 100 characters, Discord's limit, if the arguments have fewer than 70. */
export function customId(action: string, args: readonly string[], owner: string): string {
  return `${[action, ...args].join(':')}@${owner}`;
}

export interface ParsedId {
  readonly action: string;
  readonly args: readonly string[];
  readonly owner?: string;
}

/** Reads any custom_id. A button without an owner may be used by anyone. */
export function parseCustomId(id: string): ParsedId {
  const at = id.lastIndexOf('@');
  const owner = at < 0 ? undefined : discordId(id.slice(at + 1));
  const body = owner ? id.slice(0, at) : id;
  const [action = '', ...args] = body.split(':');
  return { action, args, ...defined({ owner: owner || undefined }) };
}
