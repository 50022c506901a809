// What a person sees after an action: the reply, a modal, follow-ups, and how long it took.
import { until } from './state.js';
import type { InteractionRecord, Json, MessageRecord, State } from './types.js';

/** A modal on a person's screen, for `user.submit`. */
export interface ShownModal {
  interactionId: string;
  customId: string;
  title: string;
  components: Json[];
}

export interface InteractionHandle {
  readonly record: InteractionRecord;
  /** Milliseconds until the acknowledgement, null while there is none. */
  readonly ackMs: number | null;
  /** The first visible answer: a reply, the edit that ends a deferred reply, or the changed source message. */
  reply: (timeoutMs?: number) => Promise<MessageRecord>;
  /** Like `reply`, but waits until its present form satisfies the predicate. */
  replyWhere: (predicate: (message: MessageRecord) => boolean, timeoutMs?: number) => Promise<MessageRecord>;
  modal: (timeoutMs?: number) => Promise<ShownModal>;
  /** Follow-ups so far, without deleted ones. */
  followUps: () => MessageRecord[];
  /** Waits for at least `count` follow-ups. */
  followUpsOf: (count: number, timeoutMs?: number) => Promise<MessageRecord[]>;
  /** Resolves with the response type at the acknowledgement. */
  acked: (timeoutMs?: number) => Promise<number>;
}

export function createHandle(state: State, record: InteractionRecord): InteractionHandle {
  const editedBefore = state.messages.get(record.sourceMessageId ?? '')?.editedAt ?? null;
  const what = (wanted: string) => `${wanted} to ${record.name} (acknowledged: ${record.ackType ?? 'no'})`;
  const followUps = () =>
    record.followUpIds
      .map((id) => state.messages.get(id))
      .filter((message): message is MessageRecord => message !== undefined && !message.deleted);

  function visible(): MessageRecord | null {
    if (record.ackType === 9)
      throw new Error(`${record.name} was answered with a modal, not with a message: use modal().`);
    const original = state.messages.get(record.originalId ?? '');
    if (!original) return null;
    if (original.deleted) return followUps()[0] ?? null;
    if (original.loading) return null;
    // A deferred update shows nothing until the source changes or a follow-up arrives.
    if (record.ackType === 6 && original.editedAt === editedBefore) return followUps()[0] ?? null;
    return original;
  }

  const handle: InteractionHandle = {
    record,
    get ackMs() {
      return record.ackedAt === null ? null : record.ackedAt - record.dispatchedAt;
    },
    reply: (timeoutMs) => until(state, visible, what('a visible reply'), timeoutMs),
    replyWhere: (predicate, timeoutMs) =>
      until(
        state,
        () => {
          const message = visible();
          return message && predicate(message) ? message : null;
        },
        what('the expected reply'),
        timeoutMs,
      ),
    async modal(timeoutMs) {
      const data = await until(
        state,
        () => {
          if (record.ackType !== null && record.ackType !== 9)
            throw new Error(`${record.name} was answered with type ${record.ackType}, not with a modal.`);
          return record.modal;
        },
        what('a modal in answer'),
        timeoutMs,
      );
      return {
        interactionId: record.id,
        customId: String(data.custom_id),
        title: String(data.title),
        components: data.components as Json[],
      };
    },
    followUps,
    followUpsOf: (count, timeoutMs) =>
      until(
        state,
        () => (followUps().length >= count ? followUps() : null),
        what(`${count} follow-up(s)`),
        timeoutMs,
      ),
    acked: (timeoutMs) => until(state, () => record.ackType, what('an acknowledgement'), timeoutMs),
  };
  return handle;
}
