// Shows the caller their own address and whether it is confirmed.
import { UserError } from '../../domain/errors.js';
import { escaped } from '../../render/discord/escape.js';
import { textsFor } from '../../render/language/index.js';
import type { Command } from '../ask.js';

export const emailStatus = {
  path: 'email status',
  async run(ask, { desk }) {
    const { email, fault } = textsFor(ask.locale).bot;
    if (!desk.mail) throw new UserError(fault.emailOff);
    const { state, address } = await desk.mail.addressReport(ask.caller.account);
    if (state === 'none' || !address) return { text: email.none };
    return { text: email[state](escaped(address, 300)) };
  },
} satisfies Command;
