// `jobcrier keys rotate`.
import { openStores } from '../store/index.js';
import { rotateKeys } from '../store/rotate-keys.js';
import { loadSecretKeys } from '../store/secret-keys.js';
import type { CommandContext } from './context.js';

/** Exit code 1 while secrets remain that no key of the list opens. */
export async function keysRotateCommand(
  options: { json?: boolean },
  context: CommandContext,
): Promise<0 | 1> {
  const { store, dirs, secretKey } = context.config();
  const { clock, io } = context;
  const log = context.log('stderr');
  const keys = await loadSecretKeys({ value: secretKey, dataDir: dirs.data, log });
  const stores = await openStores({ url: store.url, dataDir: dirs.data, keys, log, clock });
  try {
    const { rotated, current, unreadable } = await rotateKeys(stores);
    if (options.json) io.json({ rotated, current, unreadable });
    else {
      io.print(`${rotated} secrets moved to the first key, ${current} were there already.`);
      io.print(
        unreadable > 0
          ? `${unreadable} could not be read: add the key they were stored with to the end of SECRET_KEY and run this again.`
          : 'The other keys of SECRET_KEY are no longer needed, but by older backups.',
      );
    }
    return unreadable > 0 ? 1 : 0;
  } finally {
    await stores.close();
  }
}
