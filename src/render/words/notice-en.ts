// English notices to owners: what happened, and the fix. `fix` is what has to be done about a place that stands still.
import type { FixName } from '../../domain/errors.js';

export type NoticeTexts = typeof noticeEn;

const fix = {
  addressBounces:
    'Mail to your address comes back as undeliverable, so none is sent. Set another one with {/email set}.',
  channelGone:
    'The Discord channel is gone. Choose another one with {/jobs edit}, or remove the subscription.',
  channelHidden: 'I cannot see the Discord channel. Give me View Channel there, then use {/jobs resume}.',
  dmClosed:
    'Discord does not let me write to you. Allow direct messages from server members, then use {/jobs resume}.',
  forumTag:
    'The forum wants a tag on every post and has none I may use. Add one or lift the rule, then use {/jobs resume}.',
  mailPaused:
    'Mail to this provider is held back for a while, because its server refused it. It resumes automatically.',
  mailUnconfirmed: 'Press the link in the confirmation mail; your digests start right after it.',
  mailUnsubscribed: 'You unsubscribed by the link in a mail; the undo on that page starts it again.',
  mayNotPost:
    'I may not post in the Discord channel. Give me Send Messages and Embed Links there (in threads Send Messages in Threads), then use {/jobs resume}.',
  noMessages:
    'That Discord channel takes no messages. Choose a text, announcement, forum or thread with {/jobs edit}.',
  noSharedServer:
    'I share no server with you, so Discord does not let me message you. Join one I am in or install me for yourself, then use {/jobs resume}.',
  refused: 'Discord refuses my messages there. Check my permissions in the channel, then use {/jobs resume}.',
  serverLeft: 'I am no longer in that Discord server. Invite me again, then use {/jobs resume}.',
  sinkOff:
    'The operator has turned off this kind of delivery. Postings wait up to 30 days until it is on again.',
  threadArchived:
    'The Discord thread is archived and I may not reopen it. Reopen it, then use {/jobs resume}.',
  threadLocked:
    'The Discord thread is locked. Unlock it and use {/jobs resume}, or choose another place with {/jobs edit}.',
  userGone: 'That Discord user cannot be written to. Choose another place with {/jobs edit}.',
} satisfies Record<FixName, string>;

export const noticeEn = {
  fix,
  left: (count: number, days: number) =>
    `I was removed from a Discord server, so subscriptions that deliver there have stopped (${count}). Invite me again and they resume, or choose another place with {/jobs edit}; after ${days} days they are deleted.`,
  token: (source: string) =>
    `The jobs board no longer accepts your API token, so your subscriptions wait. Renew or rotate it on the token page of ${source}, then set the new one with {/token set}; nothing is lost meanwhile.`,
  destination: (sink: string) =>
    `Deliveries by ${sink} have stopped. {/jobs list} says why; fix it, then use {/jobs resume}.`,
  posting: (sink: string) =>
    `A posting could not be sent by ${sink} after five attempts and was set aside; the others were sent. {/jobs history} says more.`,
  expired: (count: number, sink: string) =>
    `${sink} could not be reached for three days, so postings were not sent (${count}). {/jobs history} says more.`,
  gap: (tags: string) =>
    `There were more new postings${tags && ` for ${tags}`} than one answer of the jobs board holds, so some may have been missed. For a day I ask for more of them and more often; a narrower filter prevents it: {/jobs edit}.`,
  keys: 'The jobs board has given all its postings new ids. I recognised them by title and company and do not send them again; new ones still come. You need not do anything.',
  load: (requests: number, interval: string) =>
    `Your subscriptions need ${requests} different requests, more than one API token can make as often as they are due. I make them as fast as the jobs board allows, so postings come later. Fewer tags or fewer subscriptions help; at an interval of ${interval} all of them fit.`,
  silence: (days: number) =>
    `Nothing has matched for ${days} days. A wider filter may help: fewer words, more tags, or no country. {/jobs preview} shows what it would find.`,
};
