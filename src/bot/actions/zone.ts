// The answer to "which time zone?": picked, or typed into a form. The command that waited for it is taken, so a second
// press subscribes nothing.
import { UserError } from '../../domain/errors.js';
import { textsFor } from '../../render/language/index.js';
import { type Modal, modal } from '../components.js';
import { customId } from '../custom-id.js';
import { keepWaiting, takeWaiting } from '../drafts.js';
import { readZone } from '../forms/when.js';
import type { Action, Context, Reply, Request } from '../request.js';
import { rerun } from './correct.js';

async function withZone(request: Request, context: Context, id: string, typed: string): Promise<Reply> {
  const texts = textsFor(request.locale);
  const timezone = readZone(typed, texts);
  const waiting = await takeWaiting(context, 'zone', request.user, id);
  if (!waiting) throw new UserError(texts.bot.fault.stale);
  const withIt = { ...waiting, options: { ...waiting.options, timezone } };
  // When nothing was subscribed, the question still stands, and the next press may succeed.
  const putBack = () => keepWaiting(context, 'zone', request.user, id, waiting);
  return { ...(await rerun(withIt, request, context, putBack)), update: true };
}

export const zone = {
  name: 'zone',
  slow: true,
  updates: true,
  run: ([id = ''], request, context) => withZone(request, context, id, request.values[0] ?? ''),
} satisfies Action;

function zoneModal(id: string, request: Request): Modal {
  const { jobs } = textsFor(request.locale).bot;
  return modal(customId('zone-typed', [id], request.user), jobs.zoneTitle, [
    { id: 'zone', label: jobs.zoneField, required: true, max: 60 },
  ]);
}

export const zoneForm = {
  name: 'zone-form',
  run: async ([id = ''], request) => ({ modal: zoneModal(id, request) }),
} satisfies Action;

export const zoneTyped = {
  name: 'zone-typed',
  slow: true,
  updates: true,
  form: async ([id = ''], request) => zoneModal(id, request),
  run: ([id = ''], request, context) => withZone(request, context, id, request.fields.zone ?? ''),
} satisfies Action;
