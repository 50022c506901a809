// Every slash command, by its top-level name. A new one is a file beside this one and a line here.
import type { Command } from '../request.js';
import { emailRemove } from './email-remove.js';
import { emailSet } from './email-set.js';
import { emailStatus } from './email-status.js';
import { help } from './help.js';
import { jobsEdit } from './jobs-edit.js';
import { jobsHistory } from './jobs-history.js';
import { jobsList } from './jobs-list.js';
import { jobsPause } from './jobs-pause.js';
import { jobsPreview } from './jobs-preview.js';
import { jobsRemove } from './jobs-remove.js';
import { jobsResume } from './jobs-resume.js';
import { jobsSaved } from './jobs-saved.js';
import { jobsShow } from './jobs-show.js';
import { jobsSubscribe } from './jobs-subscribe.js';
import { jobsWhy } from './jobs-why.js';
import { privacyErase } from './privacy-erase.js';
import { privacyExport } from './privacy-export.js';
import { tokenRemove } from './token-remove.js';
import { tokenSet } from './token-set.js';
import { tokenStatus } from './token-status.js';

/** In the order Discord shows them. */
export const GROUPS: readonly { readonly name: string; readonly commands: readonly Command[] }[] = [
  { name: 'help', commands: [help] },
  { name: 'token', commands: [tokenSet, tokenStatus, tokenRemove] },
  {
    name: 'jobs',
    commands: [
      jobsSubscribe,
      jobsPreview,
      jobsList,
      jobsShow,
      jobsEdit,
      jobsPause,
      jobsResume,
      jobsRemove,
      jobsWhy,
      jobsHistory,
      jobsSaved,
    ],
  },
  { name: 'email', commands: [emailSet, emailStatus, emailRemove] },
  { name: 'privacy', commands: [privacyExport, privacyErase] },
];

const BY_PATH = new Map(GROUPS.flatMap(({ commands }) => commands.map((one) => [one.path, one] as const)));

/** Full names, e.g. "jobs list". */
export const PATHS: readonly string[] = [...BY_PATH.keys()];

export function commandOf(path: string): Command | undefined {
  return BY_PATH.get(path);
}
