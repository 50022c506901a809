// What programs can do for an account, over MCP and over HTTP: one table of tools. Each tool has its arguments, as the
// schema that checks and documents them, and the service it calls. Every answer with postings has their exact apply links
// and the note, and is checked against the link rules before it leaves.
import * as v from 'valibot';
import { ATTRIBUTION_NOTE, attributionFaults } from '../../domain/attribution.js';
import { WEEKDAYS } from '../../domain/cadence.js';
import { defined } from '../../domain/defined.js';
import { discordUser } from '../../domain/discord-id.js';
import type { EditionPosting } from '../../domain/edition.js';
import { UserError } from '../../domain/errors.js';
import { read } from '../../domain/input.js';
import { medianPay, renderPay } from '../../domain/pay.js';
import { printTerm } from '../../domain/rules/index.js';
import { MARKS } from '../../domain/stages.js';
import { destinationEntry, isPaused } from '../../domain/subscription.js';
import { TAGS } from '../../domain/tags.js';
import { readSentence } from '../../domain/want/read.js';
import type { Agent, KeptPosting, Services, SubscriptionReport } from '../../ports/services.js';
import type { Clock, Log } from '../../ports/system.js';
import { describeCadence } from '../../render/describe.js';
import { toMachine } from '../../render/machine.js';
import { en } from '../../render/texts.js';

export interface ToolDeps {
  readonly services: Services;
  /** The board's name. */
  readonly source: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a tool returns. `shown`: the postings in `data`, whose links are checked. */
interface Answer {
  readonly data: object;
  readonly shown?: readonly EditionPosting[];
}

/** A tool. Its answer is JSON as text. */
export interface Tool {
  readonly name: string;
  /** For the model that chooses a tool. */
  readonly about: string;
  /** It changes something, so it needs a key that may. */
  readonly changes: boolean;
  /** Where it is in the HTTP interface. Arguments in braces are part of the path. */
  readonly route: readonly [method: 'get' | 'post' | 'put', path: string];
  readonly args: v.GenericSchema;
  readonly run: (given: unknown, agent: Agent, deps: ToolDeps) => Promise<Answer>;
}

/** Must accompany the links wherever they are shown (jobs API, Link attribution 5). */
const NOTE = `${ATTRIBUTION_NOTE} They must not be modified.`;

function tool<const S extends v.GenericSchema>({
  run,
  ...rest
}: Omit<Tool, 'args' | 'run'> & {
  readonly args: S;
  readonly run: (args: v.InferOutput<S>, agent: Agent, deps: ToolDeps) => Promise<Answer>;
}): Tool {
  return { ...rest, run: (given, agent, deps) => run(read(rest.args, given, 'arguments'), agent, deps) };
}

// The pieces of the schemas. Descriptions are short, because a model reads all of them before it does anything.

function fields<const E extends v.ObjectEntries>(entries: E) {
  return v.strictObject(entries, ({ expected, path }) => {
    const name = String(path?.at(-1)?.key ?? '');
    if (expected === 'Object') return 'an object with fields';
    return expected === 'never'
      ? `arguments: "${name.slice(0, 40)}" is not known; wanted ${Object.keys(entries).join(', ') || 'none'}.`
      : `${name}: missing.`;
  });
}

const short = (most: number) =>
  v.pipe(v.string('text'), v.maxLength(most, `text of at most ${most} characters`));
const text = (most: number, about: string) => v.pipe(short(most), v.description(about));
/** A list, whose items and length the filter checks. */
const words = (about?: string) => {
  const list = v.array(v.string('text'), 'a list of texts');
  return v.optional(about === undefined ? list : v.pipe(list, v.description(about)));
};
const whole = (min: number, max: number) => {
  const wanted = `a whole number from ${min} to ${max}`;
  return v.pipe(v.number(wanted), v.integer(wanted), v.minValue(min, wanted), v.maxValue(max, wanted));
};
const oneOf = <const T extends readonly string[]>(values: T) =>
  v.picklist(values, `one of ${values.join(', ')}`);
const flag = v.boolean('true or false');

const ID = text(64, 'id of a subscription');
const POSTING = text(2048, 'key, id or apply link');
const RULE = fields({
  want: v.optional(v.pipe(v.string('text'), v.description('one sentence: "senior rust, no nft"'))),
  tags: words('any of these'),
  country: v.optional(v.string('text')),
  remote: v.optional(flag),
  include: words('any appears'),
  exclude: words(),
  minSalary: v.optional(v.pipe(v.number('a whole number'), v.description('yearly dollars'))),
  payUnknown: v.optional(oneOf(['keep', 'drop'])),
  terms: words('"not level: intern"'),
});

/** How each word of a sentence was taken. */
const wordsOf = ({ want }: v.InferOutput<typeof RULE>) =>
  defined({
    words: want
      ? readSentence(want).words.map(({ text: said, as, meaning }) => ({
          text: said,
          as,
          ...defined({ meaning: typeof meaning === 'object' ? printTerm(meaning) : meaning }),
        }))
      : undefined,
  });

// How things are shown.

const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString());

