// `jobcrier mail`: previews, checks and test-sends mails, composed by the same functions as the real ones.
import type { Config } from '../config.js';
import { attributionFaults } from '../domain/attribution.js';
import { reasonOf, UserError } from '../domain/errors.js';
import { oneOf, read } from '../domain/input.js';
import type { Notice } from '../ports/notice.js';
import type { Log } from '../ports/system.js';
import { plainCommands } from '../render/commands.js';
import { renderNotice } from '../render/notice.js';
import {
  sampleDelivery,
  sampleQuietWeek,
  sampleReminder,
  sampleReminderText,
  sampleWeeks,
} from '../render/samples.js';
import type { MailKind, Templates } from '../render/templates.js';
import { LANGUAGES, textsFor } from '../render/texts.js';
import { parseAddress } from '../sinks/email/address.js';
import {
  composeConfirm,
  composeEdition,
  composeNotice,
  composeQuietWeek,
  composeReminder,
  readMailbox,
} from '../sinks/email/compose.js';
import { mailFaults } from '../sinks/email/lint.js';
import type { MailMessage } from '../sinks/email/message.js';
import { createMailTransport } from '../sinks/email/transport.js';
import { openTemplates } from '../wiring/templates.js';
import type { CommandContext } from './context.js';
import { writeMail } from './mail-files.js';
import { type OwedMail, owedMail } from './owed-delivery.js';
import { sampleLinks } from './sample-links.js';
import { mustGet, warnOfFolder, withStores } from './session.js';

const KINDS: readonly MailKind[] = ['digest', 'alert', 'quiet', 'confirm', 'notice', 'reminder'];
const SENDER = 'Job crier <jobs@example.org>';
/** Limit for the HTML part: Gmail clips a mail at 102 KB and hides the rest, with the unsubscribe link. */
const MOST_BYTES = 60 * 1024;

interface Kit {
  readonly config: Config;
  readonly templates: Templates;
  readonly log: Log;
}

async function openKit(context: CommandContext): Promise<Kit> {
  const config = context.config();
  warnOfFolder('TEMPLATES_DIR', context);
  const log = context.log('stderr', 'silent');
  return { config, log, templates: await openTemplates(config, log) };
}

function kindOf(wanted: string): MailKind {
  return read(oneOf(KINDS), wanted, '--kind');
}

/** Composes one mail of a kind. A mail with postings has those of `owed`, or sample postings when it is left out. */
async function compose(
  kind: MailKind,
  to: string,
  locale: string,
  { config, templates }: Kit,
  owed?: OwedMail,
): Promise<MailMessage> {
  const from = config.mail?.from ?? SENDER;
  const links = sampleLinks(config.publicUrl ?? 'https://crier.example.org');
  const source = config.sourceName;
  const messageId = `<sample.${kind}.${locale}@jobcrier.invalid>`;
  if (kind === 'confirm') {
    const request = { account: 'sample', address: to, locale, tags: ['solidity', 'rust'] };
    return composeConfirm(request, 'sample', { templates, from, links, source, messageId });
  }
  if (kind === 'notice') {
    const { about, subscription } = sampleDelivery('weekly', locale);
    const said: Notice = { kind: 'token', subject: 'sample', account: 'sample', text: '', data: { source } };
    const text = plainCommands(renderNotice(said, locale), textsFor(locale));
    const url = links.preferences({ account: 'sample', subscription, epoch: 0, now: 0 });
    const notice = { locale, to, text, about, url };
    return composeNotice(notice, { templates, from, source, messageId });
  }
  if (kind === 'reminder') {
    const reminder = sampleReminder('deadline');
    const text = sampleReminderText(reminder, locale);
    return composeReminder(reminder, { locale, text, to }, { templates, from, messageId });
  }
  if (kind === 'quiet') {
    const week = sampleQuietWeek(2, locale);
    const addressed = { ...week, destination: { ...week.destination, target: to } };
    return composeQuietWeek(addressed, { templates, from, links });
  }
  const sample = owed?.delivery ?? sampleDelivery(kind === 'alert' ? 'immediate' : 'weekly', locale);
  const weeks = async () => owed?.weeks ?? sampleWeeks();
  const addressed = { ...sample, destination: { ...sample.destination, target: to } };
  const mailbox = config.mail && readMailbox(config.mail);
  return composeEdition(addressed, { templates, from, links, weeks, mailbox });
}

export interface PreviewOptions {
  readonly kind?: string;
  readonly subscription?: string;
  readonly locale: string;
  readonly out: string;
  readonly json?: boolean;
}

