// The card of a company: what is kept about it, what the caller did with its postings, and buttons to follow and to mute it.
import { postingRef } from '../../domain/edition.js';
import { UserError } from '../../domain/errors.js';
import { shortPay } from '../../domain/pay.js';
import { MARKS } from '../../domain/stages.js';
import type { CompanyReport } from '../../ports/services.js';
import { escaped } from '../../render/discord/escape.js';
import { type Texts, textsFor } from '../../render/texts.js';
import { button, customId, row } from '../runtime/components.js';
import {
  type Action,
  type Context,
  type Feature,
  type Reply,
  type Request,
  SINK,
} from '../runtime/request.js';
import { type Shown, shownBy } from '../views/posting.js';
import { relative } from '../views/subscription.js';

/** "✅ applied 1 (2 days ago) · 🔖 saved 3". Each with when it was done last. */
function historyWords({ marks }: CompanyReport, { bot: { company, saved } }: Texts): string {
  const parts = MARKS.flatMap((mark) => {
    const [last, ...others] = marks.filter((one) => one.mark === mark);
    return last ? `${saved.states[mark]} ${others.length + 1} (${relative(last.at)})` : [];
  });
  return parts.length > 0 ? company.yours({ words: parts.join(' · ') }) : company.noMarks;
}

/** Throws a UserError for a posting without a company. */
export async function companyView(
  { record, posting }: Shown,
  request: Request,
  { services }: Context,
): Promise<Reply> {
  const texts = textsFor(request.locale);
  const { company, fault } = texts.bot;
  if (posting.company === undefined) throw new UserError(fault.oldButton);
  const report = await services.company(request.caller.account, record, posting.company);
  const { name, listed, open, pay, isFollowed, isMuted } = report;
  const lines = [
    `🏢 **${escaped(name, 200)}**`,
    company.listed({ count: listed, open }),
    pay && company.pay({ pay: shortPay(pay, texts.card) }),
    historyWords(report, texts),
    isFollowed && company.followed,
    isMuted && company.muted,
  ];
  const on = (verb: string) => customId('company', [verb, record.id, postingRef(posting.key)], request.user);
  const { follow, unfollow, mute, unmute } = company.buttons;
  return {
    text: lines.filter(Boolean).join('\n'),
    components: [
      row(
        isFollowed ? button(unfollow, on('unfollow')) : button(follow, on('follow'), 'primary', '⭐'),
        isMuted ? button(unmute, on('unmute')) : button(mute, on('mute'), 'plain', '🙈'),
      ),
    ],
  };
}

const company = {
  name: 'company',
  updates: true,
  async run([verb = '', edition = '', ref = ''], request, context) {
    const texts = textsFor(request.locale);
    const { services } = context;
    const { caller } = request;
    const shown = await shownBy(context, edition, ref, texts);
    const name = shown.posting.company;
    if (name === undefined) throw new UserError(texts.bot.fault.oldButton);
    if (verb === 'follow')
      await services.followCompany(caller, name, { sink: SINK, target: `dm:${request.user}` });
    else if (verb === 'unfollow') await services.unfollowCompany(caller, name);
    else if (verb === 'mute') await services.hide(caller.account, { company: name });
    else if (verb === 'unmute') {
      for (const what of await services.hidden(caller.account))
        if ('company' in what && what.company.toLowerCase() === name.toLowerCase())
          await services.unhide(caller.account, what);
    } else throw new UserError(texts.bot.fault.oldButton);
    return { ...(await companyView(shown, request, context)), update: true };
  },
} satisfies Action;

export const companyFeature: Feature = { actions: [company] };
