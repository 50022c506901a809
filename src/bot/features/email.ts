// Sets, shows and deletes the caller's address. After it is set, the service mails a link to confirm it. The reply
// is the same for every address.
import { UserError } from '../../domain/errors.js';
import { escaped } from '../../render/discord/escape.js';
import { textsFor } from '../../render/texts.js';
import type { Command, Feature } from '../runtime/request.js';

const emailSet = {
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

/** Shows the caller's address and whether it is confirmed. */
const emailStatus = {
  path: 'email status',
  async run(request, { services }) {
    const { email, fault } = textsFor(request.locale).bot;
    if (!services.mail) throw new UserError(fault.emailOff);
    const { state, address } = await services.mail.addressReport(request.caller.account);
    if (state === 'none' || !address) return { text: email.none };
    return { text: email[state]({ address: escaped(address, 300) }) };
  },
} satisfies Command;

/** Deletes the caller's address. */
const emailRemove = {
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

export const emailFeature: Feature = { commands: [emailSet, emailStatus, emailRemove] };
