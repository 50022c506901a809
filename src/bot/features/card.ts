// The buttons and the menu under postings. Any user may press them and gets a private reply. Marks are stored per user,
// and only the owner of a subscription can change its rule.

import { type EditionPosting, postingRef } from '../../domain/edition.js';
import { UserError } from '../../domain/errors.js';
import { appliedTo } from '../../domain/same-job.js';
import { MARKS } from '../../domain/stages.js';
import { displayTag } from '../../domain/tags.js';
import { cardLayout } from '../../render/discord/card.js';
import { type CardMark, cardButtons, moreButtons, parseCardId } from '../../render/discord/components.js';
import { escaped, plain } from '../../render/discord/escape.js';
import { beforeOf, matchedWords } from '../../render/posting-view.js';
import { type Texts, textsFor } from '../../render/texts.js';
import { type ActionRow, button, customId, menu, row } from '../runtime/components.js';
import type { Action, Context, Feature, MessageCommand, Reply, Request, Target } from '../runtime/request.js';
import { labelOf, type Shown, shownBy, titleOf } from '../views/posting.js';
import { companyView } from './company.js';
import { dismissedView, likeView, offersMenu } from './rule.js';
import { hidableName } from './saved.js';
import { whyView } from './why.js';

/** Handles `m:<verb>:<edition>:<ref>` and the menu `m:pick:<edition>:<part>`, which the card renderer creates. */
const card = {
  name: 'm',
  async run(args, request, context): Promise<Reply> {
    const texts = textsFor(request.locale);
    const { marks, fault } = texts.bot;
    const action = parseCardId(['m', ...args].join(':'));
    if (!action) throw new UserError(fault.oldButton);
    const { edition } = action;
    const ref = action.kind === 'pick' ? (request.values[0] ?? '') : action.ref;
    const shown = await shownBy(context, edition, ref, texts);
    if (action.kind === 'pick') return details(shown.posting, edition, ref, request, context);
    const { message = request.message } = action;
    if (action.kind === 'more')
      return {
        text: [
          marks.pick({ title: titleOf(shown.posting, texts) }),
          await appliedNote(shown, request, context),
        ]
          .filter(Boolean)
          .join('\n'),
        components: [moreButtons(edition, ref, texts, message, shown.posting.company !== undefined)],
      };
    if (action.kind === 'why') return reasons(shown, request, context);
    if (action.kind === 'company') return companyView(shown, request, context);
    if (action.kind === 'like') return likeView(shown, await adviceOn(shown, request, context), request);
    return marked(shown, action.mark, message, request, context);
  },
} satisfies Action;

/** That the caller applied to the same job under another id. A card in a channel can't say so. */
async function appliedNote({ posting }: Shown, request: Request, { services }: Context): Promise<string> {
  const at = appliedTo(await services.marks(request.caller.account))(posting);
  if (at === undefined) return '';
  const appliedOn = new Date(at).toISOString().slice(0, 10);
  return `-# ✅ ${beforeOf({ appliedOn }, textsFor(request.locale))}`;
}

function adviceOn({ record, posting }: Shown, request: Request, { services }: Context) {
  return services.ruleAdvice(request.caller.account, record.id, posting.key);
}

/** Marks a posting for the caller. `message`: the one that shows it, for the link in the list of marks. */
async function marked(
  shown: Shown,
  mark: CardMark,
  message: string | undefined,
  request: Request,
  context: Context,
): Promise<Reply> {
  const texts = textsFor(request.locale);
  const { record, index } = shown;
  const link = message && cardLink(request, message);
  const posting = await context.services.mark(request.caller.account, record.id, index, mark, link);
  if (mark === 'dismissed') return dismissed(shown, request, context);
  const takeBack = customId('unmark', [record.id, postingRef(posting.key), mark], request.user);
  return {
    text: texts.bot.marks[mark]({ title: titleOf(posting, texts) }),
    components: [row(button(texts.bot.buttons.unmark, takeBack, 'plain', '↩️'))],
  };
}

/**
 * The owner of the rule is asked why, and can change the rule. Other readers can hide the company and the tags in what
 * they get themselves.
 */
async function dismissed(shown: Shown, request: Request, context: Context): Promise<Reply> {
  const texts = textsFor(request.locale);
  const { text, components } = dismissedView(shown, request);
  const advice = await adviceOn(shown, request, context);
  if (!advice.locked)
    return { text, components: [...offersMenu('not', shown, advice, request), ...components] };
  const { record, posting } = shown;
  const more = hideButtons(posting, record.id, postingRef(posting.key), request, texts);
  const hint = more.length > 0 ? texts.bot.marks.hideMore : '';
  return {
    text: [text, [texts.bot.fault[advice.locked], hint].filter(Boolean).join(' ')].join('\n'),
    components: [...more, ...components],
  };
}

// The commands in the menu of a message: "Save job" and "Why did I get this?". A message with several postings asks
// which one is meant.

/** The postings that the buttons and menus of a message name, without repeats. All are of one edition. */
function cardsOn({ controls }: Target): { readonly edition: string; readonly refs: readonly string[] } {
  const found = controls.flatMap(({ id, values }) => {
    const action = parseCardId(id);
    if (!action) return [];
    const refs = action.kind === 'pick' ? values : [action.ref];
    return [{ edition: action.edition, refs }];
  });
  const [first] = found;
  const { edition = '' } = first ?? {};
  const refs = found.filter((one) => one.edition === edition).flatMap((one) => one.refs);
  return { edition, refs: [...new Set(refs)] };
}

