// Deletes the caller's address.
import { UserError } from '../../domain/errors.js';
import { textsFor } from '../../render/language/index.js';
import type { Command } from '../request.js';

export const emailRemove = {
  path: 'email remove',
  async run(request, { services }) {
    const { email, fault } = textsFor(request.locale).bot;
    if (!services.mail) throw new UserError(fault.emailOff);
    const { state } = await services.mail.addressReport(request.caller.account);
    if (state === 'none') return { text: email.none };
    await services.mail.removeAddress(request.caller.account);
    return { text: email.removed };
  },
} satisfies Command;
