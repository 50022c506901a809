// The view of the public start page.
import { listOf, sinkName } from './describe.js';
import { textsFor } from './texts.js';

/** `sinks`: names of the ways of delivery; `works`: the service is ready; `isDiscordAway`: its bot is not connected. */
export function startView(of: {
  readonly locale: string;
  readonly source: string;
  readonly sinks: readonly string[];
  readonly invite: string | undefined;
  readonly works: boolean;
  readonly isDiscordAway: boolean;
}) {
  const texts = textsFor(of.locale);
  const { start, service } = texts.page;
  const ways = listOf(
    of.sinks.map((sink) => sinkName(sink, texts)),
    texts.intl,
    'conjunction',
  );
  return {
    lang: texts.intl,
    service: service({ source: of.source }),
    title: start.title,
    text: start.text({ source: of.source }),
    facts: [
      { label: start.source, value: of.source },
      ...(ways ? [{ label: start.ways, value: ways }] : []),
      {
        label: start.status,
        value: !of.works ? start.broken : of.isDiscordAway ? start.discordAway : start.works,
      },
    ],
    how: of.invite ? start.how({ command: `/${texts.bot.commands.names.help}` }) : start.closed,
    invite: of.invite ? { label: start.invite, url: of.invite } : null,
  };
}
