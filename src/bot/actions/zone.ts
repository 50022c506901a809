// The answer to "which time zone?": picked, or typed into a form. The command that waited for it is taken, so a second
// press subscribes nothing.
import { UserError } from '../../domain/errors.js';
import { textsFor } from '../../render/language/index.js';
import type { Action, Answer, Ask, Bench } from '../ask.js';
import { type Modal, modal } from '../components.js';
import { customId } from '../custom-id.js';
import { keepWaiting, takeWaiting } from '../drafts.js';
import { readZone } from '../forms/when.js';
import { rerun } from './correct.js';

async function withZone(ask: Ask, bench: Bench, id: string, typed: string): Promise<Answer> {
  const texts = textsFor(ask.locale);
  const timezone = readZone(typed, texts);
  const waiting = await takeWaiting(bench, 'zone', ask.user, id);
  if (!waiting) throw new UserError(texts.bot.fault.stale);
  const withIt = { ...waiting, options: { ...waiting.options, timezone } };
  // When nothing was subscribed, the question still stands, and the next press may succeed.
  const putBack = () => keepWaiting(bench, 'zone', ask.user, id, waiting);
  return { ...(await rerun(withIt, ask, bench, putBack)), update: true };
}

export const zone = {
  name: 'zone',
  slow: true,
  updates: true,
  run: ([id = ''], ask, bench) => withZone(ask, bench, id, ask.values[0] ?? ''),
} satisfies Action;

function zoneModal(id: string, ask: Ask): Modal {
  const { jobs } = textsFor(ask.locale).bot;
  return modal(customId('zone-typed', [id], ask.user), jobs.zoneTitle, [
    { id: 'zone', label: jobs.zoneField, required: true, max: 60 },
  ]);
}

export const zoneForm = {
  name: 'zone-form',
  run: async ([id = ''], ask) => ({ modal: zoneModal(id, ask) }),
} satisfies Action;

export const zoneTyped = {
  name: 'zone-typed',
  slow: true,
  updates: true,
  form: async ([id = ''], ask) => zoneModal(id, ask),
  run: ([id = ''], ask, bench) => withZone(ask, bench, id, ask.fields.zone ?? ''),
} satisfies Action;
