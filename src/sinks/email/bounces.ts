// Acts on bounce reports. In a report by mail, the token in the envelope sender shows whom it is about, so no address
// has to be trusted.

import { lstat, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf, StoreError } from '../../domain/errors.js';
import { createMutex } from '../../domain/serial.js';
import type { Log } from '../../ports/system.js';
import { type MailAlert, refusedBy } from './failures.js';
import type { StreamHealth } from './health.js';
import { type BounceReport, LARGEST_REPORT } from './reports.js';
import { readStatus } from './smtp-replies.js';
import type { Suppression } from './suppression.js';

/** Acts on one report. */
export type ApplyReport = (report: BounceReport) => Promise<void>;

export function createBounces(deps: {
  suppression: Suppression;
  health: StreamHealth;
  log: Log;
  onAlert: MailAlert;
}): ApplyReport {
  const { suppression, health, log, onAlert } = deps;

  async function suppress({ who }: BounceReport, why: string): Promise<void> {
    if ('token' in who) await suppression.addToken(who.token, why);
    else await suppression.add(who.address, why);
    if (health.result(true))
      onAlert('Over 5 % of the mails of this run came back: the run stopped for an hour.');
  }

  return async (report) => {
    const { who, status = '5.0.0' } = report;
    if (report.complaint) {
      log.info({}, 'complaint taken, address suppressed');
      return suppress(report, 'complaint');
    }
    if (report.delayed) return log.info({ status }, 'report of a delay taken');
    const answer = readStatus(status);
    log.info({ status, kind: answer.kind }, 'bounce taken');
    if (answer.kind === 'address') return suppress(report, answer.summary);
    if (answer.kind === 'mailbox') {
      // Without a Message-ID each report counts as a separate message.
      const message = report.message ?? `report.${Math.random().toString(36).slice(2)}`;
      await suppression.soft(who, message, answer.summary, true);
      return;
    }
    if (answer.kind !== 'ours') return;
    // Only a report posted by the relay has an address. A report by mail could be forged to stop a whole domain.
    onAlert(refusedBy(health, suppression, 'address' in who ? who.address : undefined, answer.summary));
  };
}

// Delivery reports may go to a mailbox instead of a webhook. A maildir needs no protocol: new mails are files in
// `new/`, and moving one to `cur/` marks it as read. Anyone can write to a mailbox, so a mail is moved before it is
// read: if reading it crashes the process, it is not read again after a restart.

const EVERY = 30_000;

/** Passes each new mail of a maildir to `take`, now and every 30 seconds. Returns a function that stops it. */
export function startMaildir(
  folder: string,
  log: Log,
  take: (mail: string) => Promise<void>,
  everyMs = EVERY,
): () => Promise<void> {
  const sweeps = createMutex();
  let stopped = false;
  let complained = false;

  async function takeFile(name: string): Promise<void> {
    const from = join(folder, 'new', name);
    const to = join(folder, 'cur', `${name}:2,S`);
    const { size } = await lstat(from);
    await rename(from, to);
    // Anything but a file, such as a pipe, could block the read forever.
    if (size > LARGEST_REPORT || !(await lstat(to)).isFile()) {
      log.warn({ bytes: size }, 'mail in the bounce maildir is too large or no file: moved to cur, not read');
      return;
    }
    try {
      await take(await readFile(to, 'utf8'));
    } catch (error) {
      // Reading worked, but the result could not be stored: the next sweep tries again.
      if (error instanceof StoreError) await rename(to, from);
      throw error;
    }
  }

  async function sweep(): Promise<void> {
    try {
      for (const name of (await readdir(join(folder, 'new'))).sort()) {
        if (stopped) return;
        await takeFile(name);
      }
      complained = false;
    } catch (error) {
      if (!complained) log.error({ reason: reasonOf(error) }, 'bounce maildir cannot be read');
      complained = true;
    }
  }

  function run(): void {
    void sweeps(sweep);
  }
  run();
  const timer = setInterval(run, everyMs);
  timer.unref();
  return async () => {
    stopped = true;
    clearInterval(timer);
    await sweeps.idle();
  };
}
