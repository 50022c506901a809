// `jobcrier digest`: shows the next edition of a subscription as its reader would get it now. It sends nothing, and the
// postings stay in the outbox.
import { defined } from '../domain/defined.js';
import { isMail } from '../sinks/email/address.js';
import { composeEdition, readMailbox } from '../sinks/email/compose.js';
import { openTemplates } from '../wiring/templates.js';
import type { Command } from './context.js';
import { writeMail } from './mail-files.js';
import { owedMail } from './owed-delivery.js';
import { sampleLinks } from './sample-links.js';
import { mustGet, warnOfFolder, withStores } from './session.js';

export interface DigestOptions {
  readonly subscription: string;
  readonly out?: string;
  readonly json?: boolean;
}

/** Prints the text part, or writes `.eml`, `.html` and `.txt` files into the given folder and prints their paths. */
export const digestCommand: Command<DigestOptions> = (options, context) =>
  withStores(context, 'read', async ({ config, stores, log }) => {
    const { io, clock } = context;
    warnOfFolder('TEMPLATES_DIR', context);
    const subscription = await mustGet(stores, options.subscription);
    const owed = await owedMail(stores, subscription, config, clock);
    if (!owed) {
      if (options.json) io.json({ subscription: subscription.id, postings: 0, files: [] });
      else io.say('Nothing has matched since the last edition, so no digest would go out.');
      return;
    }
    const templates = await openTemplates(config, log);
    const from = config.mail?.from ?? 'jobcrier <jobcrier@example.org>';
    const { delivery, weeks } = owed;
    const { destination } = delivery;
    // A digest for another sink, such as a channel, is shown as a mail too.
    const target = isMail(destination) ? destination.target : 'reader@example.org';
    const mail = await composeEdition(
      { ...delivery, destination: { ...destination, target } },
      {
        templates,
        from,
        weeks: async () => weeks,
        mailbox: config.mail && readMailbox(config.mail),
        ...defined({ links: config.publicUrl ? sampleLinks(config.publicUrl) : undefined }),
      },
    );
    const files = options.out === undefined ? [] : await writeMail(mail, options.out, subscription.id);
    const postings = delivery.postings.length + delivery.more;
    if (options.json)
      return io.json({ subscription: subscription.id, subject: mail.subject, postings, files });
    if (files.length === 0) return io.print(`Subject: ${mail.subject}\n\n${mail.text}`);
    io.say(`“${mail.subject}”, ${postings} posting(s):`);
    for (const file of files) io.print(file);
  });
