// `jobcrier keys rotate`: encrypts stored secrets again with the first key of SECRET_KEY.
import { UserError } from '../domain/errors.js';
import { giveUpKey } from '../store/key-check.js';
import { rotateKeys } from '../store/rotate-keys.js';
import { openStore } from '../wiring/store.js';
import type { CommandContext } from './context.js';

interface RotateOptions {
  /** Id of a key that is lost for good. */
  readonly lost?: string;
  readonly json?: boolean;
}

/** Resolves with exit code 1 while there are secrets that no key of the list decrypts, else with 0. */
export async function keysRotateCommand(
  { lost, json }: RotateOptions,
  context: CommandContext,
): Promise<0 | 1> {
  const { io, clock } = context;
  const config = context.config();
  const log = context.log('stderr');
  if (lost !== undefined) await giveUp(lost, context);
  const { stores } = await openStore(config, log, clock, 'change');
  try {
    const { rotated, current, unreadable } = await rotateKeys(stores);
    if (json) io.json({ rotated, current, unreadable });
    else {
      io.print(`${rotated} secrets encrypted with the first key, ${current} used it already.`);
      io.print(
        unreadable > 0
          ? `${unreadable} can't be read: add the key they were encrypted with to the end of SECRET_KEY and run this again.`
          : 'The other keys of SECRET_KEY are no longer needed, except for older backups.',
      );
    }
    return unreadable > 0 ? 1 : 0;
  } finally {
    await stores.close();
  }
}

/** Records the key as lost. Throws a UserError when the store does not miss that key: it is probably mistyped. */
async function giveUp(id: string, context: CommandContext): Promise<void> {
  const config = context.config();
  const { stores } = await openStore(config, context.log('stderr', 'silent'), context.clock, 'repair');
  try {
    const missing = await stores.missingKeys();
    if (!missing.includes(id))
      throw new UserError(
        missing.length > 0
          ? `--lost: the store does not miss that key; it misses ${missing.join(', ')}.`
          : '--lost: the store misses no key.',
      );
    await giveUpKey(stores.backend, id);
    context.io.say(`The key ${id} is recorded as lost; what it encrypted must be set again.`);
  } finally {
    await stores.close();
  }
}
