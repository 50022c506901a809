// Sets the caller's address; the desk mails the link that confirms it. The answer is the same for every address.
import { UserError } from '../../domain/errors.js';
import { textsFor } from '../../render/language/index.js';
import type { Command } from '../ask.js';

export const emailSet = {
  path: 'email set',
  options: [{ name: 'address', type: 'text', required: true, max: 254 }],
  async run(ask, { desk }) {
    const { email, fault } = textsFor(ask.locale).bot;
    if (!desk.mail) throw new UserError(fault.emailOff);
    await desk.mail.setAddress(ask.caller.account, String(ask.options.address ?? '').trim(), ask.locale);
    return { text: `📨 ${email.sent}` };
  },
} satisfies Command;
