// The buttons under a posting. Any user may press them and gets a private reply. Marks are stored per user.

import type { EditionPosting } from '../../domain/edition.js';
import { UserError } from '../../domain/errors.js';
import { displayTag } from '../../domain/tags.js';
import { markButtons, parseCardId, postingRef } from '../../render/discord/components.js';

import { escaped, plain } from '../../render/discord/escape.js';
import { type Texts, textsFor } from '../../render/texts.js';
import { type ActionRow, button, customId, row } from '../runtime/components.js';

import type { Action, Context, Feature, Reply, Request } from '../runtime/request.js';
import { hidableName } from './saved.js';

interface Shown {
  readonly index: number;
  readonly posting: EditionPosting;
}

/**
 * Finds the posting that a button names. The name is a hash of the posting's key, so it does not depend on the
 * order. Throws a UserError when the edition no longer has the posting.
 */
async function shownBy(context: Context, edition: string, ref: string, texts: Texts): Promise<Shown> {
  const record = await context.services.edition(edition);
  const all = [...(record?.postings ?? []), ...(record?.rest ?? [])];
  const index = all.findIndex((posting) => postingRef(posting.key) === ref);
  const posting = all[index];
  if (!posting) throw new UserError(texts.bot.fault.cardGone);
  return { index, posting };
}

function titleOf(posting: EditionPosting, texts: Texts): string {
  const title = escaped(posting.title ?? texts.card.noTitle, 200);
  return posting.company ? `**${title}** (${escaped(posting.company, 80)})` : `**${title}**`;
}

/** Handles `m:<verb>:<edition>:<ref>` and the menu `m:pick:<edition>:<part>`, which the card renderer creates. */
const card = {
  name: 'm',
  async run(args, request, context): Promise<Reply> {
    const texts = textsFor(request.locale);
    const { marks, fault } = texts.bot;
    const action = parseCardId(['m', ...args].join(':'));
    if (!action) throw new UserError(fault.oldButton);
    if (action.kind === 'pick') {
      const ref = request.values[0] ?? '';
      const { posting } = await shownBy(context, action.edition, ref, texts);
      return {
        text: marks.pick({ title: titleOf(posting, texts) }),
        components: [markButtons(action.edition, ref, texts, request.message)],
      };
    }
    const { edition, ref, mark, message = request.message } = action;
    const { index } = await shownBy(context, edition, ref, texts);
    const posting = await context.services.mark(
      request.caller.account,
      edition,
      index,
      mark,
      message && cardLink(request, message),
    );
    const takeBack = button(
      texts.bot.buttons.unmark,
      customId('unmark', [edition, ref], request.user),
      'plain',
      '↩️',
    );
    const more = mark === 'dismissed' ? hideButtons(posting, edition, ref, request, texts) : [];
    const said = marks[mark]({ title: titleOf(posting, texts) });
    const text = more.length > 0 ? `${said} ${marks.hideMore}` : said;
    return { text, components: [...more, row(takeBack)] };
  },
} satisfies Action;

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
  async run([edition = '', ref = ''], request, context) {
    const texts = textsFor(request.locale);
    const { index, posting } = await shownBy(context, edition, ref, texts);
    await context.services.mark(request.caller.account, edition, index, undefined);
    return {
      text: texts.bot.marks.unmarked({ title: titleOf(posting, texts) }),
      components: [],
      update: true,
    };
  },
} satisfies Action;

export const cardFeature: Feature = { actions: [card, cardHide, cardUnmark] };
