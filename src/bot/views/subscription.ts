// Describes a subscription, with the buttons that fit its state.
import { discordUser } from '../../domain/discord-id.js';
import type { FixName } from '../../domain/errors.js';
import type { Destination } from '../../domain/subscription.js';
import type { StuckPlace, SubscriptionReport } from '../../ports/services.js';
import { describeCadence, describeFilter, sinkName } from '../../render/describe.js';
import { escaped } from '../../render/discord/escape.js';
import { fixWords } from '../../render/notice.js';
import { type Texts, textsFor } from '../../render/texts.js';
import { type ActionRow, button, customId, row } from '../runtime/components.js';

import { type Request, SINK } from '../runtime/request.js';

/** Discord's relative time, which each client keeps up to date; milliseconds since the epoch. */
export function relative(at: number): string {
  return `<t:${Math.round(at / 1000)}:R>`;
}

/** "in #jobs, weekly on Monday 09:00 Europe/Berlin". */
export function destinationWords(destination: Destination, locale: string): string {
  const texts = textsFor(locale);
  const { where } = texts.bot;
  const { target, cadence, options, quiet, cap, perDay, immediateFit } = destination;
  const parts = [
    placeWords(destination, `<#${target}>`, texts),
    describeCadence(cadence, locale),
    typeof options?.mention === 'string' && where.mention({ role: `<@&${options.mention}>` }),
    options?.publish === true && where.publish,
    quiet && where.quiet({ from: quiet.from, to: quiet.to, zone: quiet.timezone }),
    cap !== undefined && where.cap({ count: cap }),
    perDay !== undefined && where.perDay({ count: perDay }),
    immediateFit !== undefined && cadence.every !== 'immediate' && where.immediateFit({ fit: immediateFit }),
  ];
  return parts.filter(Boolean).join(', ');
}

/** "Solidity or Rust, remote; in #jobs, weekly on Monday 09:00 Europe/Berlin". */
export function subscriptionWords({ subscription }: SubscriptionReport, locale: string, max = 400): string {
  const places = subscription.destinations.map((one) => destinationWords(one, locale));
  return [`**${escaped(describeFilter(subscription.filter, locale), max)}**`, ...places].join('; ');
}

/** The same without markup, for menus and autocomplete. */
export function plainWords({ subscription }: SubscriptionReport, request: Request): string {
  const texts = textsFor(request.locale);
  const places = subscription.destinations.map((destination) => {
    const name = request.channelName(destination.target);
    const place = placeWords(destination, name ? `#${name}` : '', texts);
    return [place, describeCadence(destination.cadence, request.locale)].filter(Boolean).join(', ');
  });
  return [describeFilter(subscription.filter, request.locale), ...places].join('; ');
}

/** "in #jobs"; empty for a channel without a name to show. */
function placeWords({ sink, target }: Destination, channel: string, texts: Texts): string {
  const { where } = texts.bot;
  if (sink !== SINK) return where.other({ sink: sinkName(sink, texts) });
  if (target.startsWith('dm:')) return where.dm;
  return channel === '' ? '' : where.channel({ channel });
}

/** "next check in 4 minutes", "next digest in 3 days". */
export function comingWords({ nextPollAt, nextEditionAt }: SubscriptionReport, texts: Texts): string[] {
  const { nextCheck, nextDigest } = texts.bot.jobs;
  const polls = nextPollAt !== undefined && Number.isFinite(nextPollAt);
  return [
    ...(polls ? [nextCheck({ when: relative(nextPollAt) })] : []),
    ...(nextEditionAt === undefined ? [] : [nextDigest({ when: relative(nextEditionAt) })]),
  ];
}

/** State, next check and digest, last check and how it went, and postings waiting to be sent. */
function stateWords(report: SubscriptionReport, texts: Texts): string {
  const { jobs } = texts.bot;
  const running = report.state === 'active' || report.state === 'parked' || report.state === 'waiting';
  const { pausedUntil } = report.subscription;
  const parts = [
    jobs.state[report.state],
    report.state === 'paused' && pausedUntil !== undefined && jobs.ends({ when: relative(pausedUntil) }),
    ...(running ? comingWords(report, texts) : []),
    report.polledAt !== undefined && jobs.lastCheck({ when: relative(report.polledAt) }),
    ...(running ? [healthWords(report, texts)] : []),
    report.owed > 0 && jobs.owed({ count: report.owed }),
  ];
  return parts.filter(Boolean).join(' · ');
}

