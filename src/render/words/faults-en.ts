// English words for what went wrong or was understood otherwise, each with the fix.

export type FaultTexts = typeof faultsEn;

export const faultsEn = {
  fault: {
    unknownTag: (word: string) => `“${word}” is not a tag the jobs board knows.`,
    unknownCountry: (word: string) => `“${word}” is not a country I know.`,
    unknownZone: (word: string) => `“${word}” is not a time zone I know.`,
    didYouMean: (words: string) => `Did you mean ${words}?`,
    seeList: 'Pick one from the list that appears while you type.',
    zoneExample: 'Write it like Europe/Berlin, or pick one from the list.',
    pay: (text: string) => `“${text}” is no yearly pay; write it like 80000 or 80k.`,
    tooManyTags: (most: number) => `At most ${most} tags, please: each of them is a request of its own.`,
    words: (most: number, length: number) =>
      `At most ${most} words or phrases of at most ${length} characters each, please.`,
    every: (text: string) => `“${text}” does not exist; there is: as they appear, hourly, daily, weekly.`,
    at: (text: string) => `“${text}” is no time I understand; write it like 9:00, 9am or monday 9:00.`,
    atAlone:
      'A time goes with daily or weekly only; choose one of them under “every”, or leave the time out.',
    dayOfDaily: 'A weekday goes with weekly; choose weekly under “every”, or leave the day out.',
    noServer: 'There is no channel to post to here. Use this in a server, or deliver by direct message.',
    botNotHere:
      'I am not a member of this server, so I cannot post here. Ask an admin to invite me, or deliver by direct message.',
    channelUnseen: (channel: string) =>
      `I cannot see ${channel}. Give me View Channel there, or choose another channel.`,
    channelLocked: (channel: string) => `${channel} is locked. Unlock it, or choose another channel.`,
    needManage: (channel: string) =>
      `You need Manage Channels in ${channel} to subscribe it. Ask someone who has it, or deliver by direct message.`,
    botLacks: (channel: string, rights: string) =>
      `I lack ${rights} in ${channel}. Give me that in the channel's permissions, then try again.`,
    channelOnly: 'A channel goes with delivery to a channel only; leave one of the two out.',
    mentionOnly: 'A role can be mentioned in a channel only; leave it out, or deliver to a channel.',
    mentionEveryone: 'I do not mention everyone. Choose a role that people can leave.',
    notPingable: (role: string) =>
      `My mention of ${role} would reach nobody. Let anyone mention that role, or give me Mention Everyone.`,
    emailOff:
      'E-mail is off here; the operator of this bot can turn it on. Choose a channel or a direct message.',
    emailNone: 'You have no e-mail address yet. Set one with {/email set}, then try again.',
    emailSuppressed:
      'Mail to your address bounced or was reported as spam, so nothing is sent there. Set another one with {/email set}.',
    mailAway: 'The confirm mail could not be sent right now. Try again in a few minutes.',
    dmClosed:
      'Discord does not let me write to you, so nothing was stored. Allow direct messages from members of a server we share (server name, Privacy Settings), then try again, or choose another place.',
    dmNoServer:
      'I share no server with you, so Discord does not let me message you. Nothing was stored. Join a server I am in or install me for yourself, then try again.',
    noToken: 'You have no API token yet. Set it with {/token set}, then try again.',
    tokenRejected:
      'The jobs board no longer accepts your token. Set a new one with {/token set}, then try again.',
    notYours: 'This button belongs to someone else. Use {/help} to begin your own.',
    stale: 'This question was already answered or is too old. Start again with {/jobs subscribe}.',
    oldButton: 'This button is from an older version of me. Use {/jobs list}.',
    noSubscription: (words: string) =>
      `No subscription of yours is called “${words}”. {/jobs list} shows them.`,
    severalSubscriptions: (words: string) =>
      `Several of your subscriptions fit “${words}”. Pick one from the list that appears while you type.`,
    cardGone: 'This card is too old: what it showed is no longer kept. Newer cards still work.',
    notAToken: 'That is not an API token. Copy it from the token page of the jobs board, without spaces.',
    tokenRefused:
      'The jobs board does not accept this token. Copy a new one from its token page and set it again; nothing was stored.',
    tokenTries: (minutes: number) =>
      `Too many tokens were tried. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}; what is stored stays as it is.`,
    capAccount: (most: number) =>
      `You have ${most} subscriptions, the most allowed here. Remove one with {/jobs remove} first.`,
    capServer: (most: number) =>
      `This server has ${most} subscriptions, the most allowed here. Remove one with {/jobs remove} first.`,
    erased: 'Everything about you was deleted meanwhile, so nothing was stored.',
    boardAway: 'The jobs board does not answer right now. Nothing was stored; try again in a few minutes.',
    boardBusy: 'The jobs board asks for a pause with your token. Try again in a few minutes.',
    fromFile: "This one is kept in the operator's file; it can be paused here, but is changed there.",
    restarting: 'jobcrier is restarting. Nothing was stored; try again in a minute.',
    stopping:
      '🔄 jobcrier is restarting; try again in a minute. {/jobs list} shows whether this was still done.',
    restarted:
      '🔄 jobcrier was restarted in the middle of this. {/jobs list} shows whether it was done; if not, try again.',
    ownersMove: 'Only its owner can move this subscription out of the server.',
    noSuch: 'There is no such subscription of yours. {/jobs list} shows the ones you have.',
    address: 'That is not an e-mail address. Write it like me@example.org.',
    sinkOff: 'This way of delivery is off here; the operator can turn it on.',
    badLinks:
      'I could not show these postings with their links intact, so I show none. The operator can read why in the log.',
    tooLong: 'This takes longer than it should. Look at {/jobs list} in a while to see what became of it.',
    unknown: (reference: string) =>
      `Something went wrong on my side, and nothing you did caused it. Try again in a minute; if it stays, tell the operator this code: ${reference}.`,
  },
  rights: {
    view: 'View Channel',
    send: 'Send Messages',
    embed: 'Embed Links',
    threads: 'Send Messages in Threads',
    files: 'Attach Files',
  },
  note: {
    translated: (typed: string, understood: string) => `I read “${typed}” as ${understood}.`,
    dmInstead: (channel: string) =>
      `You need Manage Channels to subscribe ${channel}, so the postings come by direct message.`,
    unconfirmed:
      'Your e-mail address is not confirmed yet: press the link in the mail I sent, or nothing arrives.',
  },
};
