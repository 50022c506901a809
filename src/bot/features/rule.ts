// What *Not for me* and *More like this* lead to: a menu of what the posting suggests, the change of the rule with its
// effect, and its undo. All of it is one private message.
import { postingRef } from '../../domain/edition.js';
import { UserError } from '../../domain/errors.js';
import type { Subscription } from '../../domain/subscription.js';
import type { RuleAdvice, RuleOffer } from '../../ports/services.js';
import { describeEffect, describeFilter, describeTerm } from '../../render/describe.js';
import { escaped, plain } from '../../render/discord/escape.js';
import { textsFor } from '../../render/texts.js';
import { type ActionRow, button, customId, menu, row } from '../runtime/components.js';
import type { Action, Feature, Reply, Request } from '../runtime/request.js';
import { type Shown, shownBy, titleOf } from '../views/posting.js';

/** The choice that changes no rule. */
const ONLY = 'only';

/** Which choices a menu has: what to leave out, or what to put first. */
type Verb = 'not' | 'rather';

function ruleId(step: string, { record, posting }: Shown, request: Request, choice: string): string {
  return customId('rule', [step, record.id, postingRef(posting.key), choice], request.user);
}

/**
 * A menu of the changes that a posting suggests. Those that were made are in it, so that they can be undone. None if
 * there are no changes.
 */
export function offersMenu(verb: Verb, shown: Shown, advice: RuleAdvice, request: Request): ActionRow[] {
  const texts = textsFor(request.locale);
  const { reasons, why, like, only, onlyAbout } = texts.rule;
  const options = advice.offers
    .filter(({ id }) => id.startsWith(`${verb}-`))
    .map(({ id, reason, says, isMade }) => ({
      value: id,
      label: isMade ? `✅ ${reasons[reason]}` : reasons[reason],
      about: plain(describeTerm(says, texts), 100),
    }));
  if (options.length === 0) return [];
  const all = verb === 'not' ? [...options, { value: ONLY, label: only, about: onlyAbout }] : options;
  return [row(menu(ruleId('pick', shown, request, verb), verb === 'not' ? why : like, all))];
}

/** What *More like this* answers with. Throws a UserError for a rule that the caller can't change. */
export function likeView(shown: Shown, advice: RuleAdvice, request: Request): Reply {
  const texts = textsFor(request.locale);
  if (advice.locked) throw new UserError(texts.bot.fault[advice.locked]);
  const components = offersMenu('rather', shown, advice, request);
  const question = components.length > 0 ? texts.rule.like : texts.rule.nothing;
  return { text: `👍 ${titleOf(shown.posting, texts)}\n${question}`, components };
}

/** The change that was chosen, with its effect. */
function askView(shown: Shown, offer: RuleOffer, request: Request): Reply {
  const texts = textsFor(request.locale);
  const { says, change, only } = texts.rule;
  const words = `**${escaped(describeTerm(offer.says, texts), 200)}**`;
  return {
    text: `${says({ words })}\n${describeEffect(offer, texts)}`,
    components: [
      row(
        button(change, ruleId('set', shown, request, offer.id), 'primary', '✏️'),
        button(only, ruleId(ONLY, shown, request, offer.id)),
      ),
    ],
  };
}

function madeView(shown: Shown, { filter }: Subscription, choice: string, request: Request) {
  const texts = textsFor(request.locale);
  const words = `**${escaped(describeFilter(filter, request.locale), 800)}**`;
  return {
    text: `✅ ${texts.rule.made({ words })}`,
    components: [row(button(texts.bot.buttons.undo, ruleId('undo', shown, request, choice), 'plain', '↩️'))],
  };
}

/** What was dismissed, and the button that undoes that. */
export function dismissedView(
  { record, posting }: Shown,
  request: Request,
): Reply & { readonly text: string; readonly components: readonly ActionRow[] } {
  const texts = textsFor(request.locale);
  const takeBack = customId('unmark', [record.id, postingRef(posting.key), 'dismissed'], request.user);
  return {
    text: texts.bot.marks.dismissed({ title: titleOf(posting, texts) }),
    components: [row(button(texts.bot.buttons.unmark, takeBack, 'plain', '↩️'))],
  };
}

/** `rule:<step>:<edition>:<ref>:<choice>`. The menu has the step `pick`, and its values are choices. */
const rule = {
  name: 'rule',
  updates: true,
  async run([step = '', edition = '', ref = '', named = ''], request, context) {
    const { services } = context;
    const texts = textsFor(request.locale);
    const shown = await shownBy(context, edition, ref, texts);
    const { account } = request.caller;
    const about = [account, edition, shown.posting.key] as const;
    const choice = step === 'pick' ? (request.values[0] ?? '') : named;
    if (step === ONLY || choice === ONLY) return { ...dismissedView(shown, request), update: true };
    if (step === 'undo') {
      await services.undoRule(...about, choice);
      const verb = choice.startsWith('not-') ? 'not' : 'rather';
      const components = offersMenu(verb, shown, await services.ruleAdvice(...about), request);
      return { text: `↩️ ${texts.rule.undone}`, components, update: true };
    }
    if (step === 'pick') {
      const { offers, locked, subscription } = await services.ruleAdvice(...about);
      const offer = offers.find(({ id }) => id === choice);
      if (!offer) throw new UserError(texts.bot.fault[locked ?? 'ruleChanged']);
      if (offer.isMade) return { ...madeView(shown, subscription, choice, request), update: true };
      if (offer.says.mode !== 'want') return { ...askView(shown, offer, request), update: true };
      // What is put first can't be missed, so it is not asked for again.
      const made = madeView(shown, await services.changeRule(...about, choice), choice, request);
      return { ...made, text: `${made.text}\n${describeEffect(offer, texts)}`, update: true };
    }
    if (step !== 'set') throw new UserError(texts.bot.fault.oldButton);
    const changed = await services.changeRule(...about, choice);
    return { ...madeView(shown, changed, choice, request), update: true };
  },
} satisfies Action;

export const ruleFeature: Feature = { actions: [rule] };
