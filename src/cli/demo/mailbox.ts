// The demo's e-mail: composed as the real one, but laid into a folder where it can be opened.
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

/** A sink called `email` that writes `<n>-digest.eml` and `.html` into `dir`. */
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