/** A posting as other programs get it. Without a link it says why. */
function shownPosting(posting: EditionPosting, { source }: ToolDeps, elsewhere?: true) {
  const { applyUrl, badLink } = posting;
  const { noLink, linkWithheld } = en.card;
  const why = badLink ? linkWithheld : elsewhere ? en.bot.saved.noLink : noLink;
  return { ...toMachine(posting, source), ...defined({ noLink: applyUrl === undefined ? why : undefined }) };
}

function withPostings(
  data: object,
  list: readonly KeptPosting[],
  deps: ToolDeps,
): Answer & { readonly shown: readonly EditionPosting[] } {
  return {
    data: {
      ...data,
      postings: list.map(({ posting, at, mark, elsewhere }) => ({
        ...shownPosting(posting, deps, elsewhere),
        ...defined({ foundAt: iso(at), mark }),
      })),
    },
    shown: list.map(({ posting }) => posting),
  };
}

function shownSubscription(report: SubscriptionReport) {
  const { subscription, about, state, why, nextPollAt, nextEditionAt, polledAt, owed, stuck } = report;
  const { limit: _limit, terms, ...rest } = subscription.filter;
  const rule = { ...rest, ...defined({ terms: terms?.map(printTerm) }) };
  return {
    id: subscription.id,
    about,
    state: isPaused(subscription) ? 'paused' : state,
    rule,
    // Without the target: it may be an address, or a secret.
    delivers: subscription.destinations.map(({ sink, cadence }) => ({
      to: sink,
      when: describeCadence(cadence, 'en'),
    })),
    waiting: owed,
    ...defined({
      why,
      polledAt: iso(polledAt),
      nextPollAt: iso(nextPollAt),
      nextEditionAt: iso(nextEditionAt),
      stuck: stuck.length > 0 ? stuck.map((one) => ({ to: one.destination.sink, why: one.why })) : undefined,
    }),
  };
}

// What a new subscription delivers to: only places that the account itself gets things at. A channel of a server is
// chosen in Discord, where its members' rights are known.

const DELIVERY = {
  to: v.optional(oneOf(['dm', 'email'])),
  like: v.optional(text(64, 'id of a subscription: deliver there instead')),
  every: v.optional(oneOf(['live', 'hourly', 'daily', 'weekly'])),
  day: v.optional(oneOf(WEEKDAYS)),
  at: v.optional(text(5, 'HH:MM')),
  timezone: v.optional(text(60, 'such as Europe/Berlin')),
};
type Wanted = v.InferOutput<ReturnType<typeof fields<typeof DELIVERY>>>;

/** Where postings go, and how often unless something else is wanted. */
interface Delivers {
  readonly place: object;
  /** Undefined to keep the cadence of the place. */
  readonly every?: 'live' | 'weekly';
}

async function placeOf({ to, like }: Wanted, { account }: Agent, services: Services): Promise<Delivers> {
  if (like !== undefined) {
    const { subscription } = await services.subscription({ account }, like);
    const [destination] = subscription.destinations;
    if (subscription.guild || !destination)
      throw new UserError('like: a channel of a server can only be chosen in Discord.');
    return { place: destinationEntry(destination) };
  }
  const user = discordUser(account);
  if (to !== 'email' && user !== undefined)
    return { place: { sink: 'discord', target: `dm:${user}` }, every: 'live' };
  const email = (await services.profile(account))?.email;
  if (to === 'dm' || email?.confirmedAt === undefined)
    throw new UserError(
      to === 'dm'
        ? 'to: this account has no direct messages; wanted email, or like with the id of a subscription.'
        : 'to: this account has no confirmed email address; wanted dm, or like with the id of a subscription.',
    );
  return { place: { sink: 'email', target: email.address }, every: 'weekly' };
}

