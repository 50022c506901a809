// Buttons, menus and modals in Discord's own JSON. The lengths Discord allows are kept here, once, because a label
// too long makes it refuse the whole answer.
import { ellipsis } from '../../domain/text.js';
/** Text, announcement, threads of every kind, forum. */
export const CHANNEL_TYPES = [0, 5, 10, 11, 12, 15];
const STYLES = { primary: 1, plain: 2, good: 3, danger: 4 };
export function button(label, customId, style = 'plain', emoji) {
    return {
        type: 2,
        style: STYLES[style],
        label: ellipsis(label, 80),
        custom_id: customId,
        ...(emoji ? { emoji: { name: emoji } } : {}),
    };
}
export function row(...components) {
    return { type: 1, components };
}
/** A menu of at most 25 options, the rest is left out; options must have distinct values. */
export function menu(customId, placeholder, options) {
    return {
        type: 3,
        custom_id: customId,
        placeholder: ellipsis(placeholder, 150),
        options: options.slice(0, 25).map(({ label, value, about, chosen }) => ({
            label: ellipsis(label, 100) || '—',
            value,
            ...(about ? { description: ellipsis(about, 100) } : {}),
            ...(chosen ? { default: true } : {}),
        })),
    };
}
export function channelMenu(customId, placeholder) {
    return {
        type: 8,
        custom_id: customId,
        placeholder: ellipsis(placeholder, 150),
        channel_types: CHANNEL_TYPES,
    };
}
/** A modal of one to five single-line fields. */
export function modal(customId, title, fields) {
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
                    ...(value ? { value: value.slice(0, max) } : {}),
                    ...(placeholder ? { placeholder: ellipsis(placeholder, 100) } : {}),
                },
            ],
        })),
    };
}
// The state of the bot's own buttons is in their custom_id, so that they work after a restart. Who may press is part
// of it: `<action>:<arg>…@<user id>`. A forged id gains nothing, the service asks for the right again.
/** At most 100 characters, Discord's limit, as long as the arguments stay under 70. */
export function customId(action, args, owner) {
    return `${[action, ...args].join(':')}@${owner}`;
}
/** Reads any custom_id; one without an owner belongs to whoever presses. */
export function parseCustomId(id) {
    const [, body = id, owner] = /^(.*)@(\d{17,20})$/su.exec(id) ?? [];
    const [action = '', ...args] = body.split(':');
    return { action, args, ...(owner ? { owner } : {}) };
}
//# sourceMappingURL=components.js.map