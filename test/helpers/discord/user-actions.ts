// People: they type commands, press buttons, select, fill in modals. An impossible action (a button that is missing,
// an option that is not registered) is a mistake of the test and throws.
import { isJson } from './checks.js';
import {
  buildOptions,
  findCommand,
  findMessageCommand,
  type OptionValue,
  requireUsable,
  resolve,
} from './command-input.js';
import { createHandle, type InteractionHandle, type ShownModal } from './interaction-handle.js';
import { sendInteraction } from './interaction-send.js';
import { modalData } from './modal-input.js';
import { messageJson } from './payloads.js';
import { isThread } from './permissions.js';
import { dmWith } from './routes-app.js';
import { until } from './state.js';
import type { ChannelRecord, Json, MessageRecord, State, UserRecord } from './types.js';

interface Where {
  /** Left out: the first text channel of `guild`, otherwise the direct messages with the bot. */
  channel?: { id: string } | string;
  guild?: { id: string };
  locale?: string;
  /** The server's admins allowed the command to this person in spite of its default permissions. */
  override?: boolean;
}

export interface DiscordUser {
  readonly id: string;
  readonly record: UserRecord;
  slash: (
    command: string,
    options?: Record<string, OptionValue | undefined>,
    where?: Where,
  ) => InteractionHandle;
  /** Uses a command of the menu "Apps" of a message. */
  onMessage: (command: string, message: MessageRecord, where?: Pick<Where, 'locale'>) => InteractionHandle;
  /** The choices shown after typing `partial` into an option; `others` are already filled in. */
  autocomplete: (
    command: string,
    option: string,
    partial: string,
    others?: Record<string, OptionValue | undefined>,
    where?: Where,
  ) => Promise<{ name: string; value: string | number }[]>;
  /** Presses the button with this custom_id or label. */
  press: (
    message: MessageRecord,
    customIdOrLabel: string,
    where?: Pick<Where, 'locale'>,
  ) => InteractionHandle;
  select: (
    message: MessageRecord,
    customId: string,
    values: string[],
    where?: Pick<Where, 'locale'>,
  ) => InteractionHandle;
  /** Sends a modal; fields by custom_id; fields that are left out keep their value. */
  submit: (modal: ShownModal, fields: Record<string, string | string[]>) => InteractionHandle;
  /** The messages that this person sees in their direct messages with the bot, oldest first. */
  dms: () => MessageRecord[];
}

