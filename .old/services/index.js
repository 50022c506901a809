import { leaveServer, returnToServer } from '../pipeline/servers.js';
import { createAccountService, createChangeAccount } from './accounts.js';
import { createInteractive } from './interactive.js';
import { createMarksService } from './marks.js';
import { preview } from './preview.js';
import { createSubscriptionService } from './subscriptions.js';
import { createTokenService } from './tokens.js';
import { retryParked } from './waiting.js';
/** `describeFilter` describes a filter in the caller's language. `mail` is absent while e-mail is off. */
export function createServices(p, scheduler, settings, describeFilter, mail) {
    const changeAccount = createChangeAccount(p);
    const interactive = createInteractive(settings.interactiveMs, settings.stopping);
    const accountService = createAccountService(p, changeAccount, settings.forget);
    return {
        ...createTokenService(p, scheduler, changeAccount, interactive),
        ...createSubscriptionService(p, scheduler, settings, interactive),
        ...createMarksService(p),
        ...accountService,
        servers: () => p.stores.subscriptions.servers(),
        leftGuild: (guild) => leaveServer(p, guild),
        inGuild: (guild) => returnToServer(p, guild),
        retryParked: (isOpen) => retryParked(p, isOpen),
        preview: (caller, filter) => preview(p, caller, filter, (read) => describeFilter(read, caller.locale ?? 'en'), interactive),
        ...(mail ? withMail(accountService, mail) : {}),
    };
}
/** Adds what is stored about mails to the export. */
function withMail(services, mail) {
    return {
        mail,
        exportAccount: async (account) => ({
            ...(await services.exportAccount(account)),
            mail: await mail.exportOf(account),
        }),
    };
}
//# sourceMappingURL=index.js.map