/** Undefined to keep the cadence of the place. */
function cadenceOf({ every, day, at = '09:00' }: Wanted, usual: Delivers['every']): unknown {
  const wanted = every ?? (day ? 'weekly' : usual);
  if (wanted === 'live') return 'immediate';
  if (wanted === 'daily') return { daily: at };
  return wanted === 'weekly' ? { weekly: day ?? 'monday', at } : wanted;
}

/** The five most frequent, with how often. */
function most(list: readonly (string | undefined)[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const one of list) if (one !== undefined) counts.set(one, (counts.get(one) ?? 0) + 1);
  return Object.fromEntries([...counts].sort((a, b) => b[1] - a[1]).slice(0, 5));
}

const PULSE_POSTINGS = 5;

export const TOOLS: readonly Tool[] = [
  tool({
    name: 'search_jobs',
    about: "Search postings that the account's subscriptions found, or those it marked. Newest first.",
    changes: false,
    route: ['get', '/jobs'],
    args: fields({
      words: v.optional(text(200, 'all must appear')),
      subscription: v.optional(text(64, 'only what its rule lets through')),
      mark: v.optional(oneOf(MARKS)),
      days: v.optional(whole(1, 90), 30),
      limit: v.optional(whole(1, 50), 10),
    }),
    async run({ words: wanted, subscription, mark, days, limit }, { account }, deps) {
      const found = await deps.services.search(account, {
        days,
        limit,
        ...defined({ words: wanted, subscription, mark }),
      });
      return withPostings({ total: found.total }, found.postings, deps);
    },
  }),
  tool({
    name: 'preview_rule',
    about: `What a rule finds on the board now, its matches in each of the last weeks, and what it removes. Stores nothing. Tags: ${TAGS.join(', ')}.`,
    changes: false,
    route: ['post', '/preview'],
    args: fields({ rule: RULE, limit: v.optional(whole(1, 50), 10) }),
    async run({ rule, limit }, { account }, deps) {
      const found = await deps.services.preview({ account }, rule);
      const { about, matches, looked, weeks, removedBy, emptiedBy } = found;
      const shown = matches.slice(0, limit);
      return {
        data: {
          about,
          ...wordsOf(rule),
          looked,
          matches: matches.length,
          weeks,
          removedBy: removedBy.slice(0, 5),
          ...defined({ emptiedBy }),
          postings: shown.map((posting) => shownPosting(posting, deps)),
        },
        shown,
      };
    },
  }),
  tool({
    name: 'explain_posting',
    about: 'Why a posting was or was not delivered.',
    changes: false,
    route: ['get', '/explain'],
    args: fields({ posting: POSTING, subscription: v.optional(ID) }),
    async run({ posting, subscription }, { account }, { services }) {
      const ids =
        subscription === undefined
          ? (await services.subscriptions({ account })).map((one) => one.subscription.id)
          : [subscription];
      const fates = await Promise.all(
        ids.map(async (id) => {
          const { key, fate, at, by, destinations, rules } = await services.why({ account }, id, posting);
          return {
            subscription: id,
            key,
            fate,
            ...defined({
              at: iso(at),
              by,
              rules: rules?.map(({ rule, isMet, saw }) => ({ rule, ...defined({ isMet }), saw })),
            }),
            destinations: destinations.map((one) => ({
              to: one.sink,
              state: one.state,
              ...defined({ at: iso(one.at), nextAt: iso(one.nextAt), why: one.why }),
            })),
          };
        }),
      );
      // What was given may be a link, which is not repeated where it was not found.
      const seen = fates.filter(({ fate }) => fate !== 'unseen');
      return {
        data: seen.length > 0 ? { fates: seen } : { fates: [], says: 'No subscription has seen it.' },
      };
    },
  }),
  tool({
    name: 'list_subscriptions',
    about: 'The subscriptions, with their state.',
    changes: false,
    route: ['get', '/subscriptions'],
    args: fields({}),
    async run(_args, { account }, { services }) {
      return { data: { subscriptions: (await services.subscriptions({ account })).map(shownSubscription) } };
    },
  }),
  tool({
    name: 'add_subscription',
    about: 'Subscribe to a rule, after a preview. Postings go to the account.',
    changes: true,
    route: ['post', '/subscriptions'],
    args: fields({ rule: RULE, ...DELIVERY }),
    async run({ rule, ...wanted }, agent, { services }) {
      const { account } = agent;
      const { place, every } = await placeOf(wanted, agent, services);
      const isNew = wanted.like === undefined;
      const timezone = wanted.timezone ?? (isNew ? (await services.profile(account))?.timezone : undefined);
      const { report, matchesNow } = await services.subscribe(
        { account },
        {
          filter: rule,
          destination: { ...place, ...defined({ cadence: cadenceOf(wanted, every), timezone }) },
          ...defined({ timezone }),
        },
      );
      return {
        data: { subscription: shownSubscription(report), ...wordsOf(rule), ...defined({ matchesNow }) },
      };
    },
  }),
  tool({
    name: 'pause_subscription',
    about: 'Pause or resume a subscription.',
    changes: true,
    route: ['put', '/subscriptions/{id}/pause'],
    args: fields({ id: ID, paused: flag }),
    async run({ id, paused }, { account }, { services }) {
      const report = await (paused ? services.pause({ account }, id) : services.resume({ account }, id));
      return { data: { subscription: shownSubscription(report) } };
    },
  }),
  tool({
    name: 'mark_job',
    about: 'Mark a posting; none removes the mark.',
    changes: true,
    route: ['put', '/jobs/{posting}/mark'],
    args: fields({ posting: POSTING, mark: oneOf([...MARKS, 'none']) }),
    async run({ posting, mark }, { account }, deps) {
      const marked = await deps.services.markKept(account, posting, mark === 'none' ? undefined : mark);
      if (!marked)
        throw new UserError('No such posting is kept for you. A search returns the keys of those that are.');
      return { data: { mark, postings: [shownPosting(marked, deps)] }, shown: [marked] };
    },
  }),
  tool({
    name: 'weekly_pulse',
    about:
      'The last seven days: how much each subscription matched, top companies and tags, median pay, the best postings.',
    changes: false,
    route: ['get', '/pulse'],
    args: fields({}),
    async run(_args, { account }, deps) {
      const { from, to, subscriptions, postings } = await deps.services.pulse(account);
      const pay = medianPay(postings.map((one) => one.pay));
      const shown = postings.slice(0, PULSE_POSTINGS);
      return {
        data: {
          from: iso(from),
          to: iso(to),
          subscriptions,
          found: postings.length,
          remote: postings.filter(({ remote }) => remote === true).length,
          companies: most(shownWords(postings, deps, 'company')),
          tags: most(
            postings.flatMap(({ tags = [] }) => tags.filter((tag) => TAGS.some((one) => one === tag))),
          ),
          ...defined({ medianPay: pay && renderPay(pay) }),
          postings: shown.map((posting) => shownPosting(posting, deps)),
        },
        shown,
      };
    },
  }),
];

/** A field of the postings as it is shown, without addresses in it. */
function shownWords(postings: readonly EditionPosting[], { source }: ToolDeps, field: 'company') {
  return postings.map((posting) => toMachine(posting, source)[field]);
}

/**
 * Runs a tool for an account. Resolves with JSON as text. Throws a UserError that says what the caller can do, also when
 * the key may not change anything.
 */
export async function callTool(tool: Tool, given: unknown, agent: Agent, deps: ToolDeps): Promise<string> {
  if (tool.changes && !agent.write)
    throw new UserError(
      `${tool.name}: this access key may only read. Its owner can make one that may change things.`,
    );
  const { data, shown = [] } = await tool.run(given, agent, deps);
  const body = JSON.stringify(shown.length > 0 ? { ...data, note: NOTE } : data);
  const faults = attributionFaults({ format: 'json', body, note: NOTE }, shown);
  if (faults.length === 0) return body;
  deps.log.error({ tool: tool.name, faults }, 'answer held back, it breaks the link rules');
  throw new UserError('The answer was held back, because a link in it could not be shown exactly as it is.');
}
