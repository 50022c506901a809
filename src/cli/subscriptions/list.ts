// `jobcrier subscriptions list`: shows each subscription with its account, state, filter and destinations.
import { defined } from '../../domain/defined.js';
import { isPaused, type Subscription } from '../../domain/subscription.js';
import { type PollStatus, pollStatus } from '../../pipeline/poll-result.js';
import { stuckPlaces, stuckState } from '../../pipeline/stuck.js';
import type { StuckPlace } from '../../ports/services.js';
import type { Sink } from '../../ports/sink.js';
import { plainCommands } from '../../render/commands.js';
import { describeCadence, describeFilter } from '../../render/describe.js';
import { fixWords } from '../../render/notice.js';
import { textsFor } from '../../render/texts.js';
import { subscriptionEntry } from '../../subscriptions-file.js';
import type { CommandContext } from '../context.js';
import { noneYet, type Session, withSinks, withStores } from '../session.js';

/** The state as one word; a state that the owner must act on comes before others. */
function stateOf(subscription: Subscription, poll: PollStatus, stuck: readonly StuckPlace[]): string {
  if (isPaused(subscription)) return 'paused';
  if (stuck.length > 0) return stuckState(stuck);
  if (!poll.polledAt) return poll.failures > 0 ? 'failing' : 'new';
  return poll.failures > 0 ? (poll.outcome ?? 'failing') : 'active';
}

async function lineOf(
  { stores }: Session,
  sinks: ReadonlyMap<string, Sink>,
  subscription: Subscription,
  now: number,
) {
  const poll = await pollStatus(stores, subscription);
  const ledger = await stores.ledgers.owed(subscription.id);
  const stuck = await stuckPlaces(sinks, subscription, ledger, now);
  return {
    subscription,
    poll,
    stuck,
    state: stateOf(subscription, poll, stuck),
    owed: ledger?.outbox.length ?? 0,
  };
}

function dateOf(at: number | undefined): string {
  return at === undefined ? 'never' : `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}

function nameOf({ sink, target }: { readonly sink: string; readonly target: string }): string {
  return [sink, target].filter(Boolean).join(':');
}

/** The sentence of the owner's notice and of /jobs list; without one, the receiving service's own words. */
function reasonWords({ fix, why }: StuckPlace): string {
  const texts = textsFor('en');
  const words = fixWords(fix, texts);
  return words === undefined ? why : plainCommands(words, texts);
}

function stuckWords(place: StuckPlace): string {
  const { destination, state, at, nextAt } = place;
  const since = at === undefined ? '' : ` since ${dateOf(at)}`;
  const next = nextAt === undefined ? '' : `, next try ${dateOf(nextAt)}`;
  return `${nameOf(destination)} ${state}${since}: ${reasonWords(place)}${next}`;
}

function stuckEntry({ destination, state, why, fix, at, nextAt }: StuckPlace) {
  return {
    sink: destination.sink,
    target: destination.target,
    state,
    why,
    ...defined({
      fix: fix || undefined,
      since: at === undefined ? undefined : new Date(at).toISOString(),
      nextAt: nextAt === undefined ? undefined : new Date(nextAt).toISOString(),
    }),
  };
}

export async function listCommand({ json }: { json?: boolean }, context: CommandContext): Promise<void> {
  await withStores(context, 'look', async (session) => {
    const subscriptions: Subscription[] = [];
    for await (const subscription of session.stores.subscriptions.list()) subscriptions.push(subscription);
    subscriptions.sort((a, b) => a.id.localeCompare(b.id));
    const now = context.clock.now();
    const lines = await withSinks(session, context, async (sinks) => {
      const found = [];
      for (const one of subscriptions) found.push(await lineOf(session, sinks, one, now));
      return found;
    });
    if (json) {
      if (session.stores.absent) context.io.say(noneYet(session.stores));
      context.io.json(
        lines.map(({ subscription, poll, state, stuck, owed }) => ({
          ...subscriptionEntry(subscription),
          account: subscription.account,
          origin: subscription.origin,
          state,
          owed,
          ...defined({
            stuck: stuck.length > 0 ? stuck.map(stuckEntry) : undefined,
            polledAt: poll.polledAt ? new Date(poll.polledAt).toISOString() : undefined,
            outcome: poll.outcome || undefined,
          }),
        })),
      );
      return;
    }
    const isStuck = lines.some(({ stuck }) => stuck.length > 0);
    context.io.table(
      lines.map(({ subscription, poll, state, stuck, owed }) => ({
        id: subscription.id,
        account: subscription.account,
        from: subscription.origin,
        state,
        'last poll': dateOf(poll.polledAt),
        owed: String(owed),
        filter: describeFilter(subscription.filter, 'en'),
        destinations: subscription.destinations
          .map((one) => `${nameOf(one)} ${describeCadence(one.cadence, 'en')}`)
          .join('; '),
        ...defined({ 'gets nothing': isStuck ? stuck.map(stuckWords).join('; ') : undefined }),
      })),
      noneYet(session.stores),
    );
  });
}
