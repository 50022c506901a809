// The desk: everything people can ask for, behind one interface, so that slash commands, pages and the command line
// can't each grow rules of their own.
import type { Filter } from '../../domain/filter.js';
import type { Desk } from '../../ports/desk.js';
import type { MailDesk } from '../../ports/mail-desk.js';
import type { Pipeline } from '../context.js';
import type { Scheduler } from '../scheduler.js';
import { leaveServer, returnToServer } from '../servers.js';
import { createAccountDesk, createChangeAccount } from './account-desk.js';
import { createInteractive } from './interactive.js';
import { createMarksDesk } from './marks-desk.js';
import { preview } from './preview.js';
import { createSubscriptionDesk, type DeskSettings } from './subscription-desk.js';
import { createTokenDesk } from './token-desk.js';
import { retryParked } from './waiting.js';

/** `describeFilter` says a filter in the caller's language; `mail` is absent while e-mail is off. */
export function createDesk(
  p: Pipeline,
  scheduler: Scheduler,
  settings: DeskSettings,
  describeFilter: (filter: Filter, locale: string) => string,
  mail?: MailDesk,
): Desk {
  const changeAccount = createChangeAccount(p);
  const interactive = createInteractive(settings.interactiveMs, settings.stopping);
  const accountDesk = createAccountDesk(p, changeAccount, settings.forget);
  return {
    ...createTokenDesk(p, scheduler, changeAccount, interactive),
    ...createSubscriptionDesk(p, scheduler, settings, interactive),
    ...createMarksDesk(p),
    ...accountDesk,
    servers: () => p.stores.subscriptions.servers(),
    leftGuild: (guild) => leaveServer(p, guild),
    inGuild: (guild) => returnToServer(p, guild),
    retryParked: (isOpen) => retryParked(p, isOpen),
    preview: (caller, filter) =>
      preview(p, caller, filter, (read) => describeFilter(read, caller.locale ?? 'en'), interactive),
    ...(mail ? withMail(accountDesk, mail) : {}),
  };
}

/** What is stored about mails goes along with the rest into the export. */
function withMail(desk: Pick<Desk, 'exportAccount'>, mail: MailDesk): Pick<Desk, 'exportAccount' | 'mail'> {
  return {
    mail,
    exportAccount: async (account) => ({
      ...((await desk.exportAccount(account)) as object),
      mail: await mail.exportOf(account),
    }),
  };
}
