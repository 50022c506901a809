// Opens the form for the token: a modal, because an option of a command would stay readable in the chat.
import { textsFor } from '../../render/language/index.js';
import { type Modal, modal } from '../components.js';
import { customId } from '../custom-id.js';
import type { Command, Request } from '../request.js';

export function tokenModal(request: Request): Modal {
  const { token } = textsFor(request.locale).bot;
  return modal(customId('token', [], request.user), token.modalTitle, [
    { id: 'token', label: token.field, placeholder: token.placeholder, required: true, max: 600 },
  ]);
}

export const tokenSet = {
  path: 'token set',
  run: async (request) => ({ modal: tokenModal(request) }),
} satisfies Command;
