// `jobcrier why`: shows from the ledger what happened to one posting in one subscription.
import type { RuleAnswer } from '../domain/filter.js';
import { explain } from '../pipeline/why.js';
import type { Explained } from '../ports/services.js';
import type { CommandContext } from './context.js';
import { mustGet, withStores } from './session.js';

export interface WhyOptions {
  readonly subscription: string;
  readonly posting: string;
  readonly json?: boolean;
}

const FATES: Readonly<Record<Explained['fate'], string>> = {
  baseline: 'was there already when the subscription began, so it was recorded and not announced',
  matched: 'is new and matches',
  filtered: 'was removed by the filter',
  repost: 'is a repost of one seen before, and reposts are not announced',
  paused: 'appeared while the subscription was paused, so it was recorded and not announced',
  unseen: 'was not seen by this subscription: no poll returned it, or the key, id or link is wrong',
};

const STATES: Readonly<Record<Explained['destinations'][number]['state'], string>> = {
  owed: 'waits for its next edition',
  underway: 'is being delivered',
  parked: 'is parked until its owner acts',
  sent: 'was delivered',
  more: 'is listed on the page of an edition over its cap ("and more")',
  limit: 'was over the limit per day, and others fitted better',
  elsewhere: 'was delivered there by another subscription',
  expired: 'expired: the service could not be reached for too long',
  dropped: 'was dropped',
  moved: 'was moved to another destination',
  none: 'was not queued for this destination',
};

/** States that last: their time is when they began ("since"), not when they happened ("on"). */
const LASTING: ReadonlySet<string> = new Set(['underway', 'parked']);

function moment(at: number | undefined, joined = ' on'): string {
  return at === undefined ? '' : `${joined} ${new Date(at).toISOString()}`;
}

/** "rule "level: senior": met (senior)". */
function answerLine({ rule, mode, isMet, saw }: RuleAnswer): string {
  const answer =
    isMet === undefined
      ? 'the posting does not say'
      : isMet
        ? 'met'
        : mode === 'want'
          ? 'not met, removes nothing'
          : 'not met';
  return `rule "${rule}": ${answer}${saw.length > 0 ? ` (${saw.slice(0, 10).join(', ')})` : ''}`;
}

export async function whyCommand(options: WhyOptions, context: CommandContext): Promise<void> {
  await withStores(context, 'look', async ({ stores }) => {
    const subscription = await mustGet(stores, options.subscription);
    const found = await explain(stores, subscription, options.posting, context.clock.now());
    if (options.json) return context.io.json(found);
    const { key, fate, at, by, destinations, rules = [] } = found;
    context.io.print(
      `${key} ${FATES[fate]}${by ? ` (${by})` : ''}${at === undefined ? '' : `; first seen${moment(at)}`}.`,
    );
    for (const one of fate === 'matched' ? destinations : []) {
      const moved =
        one.movedAt === undefined ? '' : `, moved here${moment(one.movedAt)} from another destination`;
      const next = one.nextAt === undefined ? '' : `, next${moment(one.nextAt, ' at')}`;
      const attempts = one.attempts ? `, attempt ${one.attempts}` : '';
      context.io.print(
        `  ${[one.sink, one.target].filter(Boolean).join(':')} ${STATES[one.state]}${moment(one.at, LASTING.has(one.state) ? ', since' : ' on')}${attempts}${next}${moved}${one.why ? ` (${one.why})` : ''}.`,
      );
    }
    for (const one of rules) context.io.print(`  ${answerLine(one)}`);
  });
}
