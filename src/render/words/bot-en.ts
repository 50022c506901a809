// English answers of the bot. `{/jobs list}` becomes a command the reader can press.
import { commandsEn } from './commands-en.js';
import { faultsEn } from './faults-en.js';

/** Everything the bot says; the other languages have the same keys. */
export type BotTexts = typeof botEn;

export const botEn = {
  commands: commandsEn,
  ...faultsEn,
  where: {
    channel: (channel: string) => `in ${channel}`,
    dm: 'by direct message',
    email: 'by e-mail',
    other: (sink: string) => `by ${sink}`,
    mention: (role: string) => `mentioning ${role}`,
  },
  buttons: {
    preview: 'Preview',
    edit: 'Edit',
    pause: 'Pause',
    resume: 'Resume',
    remove: 'Remove',
    move: 'Another place',
    list: 'My subscriptions',
    correct: 'Correct it',
    withoutMention: 'Without the mention',
    undo: 'Undo',
    history: 'History',
    back: 'Back',
    previous: 'Previous',
    next: 'Next',
    goOn: 'Continue',
    setToken: 'Set token',
    typeZone: 'Type another zone',
    what: 'What: tags, words, pay',
    remoteOn: 'Remote only: on',
    remoteOff: 'Remote only: off',
    toDm: 'To my direct messages',
    toEmail: 'To my e-mail',
    eraseAll: 'Delete everything',
    keepAll: 'Keep it',
    hideCompany: (company: string) => `Hide ${company}`,
    hideTag: (tag: string) => `Hide ${tag}`,
    unmark: 'Undo',
  },
  token: {
    modalTitle: 'Your API token',
    field: 'API token',
    placeholder: 'Copied from the token page of the jobs board',
    saved: (last: string) =>
      `✅ The token ending in \`${last}\` works and is stored encrypted. Only these four characters are ever shown.`,
    savedUntried: (last: string) =>
      `🔑 The token ending in \`${last}\` is stored encrypted, but could not be tried: the jobs board does not answer right now. {/token status} says later whether it works.`,
    savedNext: 'Next: {/jobs preview} shows what a filter finds, {/jobs subscribe} announces it.',
    savedAgain: 'Your subscriptions resume automatically.',
    missing:
      'You have no API token here. Copy one from the token page of the jobs board, then set it with {/token set}.',
    ok: (last: string) =>
      `🔑 Your token ending in \`${last}\` is set and was accepted. {/jobs list} shows what it is used for.`,
    rejected: (last: string) =>
      `⚠️ The jobs board no longer accepts your token ending in \`${last}\`. Renew or rotate it on its token page, then use {/token set}.`,
    removed:
      '🗑️ Your token is deleted. Your subscriptions wait until you set another one with {/token set}; {/privacy erase} deletes the rest too.',
    none: 'There was no token to remove. {/token set} sets one.',
  },
  email: {
    sent: 'If this address can receive mail, a confirmation is on its way; nothing else is sent until you press its link. Then choose e-mail under “deliver” in {/jobs subscribe}.',
    none: 'You have no e-mail address here. Set one with {/email set}.',
    unconfirmed: (address: string) =>
      `📨 ${address} waits for confirmation: press the link in the mail, or set the address again with {/email set} for a new one.`,
    confirmed: (address: string) =>
      `✅ ${address} is confirmed. Choose e-mail under “deliver” in {/jobs subscribe}.`,
    suppressed: (address: string) =>
      `⚠️ Mail to ${address} bounced or was reported as spam, so nothing is sent there. Set another one with {/email set}.`,
    removed: '🗑️ Your e-mail address is deleted. Subscriptions that used it need another place: {/jobs edit}.',
  },
  hello: (about: string) =>
    `👋 New postings for ${about} come to you here. First steps: {/jobs preview} shows what matches now, {/jobs list} shows and changes what you have, {/jobs pause} stops it for a while, and the buttons under a posting save it or hide more like it.`,
  jobs: {
    subscribed: (words: string) => `✅ Understood: ${words}`,
    already: (id: string) =>
      `ℹ️ You have this already, as \`${id}\`: the same filter at the same place. Nothing was added; its buttons change it.`,
    matchesNow: (count: number) =>
      count === 0
        ? `${count} postings match right now; you hear of the first one that does.`
        : count === 1
          ? `${count} posting matches now. Only what is new from here on is announced.`
          : `${count} postings match now. Only what is new from here on is announced.`,
    nextCheck: (when: string) => `next check ${when}`,
    nextDigest: (when: string) => `next digest ${when}`,
    keptToContinue: 'What you typed is kept for a day: press “Continue” to try it again.',
    keptForToken: 'What you typed is kept for a day: it continues as soon as you set your token.',
    goOnThere: (channel: string) =>
      `Continue in ${channel}: press “Set token” there. What you typed is kept.`,
    askZone: 'Which time zone is that in? I remember it for next time.',
    zonePlaceholder: 'Choose your time zone',
    zoneTitle: 'Your time zone',
    zoneField: 'City or zone, such as Europe/Berlin',
    none: 'You have no subscriptions. {/jobs preview} shows what a filter finds, {/jobs subscribe} announces it.',
    listTitle: (count: number) => (count === 1 ? `${count} subscription` : `${count} subscriptions`),
    open: 'Open one',
    page: (number: number, of: number) => `Page ${number} of ${of}`,
    state: {
      active: '🟢 running',
      paused: '⏸️ paused',
      'no-token': '🔑 waits for a token: {/token set}',
      'token-rejected': '🔑 token rejected: set a new one with {/token set}',
      parked: '⚠️ cannot deliver',
      waiting: '🟡 waits to deliver',
    },
    nextTry: (when: string) => `next try ${when}`,
    lastCheck: (when: string) => `last check ${when}`,
    owed: (count: number) => `${count} waiting to be sent`,
    leftServer: (when: string) =>
      `I was removed from its server. Invite me again and it resumes, or {/jobs edit} moves it; otherwise it is deleted ${when}.`,
    paused: '⏸️ Paused. What appears meanwhile is not announced later; {/jobs resume} ends the pause.',
    resumed: '▶️ Resumed. {/jobs history} shows what it delivers.',
    removed: (words: string) => `🗑️ Removed: ${words}. {/jobs subscribe} starts another one.`,
    restored: '↩️ Restored.',
    changed: '✅ Changed.',
    editHint: 'What would you like to change?',
    editInServer: 'A channel is chosen in its server: use {/jobs edit} there.',
    editWhat: 'What you want',
    editWhen: 'How often',
    editWhenTitle: 'When',
    fieldAt: 'Time, such as 9:00 or monday 9:00',
    fieldZone: 'Time zone, such as Europe/Berlin',
    fieldTags: 'Tags, separated by commas',
    fieldCountry: 'Country',
    fieldInclude: 'Words, at least one must occur',
    fieldExclude: 'Words, none may occur',
    fieldPay: 'Least pay per year',
    editLanguage: 'Language of the postings',
    editWhere: 'Another channel',
  },
  preview: {
    title: (words: string) => `🔎 ${words}`,
    now: (count: number, looked: number) => `**${count}** of ${looked} current postings match.`,
    weeks: (bars: string, counts: string) => `Matches per week, last 30 days: ${bars} (${counts})`,
    noHistory:
      'How often it matched in the last 30 days is known once one of your subscriptions has run for a while.',
    removedBy: (rule: string, count: number) => `The rule ${rule} removes most (${count}).`,
    cards: 'This is how they would be posted:',
    nothing: 'Nothing matches right now. With fewer words, more tags or no country it finds more.',
    next: 'Subscribe with the same options: {/jobs subscribe}',
    rules: {
      exclude: (words: string) => `without ${words}`,
      include: (words: string) => `mentioning ${words}`,
      minSalary: 'least pay',
      payUnknown: 'pay must be stated, in a currency that compares with dollars',
      tags: (words: string) => `tags ${words}`,
      country: (words: string) => `country ${words}`,
      remote: 'remote only',
    },
  },
  why: {
    unseen: (job: string) =>
      `👻 ${job} was never in what the jobs board returned for this filter. It may lack the tag, country or remote mark, or be older than the newest 100.`,
    baseline: (when: string) =>
      `📦 It was already there when the subscription began (${when}), so it was not announced.`,
    paused: (when: string) =>
      `⏸️ It appeared while the subscription was paused (${when}), so it was not announced.`,
    repost: (when: string) => `♻️ It is a repost of one seen before (${when}), so it was not announced again.`,
    filtered: (when: string, rule: string) =>
      `🚫 Seen ${when} and filtered out by the rule ${rule}. {/jobs edit} changes it.`,
    matched: (when: string) => `✅ Seen ${when}, and it matched.`,
    next: (when: string) => `next: ${when}`,
    movedHere: (when: string) => `moved here from another place ${when}`,
    states: {
      moved: 'was moved to another place',
      owed: 'waits for the next delivery',
      underway: 'is being delivered',
      parked: 'cannot be delivered',
      sent: 'was delivered',
      more: 'is on the page of a digest that was full',
      elsewhere: 'came here by another subscription',
      expired: 'could not be delivered in time and was given up',
      dropped: 'was left out: you marked it, its company or its tag as not for you',
      none: 'was not meant for this place',
    },
  },
  history: {
    title: (words: string) => `History of: ${words}`,
    none: 'Nothing was delivered yet. {/jobs preview} shows what would match.',
    baseline: 'started',
    sent: (count: number) => (count === 1 ? `${count} posting delivered` : `${count} postings delivered`),
    failed: 'a delivery failed and is tried again',
    parked: 'deliveries stopped',
    expired: (count: number) => `${count} given up after three days`,
    gap: 'there were more new postings than one answer holds: some may have been missed',
    rejected: 'the jobs board rejected your token',
    resumed: 'resumed',
    unnamed: 'something else happened',
  },
  saved: {
    title: (count: number) => `What you marked: ${count}`,
    none: 'You saved nothing yet. Press “Save”, “Applied” or “Not for me” under a posting, and it is listed here.',
    states: { saved: '🔖 saved', applied: '✅ applied', dismissed: '🙈 not for me' },
    card: 'the card',
    noLink: 'its apply link is on the card it was saved from',
    hidden: (count: number) => `Hidden: ${count}. Choose what you want to see again`,
  },
  marks: {
    saved: (title: string) => `🔖 Saved: ${title}. {/jobs saved} lists it.`,
    applied: (title: string) => `✅ Marked as applied: ${title}. Good luck! {/jobs saved} lists it.`,
    dismissed: (title: string) => `🙈 Not for you: ${title}. It stays out of your direct messages and mails.`,
    hideMore: 'You can hide more like it:',
    unmarked: (title: string) => `↩️ Undone: ${title}.`,
    pick: (title: string) => `What about ${title}?`,
    hidden: (words: string) =>
      `🙈 ${words} stays out of your direct messages and mails from now on; channels still show it to everyone. {/jobs saved} takes that back.`,
  },
  privacy: {
    exported:
      'Everything stored about you is in this file; your token is not, it never leaves. {/privacy erase} deletes it all.',
    eraseAsk:
      'This deletes your token, your e-mail address, your subscriptions with their history, and what you saved. It cannot be undone; {/privacy export} gives you a copy first.',
    erased: '🗑️ All your data is deleted. Use {/help} to start again.',
    kept: 'Nothing was deleted.',
  },
  help: {
    title: 'Three steps to your first posting',
    one: '**1. Your token** · Copy your API token from the token page of the jobs board and set it: {/token set}. Nobody else sees it.',
    two: '**2. Look first** · {/jobs preview} shows what a filter finds now and how often it matched lately.',
    three:
      '**3. Subscribe** · {/jobs subscribe} announces new postings here (with Manage Channels), by direct message or by e-mail ({/email set}).',
    after:
      'Later: {/jobs list} shows and changes what you have, {/jobs why} explains why a posting did or did not come, {/jobs saved} keeps what you marked.',
    done: 'done',
  },
};
