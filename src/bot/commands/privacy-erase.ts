// Asks before it deletes everything about the caller.
import { textsFor } from '../../render/language/index.js';
import type { Command } from '../ask.js';
import { button, row } from '../components.js';
import { customId } from '../custom-id.js';

export const privacyErase = {
  path: 'privacy erase',
  async run(ask) {
    const { privacy, buttons } = textsFor(ask.locale).bot;
    return {
      text: `🗑️ ${privacy.eraseAsk}`,
      components: [
        row(
          button(buttons.eraseAll, customId('erase', [], ask.user), 'danger'),
          button(buttons.keepAll, customId('keep', [], ask.user)),
        ),
      ],
    };
  },
} satisfies Command;
