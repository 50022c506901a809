// The services: everything people can ask for, behind one interface, so that slash commands, pages and the command
// line share the same rules.
import { defined } from '../domain/defined.js';
import type { Filter } from '../domain/filter.js';
import type { Pipeline } from '../pipeline/context.js';
import type { Scheduler } from '../pipeline/scheduler.js';
import { leaveServer, returnToServer } from '../pipeline/servers.js';
import type { MailService } from '../ports/mail-service.js';
import type { Services } from '../ports/services.js';
import { createAccessKeyService } from './access-keys.js';
import { createAccountService, createChangeAccount } from './accounts.js';
import { createArchiveService } from './archive.js';
import { createCompanyService } from './companies.js';
import { createFeedbackService } from './feedback.js';
import { createInteractive } from './interactive.js';
import { createKeptService } from './kept.js';
import { createMarksService } from './marks.js';
import { emptied, estimate, preview } from './preview.js';
import { createSessionService } from './sessions.js';
import { createSubscriptionService, type ServiceSettings } from './subscriptions.js';
import { createTokenService } from './tokens.js';
import { retryParked } from './waiting.js';

/** `describeFilter` describes a filter in the caller's language. */
export function createServices(
  p: Pipeline,
  scheduler: Scheduler,
  settings: ServiceSettings,
  describeFilter: (filter: Filter, locale: string) => string,
): Services {
  const changeAccount = createChangeAccount(p);
  const interactive = createInteractive(settings.interactiveMs, settings.stopping);
  const subscriptions = createSubscriptionService(p, scheduler, settings, interactive);
  return {
    ...createTokenService(p, scheduler, changeAccount, interactive),
    ...subscriptions,
    ...createCompanyService(p, subscriptions),
    ...createMarksService(p),
    ...createFeedbackService(p),
    ...createKeptService(p),
    ...createArchiveService(p),
    ...createAccessKeyService(p, settings.newSecret),
    ...createSessionService(p, settings.links, settings.newSecret),
    ...createAccountService(p, changeAccount, settings.forget),
    ...defined({ agentUrl: settings.agentUrl }),
    servers: () => p.stores.subscriptions.servers(),
    leftGuild: (guild) => leaveServer(p, guild),
    inGuild: (guild) => returnToServer(p, guild),
    retryParked: (isOpen) => retryParked(p, isOpen),
    placeName: async ({ sink, target }) => (await p.sinks.get(sink)?.nameOf?.(target)) ?? {},
    estimate: (caller, filter) => estimate(p, caller.account, filter),
    emptied: (caller, former, filter) => emptied(p, caller.account, former, filter),
    preview: (caller, filter) =>
      preview(p, caller, filter, (read) => describeFilter(read, caller.locale ?? 'en'), interactive),
  };
}

/** The services of a program that sends mail: with what people can do about it, and with its records in the export. */
export function withMail(services: Services, mail: MailService | undefined): Services {
  if (!mail) return services;
  return {
    ...services,
    mail,
    exportAccount: async (account) => ({
      ...((await services.exportAccount(account)) as object),
      mail: await mail.exportOf(account),
    }),
  };
}
