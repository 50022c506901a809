// The demo's e-mail sink: composes mails as the real one does, but writes them to a folder where you can open them.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sink } from '../../ports/sink.js';
import type { Templates } from '../../render/templates.js';
import { parseAddress } from '../../sinks/email/address.js';
import { composeEdition } from '../../sinks/email/compose.js';
import { toEml } from '../../sinks/email/message.js';

export interface MailboxOptions {
  readonly dir: string;
  readonly templates: Templates;
  readonly written: (subject: string, files: readonly string[]) => void;
}

/** A sink named `email` that writes `<n>-digest.eml` and `<n>-digest.html` into `dir`, then calls `written`. */
export function createMailbox({ dir, templates, written }: MailboxOptions): Sink {
  let count = 0;
  return {
    name: 'email',
    parseTarget: parseAddress,
    async deliver(delivery, _target, { guard }) {
      const mail = await composeEdition(delivery, {
        templates,
        from: 'jobcrier demo <demo@example.org>',
        guard,
      });
      await mkdir(dir, { recursive: true });
      const base = join(dir, `${++count}-digest`);
      await writeFile(`${base}.eml`, await toEml(mail));
      await writeFile(`${base}.html`, mail.html);
      written(mail.subject, [`${base}.eml`, `${base}.html`]);
    },
  };
}
