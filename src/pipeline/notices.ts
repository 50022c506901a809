// Notifies owners once, with the fix, and again only after the matter was settled in between.
import { reasonOf } from '../domain/errors.js';
import type { Messenger, Notice } from '../ports/notice.js';
import type { Table } from '../ports/stores.js';
import type { Clock, Log } from '../ports/system.js';

export interface Notices {
  tell(notice: Notice): Promise<void>;
  /** Sends a notice that is not recorded. True if a person was reached. Never rejects. */
  send(notice: Notice): Promise<boolean>;
  /** The matter is settled. The next time, the owner is notified again. */
  clear(kind: Notice['kind'], subject: string): Promise<void>;
}

/** `messengers` are tried in turn until one reaches the owner. The notice is always logged, for the operator. */
export function createNotices(deps: {
  table: Table<Notice & { readonly toldAt: number }>;
  messengers: readonly Messenger[];
  clock: Clock;
  log: Log;
}): Notices {
  const { table, messengers, clock, log } = deps;
  const keyOf = (kind: Notice['kind'], subject: string) => `${kind}:${subject}`;

  async function deliver(notice: Notice): Promise<boolean> {
    for (const messenger of messengers) {
      try {
        if (await messenger(notice)) return true;
      } catch (error) {
        log.warn({ kind: notice.kind, reason: reasonOf(error) }, 'notice failed');
      }
    }
    return false;
  }

  return {
    send: deliver,
    async tell(notice) {
      // Stored before it is sent: sending a notice twice is worse than having it only in the log.
      let isNew = false;
      await table.update(
        keyOf(notice.kind, notice.subject),
        (before) => {
          isNew = before === undefined;
          return before ?? { ...notice, toldAt: clock.now() };
        },
        notice.forMs,
      );
      if (!isNew) return;
      const reached = await deliver(notice);
      const { kind, account, subscription, destination, text } = notice;
      log.warn({ kind, account, subscription, destination, reached, notice: text }, 'owner notice');
    },
    async clear(kind, subject) {
      const key = keyOf(kind, subject);
      if (await table.get(key)) await table.delete(key);
    },
  };
}
