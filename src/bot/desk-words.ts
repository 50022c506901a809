// The desk speaks English, to every adapter alike. What people of the bot meet is said here in their language; what is
// not in the table stays English rather than unsaid. A test asks the real desk for each, so that none goes astray.
import type { Texts } from '../render/language/en.js';

type Say = (fault: Texts['bot']['fault'], count: number) => string;

/** Written for a settings file, so it is said anew in English too. */
const ADDRESS = /wanted one mail address/u;

const TABLE: readonly (readonly [RegExp, Say])[] = [
  [/^That is not an API token/u, (fault) => fault.notAToken],
  [/does not accept this token/u, (fault) => fault.tokenRefused],
  [/have no API token yet/u, (fault) => fault.noToken],
  [/accepts? your token|token was rejected/u, (fault) => fault.tokenRejected],
  [/^You have (\d+) subscriptions, the most/u, (fault, count) => fault.capAccount(count)],
  [/^This server has (\d+) subscriptions, the most/u, (fault, count) => fault.capServer(count)],
  [/does not answer right now/u, (fault) => fault.boardAway],
  [/asks for a pause/u, (fault) => fault.boardBusy],
  [/subscriptions file/u, (fault) => fault.fromFile],
  [/Only its owner can move/u, (fault) => fault.ownersMove],
  [/no such subscription of yours/u, (fault) => fault.noSuch],
  [/this way of delivery is off/u, (fault) => fault.sinkOff],
  [/confirm mail could not be sent/u, (fault) => fault.mailAway],
  [/card is too old/u, (fault) => fault.cardGone],
  [/destination is no longer there/u, (fault) => fault.oldButton],
  [ADDRESS, (fault) => fault.address],
];

/** A UserError's sentence in the reader's language, where there is one for it. */
export function deskWords(message: string, texts: Texts): string {
  if (texts.intl.startsWith('en') && !ADDRESS.test(message)) return message;
  for (const [pattern, say] of TABLE) {
    const match = pattern.exec(message);
    if (match) return say(texts.bot.fault, Number(match[1] ?? 0));
  }
  return message;
}
