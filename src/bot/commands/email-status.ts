// Shows the caller their own address and whether it is confirmed.
import { UserError } from '../../domain/errors.js';
import { escaped } from '../../render/discord/escape.js';
import { textsFor } from '../../render/language/index.js';
import type { Command } from '../request.js';

export const emailStatus = {
  path: 'email status',
  async run(request, { services }) {
    const { email, fault } = textsFor(request.locale).bot;
    if (!services.mail) throw new UserError(fault.emailOff);
    const { state, address } = await services.mail.addressReport(request.caller.account);
    if (state === 'none' || !address) return { text: email.none };
    return { text: email[state](escaped(address, 300)) };
  },
} satisfies Command;
