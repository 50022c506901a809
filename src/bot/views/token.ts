// The button to set a token, shown wherever a token is missing.
import { refusal } from '../../domain/errors.js';
import type { Button } from '../../render/discord/payload.js';
import { type Texts, textsFor } from '../../render/texts.js';
import { type ActionRow, button, customId, row } from '../runtime/components.js';

import type { Context, Request } from '../runtime/request.js';

export function setTokenButton(user: string, texts: Texts): Button {
  return button(texts.bot.buttons.setToken, customId('token-form', [], user), 'primary', '🔑');
}

export function setTokenRow(request: Request, texts: Texts): ActionRow {
  return row(setTokenButton(request.user, texts));
}

/** Throws a UserError for a user without a working token. */
export async function mustHaveToken({ caller }: Request, { services }: Context): Promise<void> {
  const { state } = await services.tokenReport(caller.account);
  const { noToken, tokenRejected } = textsFor('en').bot.fault;
  if (state === 'missing') throw refusal('noToken', noToken);
  if (state === 'rejected') throw refusal('tokenRejected', tokenRejected);
}
