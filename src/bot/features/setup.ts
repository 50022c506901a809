// Puts a subscription together on one message that changes in place: tags, other wishes, how often, where. It begins
// with the button of /help or with the filter of a preview. Each step is stored, so that it survives a restart. At the
// end, /jobs subscribe runs with what was chosen, and checks all of it.

import { randomBytes } from 'node:crypto';
import { defined } from '../../domain/defined.js';
import { UserError } from '../../domain/errors.js';
import { type Filter, MOST_TAGS } from '../../domain/filter.js';
import { displayTag, isTag, nearestTags, resolveTag } from '../../domain/tags.js';
import { readWords } from '../../domain/word-list.js';
import { describeFilter, sinkName } from '../../render/describe.js';
import { escaped } from '../../render/discord/escape.js';
import { estimateText } from '../../render/preferences-view.js';
import { type Texts, textsFor } from '../../render/texts.js';
import { FormError } from '../forms/faults.js';
import { filterForm, optionsOf, POPULAR_TAGS, readFilter } from '../forms/filter.js';
import { EVERY } from '../forms/when.js';
import {
  type ActionRow,
  button,
  channelMenu,
  customId,
  link,
  type Modal,
  menu,
  modal,
  row,
} from '../runtime/components.js';
import {
  changeWaiting,
  findWaiting,
  keepWaiting,
  previewed,
  type Typed,
  takeWaiting,
  typedBy,
  type Wishes,
} from '../runtime/drafts.js';
import type { Action, Context, Feature, Reply, Request } from '../runtime/request.js';
import { mustHaveToken } from '../views/token.js';
import { rerun } from './correct.js';
import { previewView } from './preview.js';

const SUBSCRIBE = { path: 'jobs subscribe' };

interface Draft {
  readonly typed: Typed;
  /** Tags that a search found. */
  readonly offered?: readonly string[];
}

type Options = Request['options'];

/** The chosen tags, in the order in which they were chosen. */
function tagsOf({ tags }: Options): readonly string[] {
  return readWords(String(tags ?? ''));
}

/** A draft for a new message. Nothing is posted in public unless a channel is chosen. */
async function begin(wishes: Wishes, request: Request, context: Context): Promise<Reply> {
  const id = randomBytes(4).toString('hex');
  const options = { every: 'live', deliver: 'dm', ...wishes.options };
  const typed = { ...typedBy(SUBSCRIBE, request), ...defined({ rest: wishes.rest }), options };
  await keepWaiting(context, 'setup', request.user, id, { typed });
  return panel(id, { typed }, request, context);
}

/** One step: changes the draft, and the message to what it holds now. Throws a UserError for an old message. */
async function step(
  id: string,
  request: Request,
  context: Context,
  change: (options: Options) => Options,
  offered?: readonly string[],
): Promise<Reply> {
  const draft = await changeWaiting(context, 'setup', request.user, id, ({ typed, ...rest }) => ({
    ...rest,
    typed: { ...typed, options: change(typed.options) },
    ...defined({ offered }),
  }));
  if (!draft) throw stale(request);
  return { ...(await panel(id, draft, request, context)), update: true };
}

async function draftOf(id: string, request: Request, context: Context): Promise<Draft> {
  const draft = await findWaiting(context, 'setup', request.user, id);
  if (!draft) throw stale(request);
  return draft;
}

function stale(request: Request): UserError {
  return new UserError(textsFor(request.locale).bot.fault.stale);
}

async function panel(id: string, draft: Draft, request: Request, context: Context): Promise<Reply> {
  const texts = textsFor(request.locale);
  const { setup, commands } = texts.bot;
  const { options } = draft.typed;
  const filter = filterOf(draft, texts);
  const every = EVERY.find((one) => one === options.every) ?? 'live';
  const { services } = context;
  const { state } = await services.tokenReport(request.caller.account);
  const estimate = estimateText(await services.estimate(request.caller, filter), request.locale);
  return {
    text: [
      `**${setup.title}**`,
      setup.what({ words: `**${escaped(describeFilter(filter, request.locale), 600)}**` }),
      setup.often({ words: commands.choices[every] }),
      setup.place({ words: placeWords(options, texts) }),
      estimate && `📊 ${estimate}`,
      `-# ${state === 'ok' ? setup.hint : setup.tokenHint}`,
    ]
      .filter(Boolean)
      .join('\n'),
    components: controls(id, draft, every, state === 'ok' ? undefined : context.tokenPage, request, texts),
  };
}

