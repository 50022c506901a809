// Asks before it deletes everything about the caller.
import { textsFor } from '../../render/language/index.js';
import { button, row } from '../components.js';
import { customId } from '../custom-id.js';
import type { Command } from '../request.js';

export const privacyErase = {
  path: 'privacy erase',
  async run(request) {
    const { privacy, buttons } = textsFor(request.locale).bot;
    return {
      text: `🗑️ ${privacy.eraseAsk}`,
      components: [
        row(
          button(buttons.eraseAll, customId('erase', [], request.user), 'danger'),
          button(buttons.keepAll, customId('keep', [], request.user)),
        ),
      ],
    };
  },
} satisfies Command;
