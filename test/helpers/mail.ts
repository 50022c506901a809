// The setup of every test of the e-mail sink: a sink on a scripted server, a clock that can be moved, a log that is
// kept, and the guard that the pipeline gives to sinks.
import { fileURLToPath } from 'node:url';
import PostalMime, { type Email } from 'postal-mime';
import type { Account } from '../../src/domain/account.js';
import { attributionFaults } from '../../src/domain/attribution.js';
import { createLinks, deriveKeys } from '../../src/domain/link-token.js';
import { secret } from '../../src/domain/secret.js';
import type { Delivery, DeliveryContext } from '../../src/ports/sink.js';
import type { Log } from '../../src/ports/system.js';
import type { Brand } from '../../src/render/brand.js';
import { samplePages } from '../../src/render/sample-pages.js';
import { sampleDelivery, sampleMails } from '../../src/render/samples.js';
import { createTemplates, type Templates } from '../../src/render/templates.js';
import { createEmailSink, type EmailSink, type EmailSinkOptions } from '../../src/sinks/email/sink.js';
import { type MemoryTable, memoryTable, type TestClock, testClock } from './memory-table.js';

export const TEMPLATES = fileURLToPath(new URL('../../templates', import.meta.url));
export const PUBLIC_URL = 'https://crier.example.org';
export const SECRETS = [secret('c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LTEyMzQ=')];

/** Keeps log lines, as the text they would become. */
export function keptLog(): Log & { readonly lines: string[] } {
  const lines: string[] = [];
  const keep = (level: string) => (fields: object, message: string) => {
    lines.push(JSON.stringify({ level, ...fields, message }));
  };
  return { lines, debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') };
}

let shared: Templates | undefined;

/** The program's own templates; without a `brand`, all tests share one set. */
export function testTemplates(brand?: Brand): Templates {
  const create = () =>
    createTemplates({
      dirs: [TEMPLATES],
      log: keptLog(),
      samples: { mails: sampleMails(), pages: samplePages() },
      brand,
    });
  if (brand) return create();
  shared ??= create();
  return shared;
}

export interface MailSetup {
  readonly sink: EmailSink;
  readonly table: MemoryTable;
  readonly clock: TestClock;
  readonly alerts: string[];
  readonly unsubscribed: string[];
  readonly log: ReturnType<typeof keptLog>;
  readonly accounts: Map<string, Account>;
}

export function setupMail(smtpUrl: string, more: Partial<EmailSinkOptions> = {}): MailSetup {
  const clock = testClock();
  const table = memoryTable(clock);
  const log = keptLog();
  const alerts: string[] = [];
  const unsubscribed: string[] = [];
  const accounts = new Map<string, Account>();
  const sink = createEmailSink({
    templates: testTemplates(),
    table,
    accounts: { get: async (id) => accounts.get(id) },
    keys: deriveKeys(SECRETS, 'mail'),
    links: createLinks(deriveKeys(SECRETS, 'link'), PUBLIC_URL),
    source: 'Example Jobs',
    clock,
    log,
    onAlert: (text) => alerts.push(text),
    onUnsubscribe: async (token) => void unsubscribed.push(token),
    ...more,
    settings: { smtpUrl: secret(smtpUrl), from: 'Job crier <digest@crier.example.org>', ...more.settings },
  });
  return { sink, table, clock, alerts, unsubscribed, log, accounts };
}

/** A delivery to an address that the operator vouches for, unless changed. */
export function mailDelivery(more: Partial<Delivery> = {}): Delivery {
  const base = sampleDelivery(more.every ?? 'weekly', more.locale);
  return { ...base, destination: { ...base.destination, consented: true }, ...more };
}

/** The context the pipeline would give, with the real guard. */
function contextFor(delivery: Delivery): DeliveryContext {
  return {
    signal: AbortSignal.timeout(20_000),
    guard(output) {
      const faults = attributionFaults(output, delivery.postings);
      if (faults.length > 0) throw new Error(`the guard refused: ${faults.join('; ')}`);
    },
  };
}

export function deliverTo(setup: MailSetup, delivery: Delivery): Promise<void> {
  return setup.sink.deliver(delivery, delivery.destination.target, contextFor(delivery));
}

export function parseMail(raw: Buffer): Promise<Email> {
  return PostalMime.parse(raw);
}

export function headerOf(mail: Email, name: string): string | undefined {
  return mail.headers.find((header) => header.key === name.toLowerCase())?.value;
}