/** The whole filter of a draft, whose options were read before. */
function filterOf({ typed: { options, rest } }: Draft, texts: Texts): Filter {
  return { ...readFilter(filterForm(options), texts), ...rest };
}

function placeWords({ deliver, channel }: Options, texts: Texts): string {
  const { where } = texts.bot;
  if (deliver === 'channel') return where.channel({ channel: `<#${channel}>` });
  return deliver === 'email' ? where.other({ sink: sinkName('email', texts) }) : where.dm;
}

function controls(
  id: string,
  { typed: { options }, offered = [] }: Draft,
  every: (typeof EVERY)[number],
  tokenPage: string | undefined,
  request: Request,
  texts: Texts,
): readonly ActionRow[] {
  const { setup, buttons, commands, jobs } = texts.bot;
  const on = (verb: string, ...args: string[]) => customId(`setup-${verb}`, [id, ...args], request.user);
  const chosen = tagsOf(options);
  const tags = [...new Set([...chosen, ...offered, ...POPULAR_TAGS])].map((value) => ({
    value,
    label: isTag(value) ? displayTag(value) : value,
    ...defined({ chosen: chosen.includes(value) || undefined }),
  }));
  const times = EVERY.map((value) => ({
    value,
    label: commands.choices[value],
    ...defined({ chosen: value === every || undefined }),
  }));
  const inServer = request.guild && request.botIsHere;
  return [
    row(menu(on('tags'), setup.tags, tags, MOST_TAGS)),
    row(menu(on('every'), jobs.editWhen, times)),
    ...(inServer ? [row(channelMenu(on('channel'), setup.channel))] : []),
    row(
      button(buttons.searchTags, on('search'), 'plain', '🔍'),
      button(buttons.more, on('more'), 'plain', '✏️'),
      button(buttons.toDm, on('where', 'dm'), 'plain', '✉️'),
      button(buttons.toEmail, on('where', 'email'), 'plain', '📧'),
    ),
    row(
      button(buttons.preview, on('preview'), 'plain', '🔎'),
      button(buttons.subscribe, on('done'), 'good', '✅'),
      ...(tokenPage ? [link(buttons.getToken, tokenPage)] : []),
    ),
  ];
}

/** `setup` begins with nothing, `setup:<id>` with the filter of that preview. */
const start = {
  name: 'setup',
  async run([preview], request, context) {
    if (preview === undefined) return begin({ options: {} }, request, context);
    const wishes = await previewed(context, request.user, preview);
    if (!wishes) throw stale(request);
    return begin(wishes, request, context);
  },
} satisfies Action;

/** The menu shows every chosen tag, so its values are the whole choice. */
const pickTags = {
  name: 'setup-tags',
  updates: true,
  run: ([id = ''], request, context) =>
    step(id, request, context, (options) => ({ ...options, tags: request.values.join(', ') })),
} satisfies Action;

const pickEvery = {
  name: 'setup-every',
  updates: true,
  run: ([id = ''], request, context) =>
    step(id, request, context, (options) => ({ ...options, every: request.values[0] ?? 'live' })),
} satisfies Action;

const pickWhere = {
  name: 'setup-where',
  updates: true,
  run: ([id = '', deliver = 'dm'], request, context) =>
    step(id, request, context, ({ channel: _former, ...options }) => ({ ...options, deliver })),
} satisfies Action;

const pickChannel = {
  name: 'setup-channel',
  updates: true,
  run: ([id = ''], request, context) =>
    step(id, request, context, (options) => ({
      ...options,
      deliver: 'channel',
      channel: request.values[0] ?? '',
    })),
} satisfies Action;

const search = {
  name: 'setup-search',
  async run([id = ''], request, context) {
    await draftOf(id, request, context);
    return { modal: searchModal(id, request) };
  },
} satisfies Action;

