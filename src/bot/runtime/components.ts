// Builds buttons, menus and modals as Discord's JSON. Discord's length limits are applied only here, because
// Discord refuses the whole answer for one label that is too long.
import { defined } from '../../domain/defined.js';
import { discordId } from '../../domain/discord-id.js';
import { ellipsis } from '../../domain/text.js';
import type { Button, Select } from '../../render/discord/payload.js';

interface Menu {
  readonly type: 3;
  readonly custom_id: string;
  readonly placeholder: string;
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
  readonly components: readonly (Button | Menu | ChannelMenu | Select)[];
}

interface Field {
  readonly type: 4;
  readonly custom_id: string;
  readonly label: string;
  readonly style: 1 | 2;
  readonly required: boolean;
  readonly max_length: number;
  readonly value?: string;
  readonly placeholder?: string;
}

export interface Modal {
  readonly custom_id: string;
  readonly title: string;
  readonly components: readonly { readonly type: 1; readonly components: readonly Field[] }[];
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

export function row(...components: ActionRow['components']): ActionRow {
  return { type: 1, components };
}

export interface MenuOption {
  readonly label: string;
  readonly value: string;
  readonly about?: string;
  readonly chosen?: boolean;
}

/** A menu of at most 25 options; further options are left out. Options must have distinct values. */
export function menu(customId: string, placeholder: string, options: readonly MenuOption[]): Menu {
  return {
    type: 3,
    custom_id: customId,
    placeholder: ellipsis(placeholder, 150),
    options: options.slice(0, 25).map(({ label, value, about, chosen }) => ({
      label: ellipsis(label, 100) || '—',
      value,
      ...defined({ description: about ? ellipsis(about, 100) : undefined, default: chosen || undefined }),
    })),
  };
}

export function channelMenu(customId: string, placeholder: string): ChannelMenu {
  return {
    type: 8,
    custom_id: customId,
    placeholder: ellipsis(placeholder, 150),
    channel_types: CHANNEL_TYPES,
  };
}

export interface FieldSpec {
  readonly id: string;
  readonly label: string;
  readonly value?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly max?: number;
}

/** A modal of one to five single-line fields. */
export function modal(customId: string, title: string, fields: readonly FieldSpec[]): Modal {
  return {
    custom_id: customId,
    title: ellipsis(title, 45),
    components: fields.map(({ id, label, value, placeholder, required = false, max = 400 }) => ({
      type: 1,
      components: [
        {
          type: 4,
          custom_id: id,
          label: ellipsis(label, 45),
          style: 1,
          required,
          max_length: max,
          ...defined({
            value: value ? value.slice(0, max) : undefined,
            placeholder: placeholder ? ellipsis(placeholder, 100) : undefined,
          }),
        },
      ],
    })),
  };
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
