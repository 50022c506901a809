// Answers one interaction: acknowledges it once, within three seconds, and follows every acknowledgement with an
// answer, also when Discord or the bot fails in between.
import { setTimeout as sleep } from 'node:timers/promises';
import { DiscordFault } from '../../discord/fault.js';
import { reasonOf } from '../../domain/errors.js';
import type { Log } from '../../ports/system.js';
import { COMPONENTS_V2 } from '../../render/discord/payload.js';
import type { Modal } from './components.js';
import type { OpenAnswers } from './open-replies.js';
import { type Message, PRIVATE } from './reply-json.js';
import type { Answerable } from './request-of.js';

const UNKNOWN_INTERACTION = 10062;
const ALREADY_ACKNOWLEDGED = 40060;
const ACK_TRIES = 3;
const EDIT_TRIES = 4;

export interface Responder {
  /** True once Discord knows that an answer will come; false when it is too late for one. */
  defer(): Promise<boolean>;
  /** Sends a new message, or (`update`) changes the one with the button. */
  send(message: Message, update: boolean): Promise<void>;
  /** False when the interaction was acknowledged before or is a modal itself: then no modal can open. */
  show(modal: Modal): Promise<boolean>;
  /**
   * Ends the interaction with this message, which does not replace the message with the button. Does nothing while
   * an answer is being sent. Later answers are dropped.
   */
  interrupt(message: Message): Promise<void>;
}

function codeOf(error: unknown): number | undefined {
  return error instanceof DiscordFault ? error.code : undefined;
}

/** Discord read the request and refused it, so trying again changes nothing. */
function isRefusal(error: unknown): boolean {
  return error instanceof DiscordFault && error.kind === 'refused';
}

function toOneUser(message: Message): Message {
  return { ...message, flags: PRIVATE.flags | (message.flags ?? 0) };
}

/** A layout takes the place of a text only when the same edit empties the text (Discord, "Edit Message"). */
function inPlaceOfText(message: Message): Message {
  return message.flags === COMPONENTS_V2 ? { ...message, content: null, embeds: [] } : message;
}

/** `updates`: a defer promises a change of the message with the button, not a new message. */
export function createResponder(
  interaction: Answerable,
  updates: boolean,
  open: OpenAnswers,
  log: Log,
): Responder {
  const changeable =
    interaction.isMessageComponent() || (interaction.isModalSubmit() && interaction.isFromMessage());
  const promised = updates && changeable ? 'update' : 'reply';
  let acknowledged: Promise<'update' | 'reply' | 'none' | 'late'> | undefined;
  let interrupted = false;
  let sending = false;

  /**
   * Sends the first answer. A call whose response was lost may have succeeded; the next try then gets "already
   * acknowledged".
   */
  async function acknowledge(
    kind: 'update' | 'reply' | 'none',
    first: () => Promise<unknown>,
  ): Promise<'update' | 'reply' | 'none' | 'late'> {
    for (let attempt = 1; ; attempt++) {
      try {
        await first();
        return kind;
      } catch (error) {
        if (codeOf(error) === ALREADY_ACKNOWLEDGED) {
          interaction.deferred = true;
          return kind;
        }
        if (codeOf(error) === UNKNOWN_INTERACTION) {
          log.warn({ interaction: interaction.id }, 'interaction was gone before it was acknowledged');
          return 'late';
        }
        if (attempt >= ACK_TRIES || isRefusal(error)) throw error;
      }
    }
  }

  async function defer(): Promise<'update' | 'reply' | 'none' | 'late'> {
    await open.keep(interaction, promised);
    const kind = await acknowledge(promised, () =>
      promised === 'update' && changeable
        ? (interaction as { deferUpdate(): Promise<unknown> }).deferUpdate()
        : interaction.deferReply(PRIVATE),
    );
    if (kind === 'late') await open.done(interaction.id);
    return kind;
  }

  /** Keeps the first answer, unless it fails. Then nothing was sent, so another first answer is possible. */
  function begin(attempt: NonNullable<typeof acknowledged>): NonNullable<typeof acknowledged> {
    acknowledged = attempt;
    attempt.catch(() => {
      acknowledged = undefined;
    });
    return attempt;
  }

  const deferOnce = () => acknowledged ?? begin(defer());

  /**
   * Retries the edit, because a deferred answer would otherwise stay "thinking…" forever. The same edit twice is one
   * edit.
   */
  async function edit(message: Message): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await interaction.editReply(message as never);
        return;
      } catch (error) {
        if (attempt >= EDIT_TRIES || isRefusal(error)) throw error;
        log.warn({ interaction: interaction.id, reason: reasonOf(error) }, 'answer is tried again');
        await sleep(500 * 2 ** attempt);
      }
    }
  }

  return {
    defer: async () => (await deferOnce()) !== 'late',
    async show(modal) {
      if (acknowledged || interaction.isModalSubmit()) return false;
      await begin(acknowledge('none', () => interaction.showModal(modal as never)));
      return true;
    },
    async send(message, update) {
      if (interrupted) return;
      sending = true;
      try {
        await say(message, update);
        await open.done(interaction.id);
      } finally {
        sending = false;
      }
    },
    async interrupt(message) {
      if (sending || interrupted) return;
      interrupted = true;
      await say(message, false);
      await open.done(interaction.id);
    },
  };

  async function say(message: Message, update: boolean): Promise<void> {
    if (!acknowledged) {
      const kind = update && changeable ? 'update' : 'reply';
      const first = () =>
        kind === 'update'
          ? (interaction as { update(message: unknown): Promise<unknown> }).update(inPlaceOfText(message))
          : interaction.reply(toOneUser(message) as never);
      await begin(acknowledge(kind, first));
      return;
    }
    const kind = await acknowledged;
    if (kind === 'late') return;
    if (kind === 'reply') return edit(message);
    if (kind === 'update' && update) return edit(inPlaceOfText(message));
    await interaction.followUp(toOneUser(message) as never);
  }
}