/** What the subscription has waiting to be sent. Throws a UserError when there is nothing. */
function realMail(id: string, context: CommandContext): Promise<OwedMail> {
  return withStores(context, 'read', async ({ config, stores }) => {
    const owed = await owedMail(stores, await mustGet(stores, id), config, context.clock);
    if (owed) return owed;
    throw new UserError(
      `Nothing is waiting to be sent for ${id}; leave out --subscription to see sample postings.`,
    );
  });
}

export async function mailPreviewCommand(options: PreviewOptions, context: CommandContext): Promise<void> {
  const kit = await openKit(context);
  const kinds = options.kind === undefined ? KINDS : [kindOf(options.kind)];
  const owed = options.subscription ? await realMail(options.subscription, context) : undefined;
  const files: string[] = [];
  for (const kind of kinds) {
    const message = await compose(kind, 'reader@example.org', options.locale, kit, owed);
    files.push(...(await writeMail(message, options.out, kind)));
  }
  if (options.json) context.io.json({ files });
  else for (const file of files) context.io.print(file);
}

/** Faults of the composed mails that a check of the templates can't find: their size and their links. */
async function outputFaults(kit: Kit): Promise<string[]> {
  const faults: string[] = [];
  for (const locale of Object.keys(LANGUAGES)) {
    for (const kind of KINDS) {
      const { html, text, headers } = await compose(kind, 'reader@example.org', locale, kit);
      const where = `${kind} (${locale})`;
      // The address that mail programs use; the unsubscribe link of the body must be the same.
      const unsubscribe = /^<(https?:[^>]+)>/u.exec(headers['List-Unsubscribe'] ?? '')?.[1];
      faults.push(...mailFaults({ html, text }, unsubscribe).map((fault) => `${where}, ${fault}`));
      const bytes = Buffer.byteLength(html);
      if (bytes > MOST_BYTES)
        faults.push(
          `${where}: ${Math.ceil(bytes / 1024)} KB of HTML, over ${MOST_BYTES / 1024}; make it shorter.`,
        );
      if (kind !== 'digest' && kind !== 'alert') continue;
      const links = sampleDelivery(kind === 'alert' ? 'immediate' : 'weekly').postings;
      faults.push(
        ...attributionFaults({ format: 'html', body: html }, links).map(
          (fault) => `${where}, HTML: ${fault}`,
        ),
        ...attributionFaults({ format: 'text', body: text, note: textsFor(locale).card.note }, links).map(
          (fault) => `${where}, text: ${fault}`,
        ),
      );
    }
  }
  return faults;
}

export async function mailLintCommand(options: { json?: boolean }, context: CommandContext): Promise<0 | 1> {
  const kit = await openKit(context);
  const broken = kit.templates
    .lint()
    .map(({ file, line, reason }) => `${file}${line === undefined ? '' : `, line ${line}`}: ${reason}`);
  const faults = [...broken, ...(await outputFaults(kit))];
  if (options.json) context.io.json({ ok: faults.length === 0, faults });
  else if (faults.length === 0) context.io.print('The mail templates are valid.');
  else for (const fault of faults) context.io.print(fault);
  return faults.length === 0 ? 0 : 1;
}

export interface SendTestOptions {
  readonly address: string;
  readonly kind: string;
  readonly locale: string;
  readonly json?: boolean;
}

export async function mailSendTestCommand(options: SendTestOptions, context: CommandContext): Promise<void> {
  const kit = await openKit(context);
  const { mail } = kit.config;
  if (!mail)
    throw new UserError('SMTP_URL and MAIL_FROM: not set, so there is no relay to send over; set both.', 2);
  const kind = kindOf(options.kind);
  const to = parseAddress(options.address);
  const composed = await compose(kind, to, options.locale, kit);
  const at = context.clock.now();
  // Each test has a new Message-ID, or the receiver would drop the second one as a duplicate.
  const message = {
    ...composed,
    subject: `[test] ${composed.subject}`,
    messageId: `<test.${at}.${process.pid}@jobcrier.invalid>`,
  };
  const transport = createMailTransport({
    smtpUrl: mail.smtpUrl,
    dkim: mail.dkim,
    bounce: parseAddress(/<([^>]+)>$/u.exec(mail.from)?.[1] ?? mail.from),
    token: () => 'test',
  });
  const spinner = context.io.spinner('Sending');
  try {
    await transport.send(message, AbortSignal.timeout(60_000));
    spinner.success('The relay accepted it');
  } catch (error) {
    spinner.error('The relay did not accept it');
    throw new UserError(
      `The relay did not accept the mail (${reasonOf(error)}); "jobcrier doctor" says what is wrong with it.`,
    );
  } finally {
    transport.close();
  }
  if (options.json) context.io.json({ sent: true, kind, messageId: message.messageId });
  else context.io.say('The relay accepted the mail; look in the inbox and the spam folder.');
}