function searchModal(id: string, request: Request): Modal {
  const { buttons, setup } = textsFor(request.locale).bot;
  return modal(customId('setup-found', [id], request.user), buttons.searchTags, [
    { id: 'tag', label: setup.searchField, about: setup.searchAbout, required: true, max: 100 },
  ]);
}

/** A tag that is named exactly is chosen. For others, the menu offers the nearest ones. */
const found = {
  name: 'setup-found',
  updates: true,
  form: async ([id = ''], request) => searchModal(id, request),
  run([id = ''], request, context) {
    const texts = textsFor(request.locale);
    const words = readWords(request.fields.tag ?? '');
    const exact = words.flatMap((word) => resolveTag(word) ?? []);
    const near = words.flatMap((word) => (resolveTag(word) ? [] : nearestTags(word, 10)));
    if (exact.length + near.length === 0) {
      const word = words.join(', ').slice(0, 60);
      throw new FormError(texts.bot.fault.unknownTag({ word }), ['tags']);
    }
    return step(
      id,
      request,
      context,
      (options) => {
        const tags = [...new Set([...tagsOf(options), ...exact])];
        return { ...options, tags: tags.slice(0, MOST_TAGS).join(', ') };
      },
      near,
    );
  },
} satisfies Action;

const more = {
  name: 'setup-more',
  run: async ([id = ''], request, context) => ({
    modal: moreModal(id, await draftOf(id, request, context), request),
  }),
} satisfies Action;

function moreModal(id: string, { typed: { options } }: Draft, request: Request): Modal {
  const { jobs, setup, buttons } = textsFor(request.locale).bot;
  const value = (name: string) => String(options[name] ?? '');
  const remote = [
    { value: 'no', label: setup.remoteNo },
    { value: 'yes', label: setup.remoteYes },
  ].map((one) => ({
    ...one,
    ...defined({ chosen: (one.value === 'yes') === (options.remote === true) || undefined }),
  }));
  return modal(customId('setup-wishes', [id], request.user), buttons.more, [
    { id: 'country', label: jobs.fieldCountry, value: value('country'), max: 100 },
    { id: 'remote', label: setup.remoteField, required: true, options: remote },
    { id: 'include', label: jobs.fieldInclude, value: value('include') },
    { id: 'exclude', label: jobs.fieldExclude, value: value('exclude') },
    { id: 'min_salary', label: jobs.fieldPay, value: value('min_salary'), max: 20 },
  ]);
}

/** The wishes are read here, so that a mistake is corrected where it was made, and stored as they were understood. */
const wishes = {
  name: 'setup-wishes',
  updates: true,
  form: async ([id = ''], request, context) => moreModal(id, await draftOf(id, request, context), request),
  async run([id = ''], request, context) {
    const { remote = 'no', ...fields } = request.fields;
    const typed = { ...fields, ...defined({ remote: remote === 'yes' || undefined }) };
    const read = optionsOf(readFilter(filterForm(typed), textsFor(request.locale)));
    return step(id, request, context, ({ tags, every, deliver, channel }) => ({
      ...read,
      ...defined({ tags, every, deliver, channel }),
    }));
  },
} satisfies Action;

/** Shows what the draft finds, in a separate message: the panel stays. */
const look = {
  name: 'setup-preview',
  slow: true,
  async run([id = ''], request, context) {
    const draft = await draftOf(id, request, context);
    await mustHaveToken(request, context);
    const filter = filterOf(draft, textsFor(request.locale));
    return previewView(await context.services.preview(request.caller, filter), filter, request, context);
  },
} satisfies Action;

/** Subscribes. It takes the draft, so that a second press does nothing; a failure puts it back. */
const done = {
  name: 'setup-done',
  slow: true,
  updates: true,
  async run([id = ''], request, context) {
    const draft = await takeWaiting(context, 'setup', request.user, id);
    if (!draft) throw stale(request);
    const putBack = () => keepWaiting(context, 'setup', request.user, id, draft);
    return { ...(await rerun(draft.typed, request, context, putBack)), update: true };
  },
} satisfies Action;

export const setupFeature: Feature = {
  actions: [start, pickTags, pickEvery, pickWhere, pickChannel, search, found, more, wishes, look, done],
};