export function createUser(state: State, record: UserRecord): DiscordUser {
  function placeOf(where: Where): ChannelRecord {
    const id = typeof where.channel === 'string' ? where.channel : where.channel?.id;
    if (id !== undefined) {
      const channel = state.channels.get(id);
      if (!channel) throw new Error(`No channel ${id} in the stand-in.`);
      return channel;
    }
    if (!where.guild) return dmWith(state, record.id);
    const { id: guildId } = where.guild;
    const first = [...state.channels.values()].find((c) => c.guildId === guildId && c.type === 0);
    if (!first) throw new Error(`Guild ${guildId} has no text channel.`);
    return first;
  }

  function command(
    type: 2 | 4,
    typed: string,
    options: Record<string, OptionValue | undefined>,
    where: Where,
    focused: string | null,
  ) {
    const channel = placeOf(where);
    const target = findCommand(state, channel.guildId, typed);
    requireUsable(state, target.command, record, channel, where.override ?? false);
    const definition = target.options.find((o) => o.name === focused);
    if (focused !== null && definition?.autocomplete !== true)
      throw new Error(`${typed}: option "${focused}" has no autocomplete.`);
    const built = buildOptions(state, target, options, record, channel, focused);
    return sendInteraction(state, record, channel, {
      type,
      name: typed.startsWith('/') ? typed : `/${typed}`,
      locale: where.locale ?? record.locale,
      integrationTypes: (target.command.integration_types as unknown[] | undefined) ?? [0],
      ...(definition ? { focusedType: Number(definition.type) } : {}),
      data: {
        id: target.command.id,
        name: target.command.name,
        type: 1,
        ...(target.command.guild_id ? { guild_id: target.command.guild_id } : {}),
        ...(built.options.length > 0 ? { options: built.options } : {}),
        ...(Object.keys(built.resolved).length > 0 ? { resolved: built.resolved } : {}),
      },
    });
  }

  /** The message as it is now. Throws when this person can't see it. */
  function seen(message: MessageRecord): MessageRecord {
    const live = state.messages.get(message.id);
    if (!live || live.deleted) throw new Error('That message is gone.');
    if (live.ephemeral && live.ephemeralFor !== record.id)
      throw new Error(`${record.username} cannot see that ephemeral message.`);
    return live;
  }

  /**
   * Discord sends the whole message in `resolved` (Discord, "Receiving and Responding to Interactions", Resolved Data
   * Structure, and "Application Commands", Message Commands).
   */
  function messageCommand(typed: string, message: MessageRecord, where: Pick<Where, 'locale'>) {
    const live = seen(message);
    const channel = placeOf({ channel: live.channelId });
    const target = findMessageCommand(state, channel.guildId, typed);
    requireUsable(state, target, record, channel, false);
    const sent = sendInteraction(state, record, channel, {
      type: 2,
      name: typed,
      locale: where.locale ?? record.locale,
      integrationTypes: (target.integration_types as unknown[] | undefined) ?? [0],
      data: {
        id: target.id,
        name: target.name,
        type: 3,
        target_id: live.id,
        resolved: { messages: { [live.id]: messageJson(state, live) } },
        ...(target.guild_id ? { guild_id: target.guild_id } : {}),
      },
    });
    return createHandle(state, sent);
  }

  function onMessage(message: MessageRecord, wanted: string, isButton: boolean) {
    const live = seen(message);
    const all = controlsIn(live.components);
    const item = all.find(
      (c) => (c.type === 2) === isButton && (c.custom_id === wanted || c.label === wanted),
    );
    const names = all.map((c) => `${String(c.label ?? '')} [${String(c.custom_id ?? c.url)}]`).join(', ');
    if (!item)
      throw new Error(
        `No ${isButton ? 'button' : 'select'} "${wanted}" on the message; there are: ${names}.`,
      );
    if (item.disabled === true) throw new Error(`"${wanted}" is disabled.`);
    if (item.style === 5) throw new Error(`"${wanted}" is a link: nothing is sent to the bot.`);
    const channel = placeOf({ channel: live.channelId });
    if (channel.guildId !== null && isThread(channel) && channel.archived) channel.archived = false;
    return { live, item, channel };
  }

  function component(
    message: MessageRecord,
    wanted: string,
    values: string[] | null,
    where: Pick<Where, 'locale'>,
  ) {
    const { live, item, channel } = onMessage(message, wanted, values === null);
    const resolved: Json = {};
    if (values !== null) checkValues(item, values, wanted);
    if (values !== null && Number(item.type) >= 5)
      for (const id of values) {
        const kind = { 5: 6, 6: 8, 7: 9, 8: 7 }[Number(item.type)] ?? 9;
        resolve(state, kind, id, wanted, resolved, record, channel, item.channel_types);
      }
    const sent = sendInteraction(state, record, channel, {
      type: 3,
      name: String(item.custom_id),
      locale: where.locale ?? record.locale,
      source: live,
      sourceJson: messageJson(state, live),
      data: {
        component_type: item.type,
        custom_id: item.custom_id,
        ...(values === null ? {} : { values }),
        ...(Object.keys(resolved).length > 0 ? { resolved } : {}),
      },
    });
    return createHandle(state, sent);
  }

  return {
    id: record.id,
    record,
    onMessage: (typed, message, where = {}) => messageCommand(typed, message, where),
    slash: (typed, options = {}, where = {}) => createHandle(state, command(2, typed, options, where, null)),
    async autocomplete(typed, option, partial, others = {}, where = {}) {
      const sent = command(4, typed, { ...others, [option]: partial }, where, option);
      return until(state, () => sent.choices, `autocomplete choices for ${typed} ${option}`, 5000);
    },
    press: (message, wanted, where = {}) => component(message, wanted, null, where),
    select: (message, wanted, values, where = {}) => component(message, wanted, values, where),
    submit(modal, fields) {
      const opener = state.interactions.find((i) => i.id === modal.interactionId);
      if (!opener || opener.userId !== record.id) throw new Error('That modal is on another screen.');
      const channel = placeOf({ channel: opener.channelId });
      const source = state.messages.get(opener.sourceMessageId ?? '');
      const sent = sendInteraction(state, record, channel, {
        type: 5,
        name: modal.customId,
        locale: String(opener.payload.locale),
        ...(source ? { source, sourceJson: messageJson(state, source) } : {}),
        data: modalData(modal, fields),
      });
      return createHandle(state, sent);
    },
    dms() {
      const channel = dmWith(state, record.id);
      return [...state.messages.values()].filter(
        (m) => m.channelId === channel.id && !m.deleted && !m.ephemeral,
      );
    },
  };
}

/** Buttons and selects at any depth, in the order in which they are shown. */
export function controlsIn(components: unknown): Json[] {
  if (!Array.isArray(components)) return [];
  return components.filter(isJson).flatMap((one) => {
    const nested = [...controlsIn(one.components), ...controlsIn([one.accessory])];
    return one.type === 2 || 'custom_id' in one ? [one, ...nested] : nested;
  });
}

function checkValues(item: Json, values: string[], wanted: string): void {
  const min = Number(item.min_values ?? 1);
  const max = Number(item.max_values ?? 1);
  if (values.length < min || values.length > max)
    throw new Error(`"${wanted}" takes ${min} to ${max} values.`);
  if (item.type !== 3) return;
  const options = Array.isArray(item.options) ? item.options.filter(isJson) : [];
  for (const value of values)
    if (!options.some((o) => o.value === value)) throw new Error(`"${wanted}" has no option "${value}".`);
}
