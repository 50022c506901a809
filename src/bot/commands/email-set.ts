// Sets the caller's address; the service mails the link that confirms it. The answer is the same for every address.
import { UserError } from '../../domain/errors.js';
import { textsFor } from '../../render/language/index.js';
import type { Command } from '../request.js';

export const emailSet = {
  path: 'email set',
  options: [{ name: 'address', type: 'text', required: true, max: 254 }],
  async run(request, { services }) {
    const { email, fault } = textsFor(request.locale).bot;
    if (!services.mail) throw new UserError(fault.emailOff);
    await services.mail.setAddress(
      request.caller.account,
      String(request.options.address ?? '').trim(),
      request.locale,
    );
    return { text: `📨 ${email.sent}` };
  },
} satisfies Command;
