// Opens the form for the token: a modal, because an option of a command would stay readable in the chat.
import { textsFor } from '../../render/language/index.js';
import type { Ask, Command } from '../ask.js';
import { type Modal, modal } from '../components.js';
import { customId } from '../custom-id.js';

export function tokenModal(ask: Ask): Modal {
  const { token } = textsFor(ask.locale).bot;
  return modal(customId('token', [], ask.user), token.modalTitle, [
    { id: 'token', label: token.field, placeholder: token.placeholder, required: true, max: 600 },
  ]);
}

export const tokenSet = {
  path: 'token set',
  run: async (ask) => ({ modal: tokenModal(ask) }),
} satisfies Command;
