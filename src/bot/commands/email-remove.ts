// Deletes the caller's address.
import { UserError } from '../../domain/errors.js';
import { textsFor } from '../../render/language/index.js';
import type { Command } from '../ask.js';

export const emailRemove = {
  path: 'email remove',
  async run(ask, { desk }) {
    const { email, fault } = textsFor(ask.locale).bot;
    if (!desk.mail) throw new UserError(fault.emailOff);
    const { state } = await desk.mail.addressReport(ask.caller.account);
    if (state === 'none') return { text: email.none };
    await desk.mail.removeAddress(ask.caller.account);
    return { text: email.removed };
  },
} satisfies Command;