async function onMessage(name: MessageCommand['name'], request: Request, context: Context): Promise<Reply> {
  const texts = textsFor(request.locale);
  const { target = { message: '', controls: [] } } = request;
  const { edition, refs } = cardsOn(target);
  const [only] = refs;
  if (only === undefined) throw new UserError(texts.bot.fault.noCard);
  if (refs.length === 1) return onPosting(name, edition, only, target.message, request, context);
  const record = await context.services.edition(edition);
  const all = [...(record?.postings ?? []), ...(record?.rest ?? [])];
  const options = refs.flatMap((value) => {
    const posting = all.find(({ key }) => postingRef(key) === value);
    return posting ? [{ value, label: labelOf(posting, texts) }] : [];
  });
  if (options.length === 0) throw new UserError(texts.bot.fault.cardGone);
  const pick = customId('on-message', [name, edition, target.message], request.user);
  return {
    text: texts.bot.marks.which,
    components: [row(menu(pick, plain(texts.card.pick, 150), options))],
  };
}

async function onPosting(
  name: string,
  edition: string,
  ref: string,
  message: string,
  request: Request,
  context: Context,
): Promise<Reply> {
  const shown = await shownBy(context, edition, ref, textsFor(request.locale));
  return name === 'save'
    ? marked(shown, 'saved', message, request, context)
    : reasons(shown, request, context);
}

/** The posting that was chosen in the menu of {@link onMessage}. */
const onMessagePick = {
  name: 'on-message',
  updates: true,
  async run([name = '', edition = '', message = ''], request, context) {
    const [ref = ''] = request.values;
    return {
      components: [],
      ...(await onPosting(name, edition, ref, message, request, context)),
      update: true,
    };
  },
} satisfies Action;

const messageCommands: readonly MessageCommand[] = (['save', 'why'] as const).map((name) => ({
  name,
  run: (request, context) => onMessage(name, request, context),
}));

/** The card of one posting of a list. */
function details(
  posting: EditionPosting,
  edition: string,
  ref: string,
  request: Request,
  { source, clock }: Context,
): Reply {
  const texts = textsFor(request.locale);
  const cards = cardLayout([posting], {
    locale: request.locale,
    source,
    now: clock.now(),
    controls: () => cardButtons(edition, ref, texts, request.message),
  });
  return { cards, postings: [posting] };
}

/**
 * Why a posting came: what it matched, and what the subscription asks for. If the subscription is the caller's, also
 * what `/jobs why` says.
 */
async function reasons({ record, posting }: Shown, request: Request, { services }: Context): Promise<Reply> {
  const texts = textsFor(request.locale);
  const why = matchedWords(posting, texts);
  const lines = [
    texts.bot.why.came({ title: titleOf(posting, texts), words: `**${escaped(record.about, 300)}**` }),
    why ? texts.bot.why.because({ reasons: escaped(why, 300) }) : '',
  ];
  const mine = await services.subscription(request.caller, record.subscription).catch((error: unknown) => {
    if (error instanceof UserError) return undefined;
    throw error;
  });
  if (mine) {
    const explained = await services.why(request.caller, record.subscription, posting.key);
    // The ledger forgets a posting earlier than a message does.
    if (explained.fate !== 'unseen') lines.push(whyView(explained, mine, posting.key, request).text);
  }
  return { text: lines.filter(Boolean).join('\n') };
}

/** The address of a message, as "Copy Message Link" gives it. It works for users who may see the message. */
function cardLink({ guild = '@me', channel }: Request, message: string): string {
  return `https://discord.com/channels/${guild}/${channel}/${message}`;
}

const HIDEABLE_TAGS = 4;

function hideButtons(
  posting: EditionPosting,
  edition: string,
  ref: string,
  request: Request,
  texts: Texts,
): ActionRow[] {
  const { hideCompany, hideTag } = texts.bot.buttons;
  const on = (...what: string[]) => customId('hide', [edition, ref, ...what], request.user);
  const company = posting.company
    ? [button(hideCompany({ company: plain(posting.company, 60) }), on('c'))]
    : [];
  // The button names a tag by its index in the posting, because a custom_id can't hold every tag.
  const tags = (posting.tags ?? [])
    .slice(0, HIDEABLE_TAGS)
    .map((tag, index) => button(hideTag({ tag: plain(displayTag(tag), 60) }), on('t', String(index))));
  const all = [...company, ...tags];
  return all.length > 0 ? [row(...all)] : [];
}

const cardHide = {
  name: 'hide',
  async run([edition = '', ref = '', kind = '', index = ''], request, context) {
    const texts = textsFor(request.locale);
    const { posting } = await shownBy(context, edition, ref, texts);
    const tag = kind === 't' ? posting.tags?.[Number(index)] : undefined;
    const company = kind === 'c' ? posting.company : undefined;
    const what = tag ? { tag } : company ? { company } : undefined;
    if (!what) throw new UserError(texts.bot.fault.oldButton);
    await context.services.hide(request.caller.account, what);
    return { text: texts.bot.marks.hidden({ words: `**${escaped(hidableName(what), 100)}**` }) };
  },
} satisfies Action;

const cardUnmark = {
  name: 'unmark',
  updates: true,
  async run([edition = '', ref = '', made], request, context) {
    const texts = textsFor(request.locale);
    const { posting } = await shownBy(context, edition, ref, texts);
    // A button of an earlier version does not say which mark it undoes.
    const mark = MARKS.find((one) => one === made);
    await context.services.unmark(request.caller.account, posting.key, mark);
    return {
      text: texts.bot.marks.unmarked({ title: titleOf(posting, texts) }),
      components: [],
      update: true,
    };
  },
} satisfies Action;

export const cardFeature: Feature = {
  messageCommands,
  actions: [card, cardHide, cardUnmark, onMessagePick],
};
