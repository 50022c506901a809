// The form behind "More settings" of the panel: what the subscriptions file can set and the panel's menus do not. It
// has only the fields that have an effect at the destination.

import { defined } from '../../domain/defined.js';
import { UserError } from '../../domain/errors.js';
import { type Destination, MOST_POSTINGS } from '../../domain/subscription.js';
import { oneLine } from '../../domain/text.js';
import type { SubscriptionReport } from '../../ports/services.js';
import { type Texts, textsFor } from '../../render/texts.js';
import { createFaults, FormError } from '../forms/faults.js';
import { readQuiet, readZone } from '../forms/when.js';
import { roleOf } from '../forms/where.js';
import { customId, type FieldSpec, type MenuOption, type Modal, modal } from '../runtime/components.js';
import {
  type Action,
  type Context,
  type Feature,
  type Place,
  type Request,
  SINK,
} from '../runtime/request.js';
import { changed, editable, entryOf, zoneOf } from './edit.js';

function destinationOf(report: SubscriptionReport, texts: Texts): Destination {
  const destination = editable(report);
  if (!destination) throw new UserError(texts.bot.fault.oldButton);
  return destination;
}

/** A role can only be chosen in the server that the channel belongs to. */
function takesRole({ subscription }: SubscriptionReport, { sink }: Destination, request: Request): boolean {
  return sink === SINK && request.botIsHere && !!request.guild && request.guild === subscription.guild;
}

/** The channel, if the destination is one of the server where the form is. */
async function channelOf({ sink, target }: Destination, request: Request): Promise<Place | undefined> {
  return sink === SINK ? request.place(target) : undefined;
}

/** Two options, of which `value` says which is chosen. */
function yesOrNo(value: boolean, yes: string, no: string): readonly MenuOption[] {
  const option = (name: 'yes' | 'no', label: string) => ({
    value: name,
    label,
    ...defined({ chosen: (name === 'yes') === value || undefined }),
  });
  return [option('yes', yes), option('no', no)];
}

/**
 * A modal holds five fields: forums and announcement channels have their own setting where other places have reposts.
 */
async function settingsModal(report: SubscriptionReport, request: Request, context: Context): Promise<Modal> {
  const texts = textsFor(request.locale);
  const { settings, jobs, buttons } = texts.bot;
  const { id, reposts } = report.subscription;
  const destination = destinationOf(report, texts);
  const { quiet, options = {} } = destination;
  const limit = limitOf(destination);
  const most = destination[limit];
  const place = await channelOf(destination, request);
  const mention: FieldSpec = {
    id: 'mention',
    label: settings.mention,
    about: settings.mentionAbout,
    value: String(options.mention ?? ''),
    roles: true,
  };
  const { forumPosting, forumEdition, repostsYes, repostsNo } = settings;
  const fields: readonly FieldSpec[] = [
    {
      id: 'quiet',
      label: settings.quiet,
      about: settings.quietAbout,
      value: quiet ? `${quiet.from}-${quiet.to}` : '',
      max: 40,
    },
    { id: 'timezone', label: jobs.fieldZone, value: await zoneOf(report, request, context), max: 60 },
    {
      id: limit,
      label: settings[limit],
      about: (limit === 'cap' ? settings.capAbout : settings.perDayAbout)({ most: MOST_POSTINGS }),
      value: most === undefined ? '' : String(most),
      max: 4,
    },
    ...(takesRole(report, destination, request) ? [mention] : []),
    place?.forum
      ? {
          id: 'forum',
          label: settings.forum,
          required: true,
          options: yesOrNo(isPostEach(destination), forumPosting, forumEdition),
        }
      : place?.announcement
        ? {
            id: 'publish',
            label: settings.publish,
            about: settings.publishAbout,
            required: true,
            options: yesOrNo(options.publish === true, settings.publishYes, settings.publishNo),
          }
        : {
            id: 'reposts',
            label: settings.reposts,
            required: true,
            options: yesOrNo(reposts, repostsYes, repostsNo),
          },
  ];
  return modal(customId('edit-settings', [id], request.user), buttons.settings, fields);
}

/** Live postings are limited per day, digests per message. */
function limitOf({ cadence }: Destination): 'cap' | 'perDay' {
  return cadence.every === 'immediate' ? 'perDay' : 'cap';
}

/** An empty text sets no limit. `field`: the field that a fault names. */
function readLimit(field: 'cap' | 'perDay', text: string, texts: Texts): number | undefined {
  const line = oneLine(text);
  if (line === '') return undefined;
  const most = /^\d{1,4}$/u.test(line) ? Number(line) : 0;
  if (most >= 1 && most <= MOST_POSTINGS) return most;
  throw new FormError(texts.bot.fault.cap({ text: line.slice(0, 40), most: MOST_POSTINGS }), [field]);
}

const editMore = {
  name: 'edit-more',
  run: async ([id = ''], request, context) => ({
    modal: await settingsModal(await context.services.subscription(request.caller, id), request, context),
  }),
} satisfies Action;

/** Reads only the fields that the form has for this destination, so that a forged field changes nothing. */
const editSettings = {
  name: 'edit-settings',
  updates: true,
  form: async ([id = ''], request, context) =>
    settingsModal(await context.services.subscription(request.caller, id), request, context),
  async run([id = ''], request, context) {
    const texts = textsFor(request.locale);
    const { services } = context;
    const report = await services.subscription(request.caller, id);
    const destination = destinationOf(report, texts);
    const { quiet = '', timezone = '', mention = '', forum, publish, reposts } = request.fields;
    const { collect, settle } = createFaults();
    const hours = collect(() => readQuiet(quiet, texts));
    const limit = limitOf(destination);
    const most = collect(() => readLimit(limit, request.fields[limit] ?? '', texts));
    // Quiet hours mean nothing without a zone. Without them, an empty field leaves the zone as it is.
    const zone =
      timezone.trim() === '' && !hours
        ? destination.cadence.timezone
        : collect(() => readZone(timezone, texts));
    const { mention: former, ...options } = destination.options ?? {};
    const role = takesRole(report, destination, request)
      ? mention && collect(() => (mention === former ? mention : roleOf(request, mention, texts)))
      : former;
    settle();
    const place = await channelOf(destination, request);
    const next = {
      ...options,
      mention: role || undefined,
      ...(forum && place?.forum ? { forum: forumMode(forum, destination) } : {}),
      ...(publish && place?.announcement ? { publish: publish === 'yes' || undefined } : {}),
    };
    const kept = Object.entries(next).filter(([, value]) => value !== undefined);
    const edited = await services.edit(request.caller, id, {
      destination: entryOf(destination, {
        quiet: hours,
        [limit]: most,
        timezone: zone,
        options: kept.length > 0 ? Object.fromEntries(kept) : undefined,
      }),
      destinationId: destination.id,
      ...defined({ timezone: zone, reposts: reposts === undefined ? undefined : reposts === 'yes' }),
    });
    return changed(edited, request);
  },
} satisfies Action;

/** Whether live postings get a post each in a forum; for a digest, whether they would. */
function isPostEach({ cadence, options }: Destination): boolean {
  return cadence.every === 'immediate' ? options?.forum === 'posting' : options?.forum !== 'edition';
}

/** A digest is one post anyway, so only live postings get a post each. */
function forumMode(chosen: string, { cadence }: Destination): string | undefined {
  if (chosen === 'no') return 'edition';
  return cadence.every === 'immediate' ? 'posting' : undefined;
}

export const settingsFeature: Feature = { actions: [editMore, editSettings] };
