// English notices to owners: what happened, and the mend.

export type NoticeTexts = typeof noticeEn;

export const noticeEn = {
  left: (count: number, days: number) =>
    `I was removed from a Discord server, so subscriptions that deliver there have stopped (${count}). Invite me again and they go on, or choose another place with /jobs edit; after ${days} days they are deleted.`,
  token: (source: string) =>
    `The jobs board no longer accepts your API token, so your subscriptions wait. Renew or rotate it on the token page of ${source}, then set the new one with /token set; nothing is lost meanwhile.`,
  destination: (sink: string) =>
    `Deliveries by ${sink} have stopped. /jobs list says why; mend it, then use /jobs resume.`,
  posting: (sink: string) =>
    `A posting could not be sent by ${sink} after five attempts and was set aside; the others went on. /jobs history says more.`,
  expired: (count: number, sink: string) =>
    `${sink} could not be reached for three days, so ${count} posting(s) were not sent. /jobs history says more.`,
  gap: 'Since the last look every posting of a subscription has changed, so some may have been missed. I now look more often for a day; a narrower filter prevents it.',
  silence: (days: number) =>
    `Nothing has matched a subscription for ${days} days. A wider filter may help: fewer words, more tags, or no country. /jobs preview shows what it would find.`,
};
