// The buttons to get and to set a token, shown wherever a token is missing.
import { refusal } from '../../domain/errors.js';
import type { Button, LinkButton } from '../../render/discord/payload.js';
import { type Texts, textsFor } from '../../render/texts.js';
import { type ActionRow, button, customId, link, row } from '../runtime/components.js';

import type { Context, Request } from '../runtime/request.js';

/** `page`: where the board gives tokens out, if that is known. */
export function tokenButtons(
  user: string,
  texts: Texts,
  page: string | undefined,
): readonly (Button | LinkButton)[] {
  const { buttons } = texts.bot;
  const set = button(buttons.setToken, customId('token-form', [], user), 'primary', '🔑');
  return page ? [link(buttons.getToken, page), set] : [set];
}

export function setTokenRow(request: Request, { tokenPage }: Context): ActionRow {
  return row(...tokenButtons(request.user, textsFor(request.locale), tokenPage));
}

/** Throws a UserError for a user without a working token. */
export async function mustHaveToken({ caller }: Request, { services }: Context): Promise<void> {
  const { state } = await services.tokenReport(caller.account);
  const { noToken, tokenRejected } = textsFor('en').bot.fault;
  if (state === 'missing') throw refusal('noToken', noToken);
  if (state === 'rejected') throw refusal('tokenRejected', tokenRejected);
}
