// All checks in the order of the output: settings, machine, store, templates, then the services it connects to.
import { discordChannelsCheck, discordCheck } from './discord.js';
import { jobsApiCheck } from './jobs-api.js';
import { backupsCheck, clockCheck, diskCheck, fileSystemCheck, versionsCheck } from './machine.js';
import { mailDnsCheck, smtpCheck } from './mail.js';
import { publicUrlCheck } from './public-url.js';
import { settingsCheck, subscriptionsFileCheck, templatesCheck } from './settings.js';
import { postgresCheck, queueCheck, storeCheck } from './store.js';
export const CHECKS = [
    versionsCheck,
    settingsCheck,
    subscriptionsFileCheck,
    clockCheck,
    diskCheck,
    fileSystemCheck,
    storeCheck,
    postgresCheck,
    queueCheck,
    backupsCheck,
    templatesCheck,
    jobsApiCheck,
    discordCheck,
    discordChannelsCheck,
    smtpCheck,
    mailDnsCheck,
    publicUrlCheck,
];
//# sourceMappingURL=checks.js.map