// Acts on bounce reports. In a report by mail, the token in the envelope sender shows whom it is about, so no address
// has to be trusted.
import type { Log } from '../../ports/system.js';
import { type MailAlert, refusedBy } from './failures.js';
import type { StreamHealth } from './health.js';
import type { BounceReport } from './reports.js';
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
