// Lists the postings that the caller marked, all or those of one state, and moves them from stage to stage.

import { defined } from '../../domain/defined.js';
import { postingRef } from '../../domain/edition.js';
import { changesOf, MARKS, type Mark, type MarkChange, STAGES } from '../../domain/stages.js';
import { displayTag } from '../../domain/tags.js';
import type { Hidable, MarkedPosting } from '../../ports/services.js';
import { digestLine } from '../../render/discord/digest.js';
import { type Texts, textsFor } from '../../render/texts.js';
import { type ActionRow, button, customId, menu, row } from '../runtime/components.js';
import type { Action, Command, Context, Feature, Reply, Request } from '../runtime/request.js';
import { labelOf, titleOf } from '../views/posting.js';
import { relative } from '../views/subscription.js';
import { pageButtons, pageOf } from './list.js';

const jobsSaved = {
  path: 'jobs saved',
  run: (request, context) => savedPage(0, undefined, request, context),
} satisfies Command;

// The actions: show another page, and show a hidden company or tag again.

/** Clears what the former page showed and the new page lacks. */
const BLANK = { text: '', embeds: [], components: [] };

const saved = {
  name: 'saved',
  updates: true,
  async run([page = '0', state], request, context) {
    return {
      ...BLANK,
      ...(await savedPage(Number(page) || 0, markOf(state), request, context)),
      update: true,
    };
  },
} satisfies Action;

/**
 * `stage:<step>:<page>:<state>:<ref>:<mark>`. The menu has the step `pick`, and its values are refs; `set` moves the posting
 * to the mark, or takes it off the list. Page and state are those of the list that it was opened from.
 */
const stage = {
  name: 'stage',
  updates: true,
  async run([step, page = '0', state = '', named = '', to], request, context) {
    const { account } = request.caller;
    const ref = step === 'pick' ? request.values[0] : named;
    const key = (await context.services.marks(account)).find((one) => postingRef(one.key) === ref)?.key;
    const mark = markOf(to);
    if (key !== undefined && step === 'set' && (mark || to === OFF))
      await context.services.moveMarked(account, key, mark);
    const shown = (await context.services.marks(account)).find((one) => one.key === key);
    const view = shown
      ? stageView(shown, [page, state], request, context)
      : await savedPage(Number(page) || 0, markOf(state), request, context);
    return { ...BLANK, ...view, update: true };
  },
} satisfies Action;

/**
 * `remind:<step>:<ref>`, the buttons below a reminder. `later` asks again, `on` and `off` turn reminders on and off, and a
 * mark moves the posting.
 */
const remind = {
  name: 'remind',
  updates: true,
  async run([step = '', ref], request, { services }) {
    const { account } = request.caller;
    const texts = textsFor(request.locale);
    const { reminders, saved, buttons } = texts.bot;
    const told = (text: string): Reply => ({
      ...BLANK,
      text,
      components: [row(button(buttons.saved, customId('saved', [], request.user), 'plain', '🔖'))],
      update: true,
    });
    if (step === 'on' || step === 'off') {
      await services.setReminders(account, step === 'on');
      return told(reminders[step]);
    }
    const found = (await services.marks(account)).find(({ key }) => postingRef(key) === ref);
    if (!found) return told(reminders.none);
    const title = titleOf({ ...found.posting, matched: [] }, texts);
    const state = (mark: Mark) => told(reminders.moved({ state: saved.states[mark], title }));
    if (step === 'later')
      return (await services.remindLater(account, found.key))
        ? told(reminders.later({ title }))
        : state(found.mark);
    const moved = await services.moveMarked(account, found.key, markOf(step) ?? found.mark);
    return moved ? state(moved.mark) : told(reminders.none);
  },
} satisfies Action;

const showAgain = {
  name: 'showAgain',
  updates: true,
  async run(_args, request, context) {
    const { account } = request.caller;
    const chosen = (await context.services.hidden(account)).find(
      (what) => hidableRef(what) === request.values[0],
    );
    if (chosen) await context.services.unhide(account, chosen);
    return { ...BLANK, ...(await savedPage(0, undefined, request, context)), update: true };
  },
} satisfies Action;

/** In the place of a mark: takes a posting off the list. */
const OFF = 'none';
const markOf = (text: string | undefined) => MARKS.find((one) => one === text);
/** Postings on one page. */
const PER_PAGE = 8;
/** Most characters of the postings on one page. An embed's description holds 4,096. */
const ROOM = 3_900;

interface Line {
  readonly mark: MarkedPosting;
  readonly words: string;
}

export function hidableName(what: Hidable): string {
  return 'company' in what ? what.company : displayTag(what.tag);
}

/** Identifies a menu entry by a hash, because its text may be too long for Discord and its position may change. */
function hidableRef(what: Hidable): string {
  return postingRef(JSON.stringify(what));
}

/**
 * Renders page `page` (0-based; one past the end is the last): what the caller marked, newest first, or only what is
 * in the state `only`; buttons for the other states; a menu of the postings of the page, to move one to another stage; and a menu
 * of what they hid. An apply link is shown only if it was
 * sent to the caller's account, and with the note that it requires. Links are long and never cut, so a page holds as many postings as fit.
 */
