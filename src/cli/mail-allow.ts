// `jobcrier mail allow`: removes an address from the list of those that get no mail, for example after a full mailbox or
// a wrong report of the relay. This needs a command, because the list does not hold readable addresses.
import { defined } from '../domain/defined.js';
import { deriveKeys } from '../domain/link-token.js';
import { parseAddress } from '../sinks/email/address.js';
import { createSuppression } from '../sinks/email/suppression.js';
import type { Command } from './context.js';
import { withStores } from './session.js';

export interface MailAllowOptions {
  readonly address: string;
  readonly json?: boolean;
}

export const mailAllowCommand: Command<MailAllowOptions> = (options, context) => {
  const address = parseAddress(options.address);
  return withStores(context, 'change', async ({ stores, secrets }) => {
    const { io, clock } = context;
    const keys = deriveKeys(secrets, 'mail');
    const suppression = createSuppression({ table: stores.misc, keys, clock });
    const found = await suppression.find(address);
    await suppression.remove(address);
    if (options.json) io.json({ wasGivenUp: found !== undefined, ...defined({ why: found?.why }) });
    else if (found)
      io.say(
        `Mail may go there again (it was given up: ${found.why}). To resume what was stopped for it: subscriptions resume ID.`,
      );
    else io.say('That address was not given up; nothing to change.');
  });
};
