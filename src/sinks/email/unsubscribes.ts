// Who unsubscribed from what. Stored apart from the subscriptions, because one in a file is restored with the file.
// Checked before every mail, so that mails that are already due are not sent either.
import { accountHash } from '../../domain/account.js';
import type { Stream } from '../../ports/mail-service.js';
import type { Table } from '../../ports/stores.js';
import type { Clock } from '../../ports/system.js';

export interface Unsubscribes {
  stop(stream: Stream): Promise<void>;
  restart(stream: Stream): Promise<void>;
  /** When it was stopped, milliseconds since the epoch; undefined if it was not. */
  stoppedAt(stream: Stream): Promise<number | undefined>;
  /** True if the account unsubscribed from anything. Then it gets no notices by mail either. */
  any(account: string): Promise<boolean>;
}

/** Times by stream. One row per account, because there are few and they are written together. */
type Row = Readonly<Record<string, number>>;

const slot = (account: string) => `mail:stopped:${accountHash(account)}`;

/** Deletes the unsubscribes of an account that is erased. */
export function forgetUnsubscribes(table: Table<unknown>, account: string): Promise<void> {
  return table.delete(slot(account));
}

export function createUnsubscribes(table: Table<unknown>, clock: Clock): Unsubscribes {
  const nameOf = ({ subscription, destination }: Stream) => `${subscription}:${destination}`;
  const read = async (account: string) => ((await table.get(slot(account))) as Row | undefined) ?? {};

  async function change(account: string, edit: (row: Row) => Row): Promise<void> {
    await table.update(slot(account), (before) => {
      const row = edit((before as Row | undefined) ?? {});
      return Object.keys(row).length > 0 ? row : undefined;
    });
  }

  return {
    // A second click keeps the time of the first.
    stop: (stream) => change(stream.account, (row) => ({ [nameOf(stream)]: clock.now(), ...row })),
    restart: (stream) => change(stream.account, ({ [nameOf(stream)]: _former, ...others }) => others),
    stoppedAt: async (stream) => (await read(stream.account))[nameOf(stream)],
    any: async (account) => Object.keys(await read(account)).length > 0,
  };
}
