// The panel that changes a subscription: what in a form filled in with what is set, when by a menu, where by a menu
// of channels. Emptying a field takes the wish away.
import type { Destination } from '../domain/subscription.js';
import type { SubscriptionReport } from '../ports/services.js';
import type { Texts } from '../render/language/en.js';
import { textsFor } from '../render/language/index.js';
import { button, channelMenu, type Modal, menu, modal, row } from './components.js';
import { customId } from './custom-id.js';
import { formOf } from './forms/filter.js';
import { EVERY, type Every, whenOf } from './forms/when.js';
import { LANGUAGE_CODES } from './forms/where.js';
import type { Reply, Request } from './request.js';
import { subscriptionView } from './views/subscription.js';

/** The destination the form changes: the last, which is the only one of whatever a form made. */
export function editable(report: SubscriptionReport): Destination | undefined {
  return report.subscription.destinations.at(-1);
}

export function editPanel(report: SubscriptionReport, request: Request, headline?: string): Reply {
  const texts = textsFor(request.locale);
  const { jobs, buttons, commands } = texts.bot;
  const { id, filter, locale } = report.subscription;
  const on = (action: string, ...args: string[]) => customId(action, [id, ...args], request.user);
  // A direct message has no channels to choose from.
  const inServer = request.guild ? undefined : `-# ${jobs.editInServer}`;
  const destination = editable(report);
  const every = destination && whenOf(destination.cadence).every;
  const times = EVERY.map((value) => ({
    value,
    label: commands.choices[value],
    ...(value === every ? { chosen: true } : {}),
  }));
  const languages = LANGUAGE_CODES.map((value) => ({
    value,
    label: commands.choices[value],
    ...(textsFor(locale) === textsFor(value) ? { chosen: true } : {}),
  }));
  return {
    text: [headline, subscriptionView(report, request.locale), jobs.editHint, inServer]
      .filter(Boolean)
      .join('\n'),
    embeds: [],
    components: [
      row(
        button(buttons.what, on('edit-what'), 'primary', '✏️'),
        button(
          filter.remote ? buttons.remoteOn : buttons.remoteOff,
          on('edit-remote', filter.remote ? 'off' : 'on'),
        ),
      ),
      row(menu(on('edit-when'), jobs.editWhen, times)),
      // Only a server has channels to choose from.
      ...(request.guild && request.botIsHere
        ? [row(channelMenu(on('edit-where', 'channel'), jobs.editWhere))]
        : []),
      row(menu(on('edit-language'), jobs.editLanguage, languages)),
      row(
        button(buttons.toDm, on('edit-where', 'dm'), 'plain', '✉️'),
        button(buttons.toEmail, on('edit-where', 'email'), 'plain', '📧'),
        button(buttons.back, customId('sub', ['show', id], request.user), 'plain', '◀️'),
      ),
    ],
  };
}

export function filterModal(report: SubscriptionReport, request: Request): Modal {
  const { jobs } = textsFor(request.locale).bot;
  const { id, filter } = report.subscription;
  const { tags = '', country = '', include = '', exclude = '', minSalary = '' } = formOf(filter);
  return modal(customId('edit-filter', [id], request.user), jobs.editWhat, [
    { id: 'tags', label: jobs.fieldTags, value: tags },
    { id: 'country', label: jobs.fieldCountry, value: country, max: 100 },
    { id: 'include', label: jobs.fieldInclude, value: include, max: 1300 },
    { id: 'exclude', label: jobs.fieldExclude, value: exclude, max: 1300 },
    { id: 'minSalary', label: jobs.fieldPay, value: minSalary, max: 20 },
  ]);
}

/** Day, time and zone for daily and weekly, filled in with what is set. */
export function timeModal(report: SubscriptionReport, every: Every, zone: string, request: Request): Modal {
  const texts = textsFor(request.locale);
  const { jobs } = texts.bot;
  return modal(customId('edit-time', [report.subscription.id, every], request.user), jobs.editWhenTitle, [
    { id: 'at', label: jobs.fieldAt, value: timeOf(report, every, texts), max: 40 },
    { id: 'timezone', label: jobs.fieldZone, value: zone, max: 60, required: true },
  ]);
}

function timeOf(report: SubscriptionReport, every: Every, texts: Texts): string {
  const { at = '09:00', day = 'monday' } = editable(report)?.cadence ?? {};
  return every === 'weekly' ? `${texts.describe.days[day]} ${at}` : at;
}