/** How the last checks failed; empty when the last one worked, or there was none. */
function healthWords({ failures, outcome }: SubscriptionReport, { bot: { jobs } }: Texts): string {
  if (outcome === undefined || outcome === 'recorded') return '';
  if (outcome === 'throttled') return `⚠️ ${jobs.checks.busy}`;
  if (outcome === 'partial') return `⚠️ ${jobs.checks.partial}`;
  const failed = jobs.checks.failed({ count: Math.max(1, failures) });
  return `⚠️ ${failed}: ${outcome === 'unavailable' ? jobs.checks.away : jobs.checks.unusable}`;
}

/** Names the owner, for a manager of the server. Empty for the owner. */
function ownerWords({ subscription }: SubscriptionReport, { caller }: Request, texts: Texts): string {
  const owner = subscription.account === caller.account ? undefined : discordUser(subscription.account);
  return owner ? ` · ${texts.bot.jobs.owner({ user: `<@${owner}>` })}` : '';
}

/** Why a delivery is stopped, with the fix; without a known fix, the receiving service's own words. */
export function reasonWords(
  { fix, why = '' }: { readonly fix?: FixName; readonly why?: string },
  texts: Texts,
): string {
  return fixWords(fix, texts) ?? escaped(why, 200);
}

/** Why one destination is stopped and when it is tried next. Names the destination when there are several. */
function stuckWords(place: StuckPlace, report: SubscriptionReport, texts: Texts, locale: string): string {
  const several = report.subscription.destinations.length > 1;
  const which = several ? `${destinationWords(place.destination, locale)}: ` : '';
  const next =
    place.nextAt === undefined ? '' : ` · ${texts.bot.jobs.nextTry({ when: relative(place.nextAt) })}`;
  return `${which}${reasonWords(place, texts)}${next}`;
}

/** The whole subscription: words, owner, state, how the last checks went, why it does not deliver. */
export function subscriptionView(report: SubscriptionReport, request: Request, max = 400): string {
  const { locale } = request;
  const texts = textsFor(locale);
  const runs = report.state === 'parked' || report.state === 'waiting';
  const why = (runs ? report.stuck : [])
    .map((place) => `\n> ${stuckWords(place, report, texts, locale)}`)
    .join('');
  const left =
    report.deletedAt === undefined
      ? ''
      : `\n> ${texts.bot.jobs.leftServer({ when: relative(report.deletedAt) })}`;
  const owner = ownerWords(report, request, texts);
  return `${subscriptionWords(report, locale, max)}${owner}\n-# ${stateWords(report, texts)}${left || why}`;
}

/** Preview, Edit, Pause or Resume, History, Remove; below, a test message and the way back to the list. */
export function subscriptionButtons(
  report: SubscriptionReport,
  owner: string,
  texts: Texts,
): readonly ActionRow[] {
  const { buttons } = texts.bot;
  const { id, destinations } = report.subscription;
  const on = (verb: string) => customId('sub', [verb, id], owner);
  const goes = report.state !== 'paused' && report.state !== 'parked';
  // Other places have no test message; their health is in the state.
  const test = destinations.some(({ sink }) => sink === SINK)
    ? [button(buttons.test, on('test'), 'plain', '🧪')]
    : [];
  return [
    row(
      button(buttons.preview, on('preview'), 'plain', '🔎'),
      button(buttons.edit, on('edit'), 'plain', '✏️'),
      goes
        ? button(buttons.pause, on('pause'), 'plain', '⏸️')
        : button(buttons.resume, on('resume'), 'good', '▶️'),
      button(buttons.history, on('history'), 'plain', '📜'),
      button(buttons.remove, on('remove'), 'danger', '🗑️'),
    ),
    row(...test, button(buttons.list, customId('list', ['of', id], owner), 'plain', '◀️')),
  ];
}
