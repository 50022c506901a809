// All checks in the order of the output: settings, machine, store, templates, then the services it connects to.
import { backupsCheck } from './backups.js';
import type { Check } from './check.js';
import { clockCheck } from './clock.js';
import { discordChannelsCheck, discordCheck } from './discord.js';
import { diskCheck, fileSystemCheck } from './disk.js';
import { jobsApiCheck } from './jobs-api.js';
import { mailDnsCheck } from './mail-dns.js';
import { postgresCheck } from './postgres.js';
import { publicUrlCheck } from './public-url.js';
import { queueCheck } from './queue.js';
import { settingsCheck } from './settings.js';
import { smtpCheck } from './smtp.js';
import { storeCheck } from './store.js';
import { subscriptionsFileCheck } from './subscriptions-file.js';
import { templatesCheck } from './templates.js';
import { versionsCheck } from './versions.js';

export const CHECKS: readonly Check[] = [
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
