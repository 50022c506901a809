// Who unsubscribed from what. Kept apart from the subscriptions, because one written in a file comes back with the
// file; and asked before every mail, so that what was already due is not sent either.
import { createHash } from 'node:crypto';
import { createLines } from '../../domain/lines.js';
import type { Stream } from '../../ports/mail-desk.js';
import type { Table } from '../../ports/stores.js';
import type { Clock } from '../../ports/system.js';

export interface Stops {
  stop(stream: Stream): Promise<void>;
  restart(stream: Stream): Promise<void>;
  /** Since when, milliseconds since the epoch. */
  stoppedAt(stream: Stream): Promise<number | undefined>;
  /** Whether the account unsubscribed from anything: then it gets no mail of another kind either. */
  any(account: string): Promise<boolean>;
}

/** Times by stream, one row per account: there are few, and they are written together. */
type Row = Readonly<Record<string, number>>;

const slot = (account: string) =>
  `mail:stopped:${createHash('sha256').update(account).digest('hex').slice(0, 24)}`;

/** Deletes what an account unsubscribed from: for one that is erased. */
export function forgetStops(table: Table<unknown>, account: string): Promise<void> {
  return table.delete(slot(account));
}

export function createStops(table: Table<unknown>, clock: Clock): Stops {
  const nameOf = ({ subscription, destination }: Stream) => `${subscription}:${destination}`;
  const read = async (account: string) => ((await table.get(slot(account))) as Row | undefined) ?? {};

  // Two clicks at once must not undo each other.
  const inTurn = createLines();

  async function stop(stream: Stream): Promise<void> {
    const row = await read(stream.account);
    // A second click keeps the time of the first.
    if (nameOf(stream) in row) return;
    await table.set(slot(stream.account), { ...row, [nameOf(stream)]: clock.now() });
  }

  async function restart(stream: Stream): Promise<void> {
    const { [nameOf(stream)]: former, ...rest } = await read(stream.account);
    if (former === undefined) return;
    if (Object.keys(rest).length > 0) await table.set(slot(stream.account), rest);
    else await table.delete(slot(stream.account));
  }

  return {
    stop: (stream) => inTurn(stream.account, () => stop(stream)),
    restart: (stream) => inTurn(stream.account, () => restart(stream)),
    stoppedAt: async (stream) => (await read(stream.account))[nameOf(stream)],
    any: async (account) => Object.keys(await read(account)).length > 0,
  };
}
