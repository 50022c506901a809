// Reminders of postings that people marked. Each person who wants reminders has a small row with the time of the next
// look at their marks, so people without reminders cost nothing.
import { quietUntil } from '../domain/cadence.js';
import { defined } from '../domain/defined.js';
import { postingRef } from '../domain/edition.js';
import { reasonOf } from '../domain/errors.js';
import { dueReminder, nextMorning, type ReminderKind, reminded } from '../domain/reminders.js';
import { type Destination, destinationOfReader, OPERATOR } from '../domain/subscription.js';
import type { Notice } from '../ports/notice.js';
import type { Marks } from '../ports/stores.js';
import type { Pipeline } from './context.js';
import { cleanPosting, redactorFor } from './guard.js';

/** `at`: when the marks are looked at next, milliseconds since the epoch. */
interface Row {
  readonly at: number;
}

type Entry = Marks['postings'][string];

const PREFIX = 'reminders:';
const HOUR = 3_600_000;
/** Most reminders that a person gets at once. The others come an hour later. */
const MOST = 5;

/** True if the person wants reminders. */
export async function wantsReminders(
  { stores }: Pick<Pipeline, 'stores'>,
  account: string,
): Promise<boolean> {
  return (await stores.misc.get(PREFIX + account)) !== undefined;
}

/** Turns the reminders of a person on or off. Turning them on sends nothing before the next morning. */
export async function setReminders(
  { stores, clock }: Pick<Pipeline, 'stores' | 'clock'>,
  account: string,
  isOn: boolean,
): Promise<void> {
  if (!isOn) return stores.misc.delete(PREFIX + account);
  const at = nextMorning(await zoneOf(stores, account), clock.now());
  await stores.misc.update(PREFIX + account, (before) => before ?? { at });
}

/** Sends the reminders that are due, until `stopping`. Called once an hour. */
export async function sendReminders(p: Pipeline, stopping?: AbortSignal): Promise<void> {
  const due: string[] = [];
  for await (const [key, row] of p.stores.misc.entries(PREFIX))
    if ((row as Row).at <= p.clock.now()) due.push(key.slice(PREFIX.length));
  for (const account of due) {
    if (stopping?.aborted) return;
    try {
      await remind(p, account);
    } catch (error) {
      p.log.warn({ account, reason: reasonOf(error) }, 'reminders not sent, tried again in an hour');
    }
  }
}

async function remind(p: Pipeline, account: string): Promise<void> {
  const now = p.clock.now();
  const mails = await mailsOf(p.stores, account);
  if (mails?.length === 0) return p.stores.misc.delete(PREFIX + account);
  const timezone = await zoneOf(p.stores, account);
  const next = (at: number) =>
    p.stores.misc.update(PREFIX + account, (before) => (before === undefined ? before : { at }));
  const { postings = {} } = (await p.stores.marks.get(account)) ?? {};
  const found = Object.entries(postings).flatMap(([key, entry]) => {
    const kind = dueReminder(entry, timezone, now);
    return kind ? [{ key, entry, kind }] : [];
  });
  const quiet = found.length > 0 ? await quietHoursOf(p, account, now) : undefined;
  if (found.length === 0 || quiet !== undefined) {
    await next(quiet ?? nextMorning(timezone, now));
    return;
  }
  found.sort((a, b) => a.kind.localeCompare(b.kind));
  // Nothing is sent while nothing can be written, because the same would be sent again every hour.
  await next(now + HOUR);
  const redactor = await redactorFor(p, account);
  let sent = 0;
  for (const { key, entry, kind } of found.slice(0, MOST)) {
    const posting = cleanPosting(entry.posting, redactor);
    const notice = noticeOf(account, kind, { ...entry, posting }, timezone);
    if (!(await reached(p, notice, mails))) continue;
    // Sent first: a reminder that comes twice is better than one that is lost. Discord ignores a repeated message.
    await settle(p, account, key, entry);
    sent++;
    p.log.info({ account, posting: postingRef(key), kind }, 'reminder sent');
  }
  // A person who can't be reached is tried again the next morning.
  await next(sent === MOST && found.length > MOST ? now + HOUR : nextMorning(timezone, now));
}

/** Sends a notice to the person, or to the reader by the first of the mails that they still get. */
async function reached(p: Pipeline, notice: Notice, mails: Mails | undefined): Promise<boolean> {
  if (!mails) return p.notices.send(notice);
  for (const reader of mails) if (await p.notices.send({ ...notice, reader })) return true;
  return false;
}

/** Records that the reminder was sent, unless the person moved the posting meanwhile. */
async function settle(p: Pipeline, account: string, key: string, { mark, at }: Entry): Promise<void> {
  await p.stores.marks.update(account, (before) => {
    const entry = before?.postings[key];
    if (!before || !entry || entry.mark !== mark || entry.at !== at) return before;
    return { ...before, postings: { ...before.postings, [key]: reminded(entry, p.clock.now()) } };
  });
}

function noticeOf(
  account: string,
  kind: ReminderKind,
  { posting, at, remindAt }: Entry,
  timezone: string,
): Notice {
  const { applyUrl: _link, ...bare } = posting;
  return {
    kind: 'reminder',
    subject: `${account}:${postingRef(posting.key)}:${remindAt ?? at}`,
    account,
    text: kind === 'deadline' ? 'The last day to apply to a saved posting is near.' : 'Did you hear back?',
    // Only a person who has not applied yet needs the link.
    reminder: { kind, at, timezone, posting: kind === 'deadline' ? posting : bare },
  };
}

type Mails = readonly NonNullable<Notice['reader']>[];

/**
 * What brings mails to a reader of the operator's subscriptions, who has no account; undefined for an account. Empty when
 * the subscription or the destination is gone.
 */
async function mailsOf({ subscriptions }: Pipeline['stores'], reader: string): Promise<Mails | undefined> {
  const id = destinationOfReader(reader);
  if (id === undefined) return undefined;
  const found = await subscriptions.byDestination(id);
  return found.flatMap(({ account, id: subscription, destinations, locale }) => {
    const destination = account === OPERATOR && destinations.find((one) => one.id === id);
    return destination ? { subscription, destination, ...defined({ locale }) } : [];
  });
}

async function zoneOf(stores: Pipeline['stores'], account: string): Promise<string> {
  const [mail] = (await mailsOf(stores, account)) ?? [];
  if (mail) return mail.destination.cadence.timezone;
  return (await stores.accounts.get(account))?.timezone ?? 'UTC';
}

/** When the quiet hours of the person's private places end; undefined outside them. Milliseconds since the epoch. */
async function quietHoursOf(p: Pipeline, account: string, now: number): Promise<number | undefined> {
  const mails = await mailsOf(p.stores, account);
  const places: readonly Destination[] = mails
    ? mails.map(({ destination }) => destination)
    : (await p.stores.subscriptions.byAccount(account)).flatMap(({ destinations }) => destinations);
  const ends = places.flatMap(({ sink, target, quiet }) =>
    p.sinks.get(sink)?.isPrivate?.(target) ? (quietUntil(quiet, now) ?? []) : [],
  );
  return ends.length > 0 ? Math.max(...ends) : undefined;
}
