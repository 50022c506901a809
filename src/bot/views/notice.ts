// The buttons below a notice to an owner. The buttons name the user who may press them, and the service checks the
// right again, so they work after a restart and for no other user.
import { postingRef } from '../../domain/edition.js';
import type { Reminder } from '../../domain/reminders.js';
import type { Mark } from '../../domain/stages.js';
import type { Notice } from '../../ports/notice.js';
import { isButton } from '../../render/discord/card.js';
import type { Button, LinkButton } from '../../render/discord/payload.js';
import { type Texts, textsFor } from '../../render/texts.js';
import { button, customId, link } from '../runtime/components.js';

import { tokenButtons } from './token.js';

/**
 * Returns the buttons for the owner of a notice, a Discord user; none when no button can help. `tokenPage`: where the
 * board gives tokens out.
 */
export function noticeButtons(
  { kind, subscription, reminder }: Notice,
  user: string,
  locale: string | undefined,
  tokenPage?: string,
): readonly (Button | LinkButton)[] {
  const texts = textsFor(locale);
  const { buttons } = texts.bot;
  if (reminder) return reminderButtons(reminder, user, texts);
  if (kind === 'token') return tokenButtons(user, texts, tokenPage);
  if (kind === 'left' && !subscription) return [button(buttons.list, customId('list', ['0'], user))];
  if (!subscription) return [];
  const on = (verb: string) => customId('sub', [verb, subscription], user);
  const resume = button(buttons.resume, on('resume'), 'good', '▶️');
  const move = button(buttons.move, on('edit'), 'plain', '📍');
  const edit = button(buttons.edit, on('edit'), 'plain', '✏️');
  const history = button(buttons.history, on('history'), 'plain', '📜');
  const remove = button(buttons.remove, on('remove'), 'danger', '🗑️');
  if (kind === 'destination') return [resume, move, remove];
  if (kind === 'left') return [move, remove];
  if (kind === 'posting' || kind === 'expired') return [history];
  if (kind === 'gap' || kind === 'silence') return [edit, remove];
  return [];
}

/** The buttons below a reminder. A link that fits no button is in the message. */
function reminderButtons(
  { kind, posting }: Reminder,
  user: string,
  { bot, card }: Texts,
): readonly (Button | LinkButton)[] {
  const { buttons, saved } = bot;
  const to = (step: string) => customId('remind', [step, postingRef(posting.key)], user);
  const move = (...marks: readonly Mark[]) => marks.map((mark) => button(saved.states[mark], to(mark)));
  const stop = button(buttons.remindersOff, to('off'), 'plain', '🔕');
  if (kind === 'reply')
    return [...move('interview', 'offer', 'closed'), button(buttons.later, to('later'), 'plain', '⏰'), stop];
  const { applyUrl } = posting;
  const apply = applyUrl !== undefined && isButton(applyUrl) ? [link(card.apply, applyUrl)] : [];
  return [...apply, ...move('applied', 'dismissed'), stop];
}

/** The buttons below the first direct message: the subscriptions of its reader, and the way to another one. */
export function helloButtons(user: string, locale: string | undefined): readonly Button[] {
  const { buttons } = textsFor(locale).bot;
  return [
    button(buttons.list, customId('mine', [], user), 'plain', '📋'),
    button(buttons.start, customId('setup', [], user), 'plain', '➕'),
  ];
}