async function savedPage(
  page: number,
  only: Mark | undefined,
  request: Request,
  context: Context,
): Promise<Reply> {
  const texts = textsFor(request.locale);
  const { saved } = texts.bot;
  const { account } = request.caller;
  const [marks, hidden, isReminded] = await Promise.all([
    context.services.marks(account),
    context.services.hidden(account),
    context.services.reminders(account),
  ]);
  const again = hidden.length > 0 ? [row(againMenu(hidden, request, texts))] : [];
  if (marks.length === 0) return { text: saved.none, components: again };
  const states = stateButtons(marks, only, isReminded, request, texts);
  const wanted = marks.filter(({ mark }) => only === undefined || mark === only);
  // The last one was taken back since the button was shown.
  if (wanted.length === 0) return { text: saved.noneLeft, components: [...states, ...again] };
  const all = paged(wanted.map((mark) => ({ mark, words: lineOf(mark, [mark], request, context, texts) })));
  const { at, pages } = pageOf(all.length, page, 1);
  const shown = all[at] ?? [];
  const linked = shown.some(({ mark }) => mark.posting.applyUrl);
  const footer = [pages > 1 && texts.bot.jobs.page({ number: at + 1, of: pages }), linked && texts.card.note];
  const words = footer.filter(Boolean).join(' · ');
  return {
    embeds: [
      {
        title: only ? `${saved.states[only]} · ${wanted.length}` : saved.title({ count: marks.length }),
        description: shown.map((line) => line.words).join('\n'),
        ...defined({ footer: words ? { text: words } : undefined }),
      },
    ],
    components: [
      ...states,
      row(stageMenu(shown, [String(at), only ?? ''], request, texts)),
      ...pageButtons('saved', at, pages, request, texts, only ? [only] : []),
      ...again,
    ],
    postings: shown.map(({ mark }) => mark.posting),
  };
}

function stageMenu(shown: readonly Line[], from: readonly string[], request: Request, texts: Texts) {
  const options = shown.map(({ mark: { key, posting } }) => ({
    label: labelOf(posting, texts),
    value: postingRef(key),
  }));
  return menu(customId('stage', ['pick', ...from], request.user), texts.bot.saved.move, options);
}

/** One posting with all that was done with it, and buttons for its stages. `from`: page and state of the list. */
function stageView(
  marked: MarkedPosting,
  from: readonly string[],
  request: Request,
  context: Context,
): Reply {
  const texts = textsFor(request.locale);
  const { saved } = texts.bot;
  const { key, mark, posting } = marked;
  const set = (to: string) => customId('stage', ['set', ...from, postingRef(key), to], request.user);
  const [page = '0', state = ''] = from;
  return {
    embeds: [
      {
        title: saved.moveTitle,
        description: lineOf(marked, changesOf(marked), request, context, texts),
        ...defined({ footer: posting.applyUrl ? { text: texts.card.note } : undefined }),
      },
    ],
    components: [
      row(...STAGES.map((one) => button(saved.states[one], set(one), one === mark ? 'primary' : 'plain'))),
      row(
        button(saved.takeOff, set(OFF), 'plain', '🗑️'),
        button(saved.back, customId('saved', [page, state], request.user), 'plain', '◀️'),
      ),
    ],
    postings: [posting],
  };
}

/**
 * One button for each state that something is in, and one for all, in rows of five. The current one stands out. The last
 * button turns reminders on or off.
 */
function stateButtons(
  marks: readonly MarkedPosting[],
  only: Mark | undefined,
  isReminded: boolean,
  request: Request,
  texts: Texts,
): ActionRow[] {
  const { saved, buttons } = texts.bot;
  const remind = isReminded
    ? button(buttons.remindersOff, customId('remind', ['off'], request.user), 'plain', '🔕')
    : button(buttons.remindersOn, customId('remind', ['on'], request.user), 'plain', '⏰');
  const used = MARKS.filter((state) => marks.some(({ mark }) => mark === state));
  if (used.length < 2 && only === undefined) return [row(remind)];
  const to = (label: string, count: number, state?: Mark) =>
    button(
      `${label} (${count})`,
      customId('saved', ['first', ...(state ? [state] : [])], request.user),
      only === state ? 'primary' : 'plain',
    );
  const counted = used.map((state) =>
    to(saved.states[state], marks.filter(({ mark }) => mark === state).length, state),
  );
  const all = [to(saved.all, marks.length), ...counted, remind];
  return [row(...all.slice(0, 5)), ...(all.length > 5 ? [row(...all.slice(5))] : [])];
}

function againMenu(hidden: readonly Hidable[], request: Request, texts: Texts) {
  const options = hidden.map((what) => ({ label: hidableName(what), value: hidableRef(what) }));
  return menu(
    customId('showAgain', [], request.user),
    texts.bot.saved.hidden({ count: hidden.length }),
    options,
  );
}

/** `changes`: the marks to name, with their times. */
function lineOf(
  { posting, card }: MarkedPosting,
  changes: readonly MarkChange[],
  request: Request,
  context: Context,
  texts: Texts,
): string {
  const { saved } = texts.bot;
  const options = { locale: request.locale, source: context.source, now: context.clock.now() };
  const words = digestLine({ ...posting, matched: [] }, options);
  // An apply link belongs to the account that it was sent to. A posting marked on another account's card has
  // no link, so the line links to that card.
  const where = card ? `[${saved.noLink}](<${card}>)` : saved.noLink;
  const shown = posting.applyUrl ? words : words.replace(`⚠️ ${texts.card.noLink}`, where);
  const link = card && shown === words ? ` · [${saved.card}](<${card}>)` : '';
  const states = changes.map(({ mark, at }) => `${saved.states[mark]} ${relative(at)}`);
  return `${shown}${link}\n  ${states.join(' · ')}`;
}

function paged(lines: readonly Line[]): readonly (readonly Line[])[] {
  const pages: Line[][] = [];
  let used = 0;
  for (const line of lines) {
    const page = pages.at(-1);
    if (page && page.length < PER_PAGE && used + line.words.length < ROOM) page.push(line);
    else pages.push([line]);
    used = (page === pages.at(-1) ? used : 0) + line.words.length + 1;
  }
  return pages;
}

export const savedFeature: Feature = { commands: [jobsSaved], actions: [saved, stage, remind, showAgain] };
