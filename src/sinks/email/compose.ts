// Composes mails. The sink, `digest --out`, `mail preview` and the demo all use this: a preview shows what is sent.

import { Resvg } from '@resvg/resvg-js';
import { shadesOf } from '../../domain/color.js';
import { defined } from '../../domain/defined.js';
import { postingRef } from '../../domain/edition.js';
import { LINK_LIFE, type LinkSubject, type Links } from '../../domain/link-token.js';
import type { Posting } from '../../domain/posting.js';
import type { Reminder } from '../../domain/reminders.js';
import type { Delivery, DeliveryContext, QuietWeek } from '../../ports/sink.js';
import { type Brand, LOGO_CID } from '../../render/brand.js';
import { CHART_SIZE, renderChart, type Week } from '../../render/chart.js';
import { digestView } from '../../render/digest-view.js';
import { confirmView, type LinkMail, linkView, noticeView, reminderView } from '../../render/mail-views.js';
import { quietView } from '../../render/quiet-view.js';
import type { Templates } from '../../render/templates.js';
import { domainOf, parseAddress, parseMailbox } from './address.js';
import { CONFIRM_HOURS, type ConsentRequest, consentAbout } from './consent.js';
import { DATA_REQUEST_HOURS } from './data-requests.js';
import { baseHeaders, listHeaders, type MailMessage, type MailPicture, threadHeaders } from './message.js';

/** What composing needs. Without `links` a mail explains how to unsubscribe, but has no page for it. */
export interface ComposeDeps {
  readonly templates: Templates;
  readonly from: string;
  readonly links?: Links | undefined;
  /** The account's link epoch, see {@link LinkSubject}. */
  readonly epoch?: ((account: string) => Promise<number>) | undefined;
  /** Postings per week for the chart; none leaves it out. */
  readonly weeks?: ((delivery: Delivery) => Promise<readonly Week[]>) | undefined;
  readonly guard?: DeliveryContext['guard'];
  /** The address whose mails this program reads, see {@link readMailbox}; without it, no unsubscribing by mail. */
  readonly mailbox?: string | undefined;
}

/** The address for unsubscribing by mail; undefined without a maildir, because then no process reads the mails. */
export function readMailbox(settings: {
  readonly from: string;
  readonly bounceAddress?: string;
  readonly bounceMaildir?: string;
}): string | undefined {
  return settings.bounceMaildir ? (settings.bounceAddress ?? parseMailbox(settings.from).address) : undefined;
}

/**
 * The mail of one delivery: a digest, or an alert for the immediate cadence. The same delivery gives the same mail,
 * because ages and links are based on its slot, not on the current time. Throws what `guard` throws.
 */
export async function composeEdition(delivery: Delivery, deps: ComposeDeps): Promise<MailMessage> {
  const { account, subscription, destination, slot, edition } = delivery;
  const digest = delivery.every !== 'immediate';
  const epoch = (await deps.epoch?.(account)) ?? 0;
  const subject: LinkSubject = { account, subscription, destination: destination.id, epoch, now: slot };
  const unsubscribe = deps.links?.unsubscribe(subject);
  const preferences = deps.links?.preferences(subject);
  const browser = delivery.moreUrl ?? deps.links?.edition({ ...subject, edition });
  const weeks = digest && delivery.part === 0 ? ((await deps.weeks?.(delivery)) ?? []) : [];
  const view = digestView(delivery, {
    now: slot,
    links: {
      unsubscribe: unsubscribe ?? null,
      preferences: preferences ?? null,
      browser: browser ?? null,
    },
    feedback: feedbackLinks(deps.links, subject, edition),
    weeks,
    chartSrc: `cid:${CHART_CID}`,
  });
  const rendered = deps.templates.render(digest ? 'digest' : 'alert', delivery.locale, view);
  deps.guard?.({ format: 'html', body: rendered.html });
  deps.guard?.({ format: 'text', body: rendered.text, note: view.note });
  const { from } = deps;
  const info = { subscription, destination: destination.id, about: view.about, from };
  return {
    ...rendered,
    from,
    to: parseAddress(destination.target),
    messageId: `<${edition}.${delivery.part}@${domainOf(parseMailbox(from).address)}>`,
    headers: {
      ...baseHeaders(`${delivery.every}:digest:mail`),
      ...listHeaders({
        ...info,
        ...defined({
          unsubscribe: unsubscribe || undefined,
          mailbox: deps.mailbox || undefined,
          help: preferences || undefined,
        }),
      }),
      ...(digest ? {} : threadHeaders(info)),
    },
    attachments: [...logoOf(deps), ...(view.chart ? [chartPicture(weeks, deps.templates.brand)] : [])],
  };
}

/** The mail about a week without a posting, in the stream of the digests. Throws what `guard` throws. */
export async function composeQuietWeek(week: QuietWeek, deps: ComposeDeps): Promise<MailMessage> {
  const { account, subscription, destination, slot, locale } = week;
  const epoch = (await deps.epoch?.(account)) ?? 0;
  const subject: LinkSubject = { account, subscription, destination: destination.id, epoch, now: slot };
  const unsubscribe = deps.links?.unsubscribe(subject);
  const preferences = deps.links?.preferences(subject);
  const links = { unsubscribe: unsubscribe ?? null, preferences: preferences ?? null, browser: null };
  const view = quietView(week, links);
  const rendered = deps.templates.render('quiet', locale, view);
  deps.guard?.({ format: 'html', body: rendered.html });
  deps.guard?.({ format: 'text', body: rendered.text, note: view.note });
  const { from, mailbox } = deps;
  const info = { subscription, destination: destination.id, about: week.about, from };
  return {
    ...rendered,
    from,
    to: parseAddress(destination.target),
    messageId: `<quiet.${destination.id}.${subscription}.${slot}@${domainOf(parseMailbox(from).address)}>`,
    headers: {
      ...baseHeaders('weekly:quiet:mail'),
      ...listHeaders({ ...info, ...defined({ unsubscribe, mailbox, help: preferences }) }),
    },
    attachments: logoOf(deps),
  };
}

/** Makes the link of each posting to the page that saves or hides it. */
function feedbackLinks(links: Links | undefined, { account, epoch, now }: LinkSubject, edition: string) {
  if (!links) return undefined;
  return ({ key }: Posting) => links.feedback({ account, epoch, now, edition, posting: postingRef(key) });
}

/** The mail that asks for consent. It has no list headers and no postings (mail rules). */
export function composeConfirm(
  request: ConsentRequest,
  token: string,
  deps: Pick<ComposeDeps, 'templates' | 'from'> & { links: Links; source: string; messageId: string },
): MailMessage {
  const { locale } = request;
  const about = consentAbout(request);
  const url = deps.links.confirm(token);
  const view = confirmView({ locale, about, url, source: deps.source, hours: CONFIRM_HOURS });
  return single(deps, 'confirm', locale, view, request.address);
}

/** The mail with a link that works once. It goes only to the confirmed address. */
export function composeLink(
  request: { what: LinkMail; locale: string; to: string; url: string },
  deps: Pick<ComposeDeps, 'templates' | 'from'> & { source: string; messageId: string },
): MailMessage {
  const minutes = request.what === 'manage' ? LINK_LIFE.manage / 60_000 : DATA_REQUEST_HOURS * 60;
  const view = linkView({ ...request, source: deps.source, minutes });
  return single(deps, 'confirm', request.locale, view, request.to);
}

/** A notice to an owner, for example about a subscription. */
export function composeNotice(
  notice: { locale: string; text: string; about?: string; url?: string; to: string },
  deps: Pick<ComposeDeps, 'templates' | 'from'> & { source: string; messageId: string },
): MailMessage {
  const view = noticeView({ ...notice, source: deps.source });
  return single(deps, 'notice', notice.locale, view, notice.to);
}

/** The mail of a reminder. `text`: what it reminds of. */
export function composeReminder(
  reminder: Reminder,
  { to, ...of }: { locale: string; text: string; to: string; settings?: string },
  deps: Pick<ComposeDeps, 'templates' | 'from'> & { messageId: string },
): MailMessage {
  return single(deps, 'reminder', of.locale, reminderView(reminder, of), to);
}

function single(
  deps: Pick<ComposeDeps, 'templates' | 'from'> & { messageId: string },
  kind: 'confirm' | 'notice' | 'reminder',
  locale: string,
  view: object,
  to: string,
): MailMessage {
  const { from, messageId } = deps;
  const rendered = deps.templates.render(kind, locale, view);
  return {
    ...rendered,
    from,
    to,
    messageId,
    headers: baseHeaders(`${kind}:service:mail`),
    attachments: logoOf(deps),
  };
}

/** The operator's logo, which the frame of every mail shows. */
function logoOf({ templates: { brand } }: Pick<ComposeDeps, 'templates'>): readonly MailPicture[] {
  if (!brand.logo) return [];
  const content = Buffer.from(brand.logo.png, 'base64');
  return [{ cid: LOGO_CID, filename: 'logo.png', content, contentType: 'image/png' }];
}

// The picture of a digest, its chart. Mail programs show no SVG, so it is converted to a small PNG here.

const CHART_CID = 'weeks@jobcrier';

/** Charts kept, of about 2 KB each. An edition goes to many readers within minutes; older charts are not needed again. */
const KEPT = 64;
const drawn = new Map<string, Buffer>();

/** Draws at twice the size. System fonts are not loaded, because the chart needs none. */
function draw(svg: string): Buffer {
  const image = new Resvg(svg, {
    fitTo: { mode: 'width', value: CHART_SIZE.width * 2 },
    font: { loadSystemFonts: false },
  });
  return image.render().asPng();
}

/** The chart of these weeks, drawn once for all mails that show the same figures. */
function chartPicture(weeks: readonly Week[], { color }: Brand): MailPicture {
  const figures = JSON.stringify([color, weeks]);
  const content = drawn.get(figures) ?? draw(renderChart(weeks, shadesOf(color)['accent-dark']));
  drawn.set(figures, content);
  const [oldest] = drawn.keys();
  if (drawn.size > KEPT && oldest !== undefined) drawn.delete(oldest);
  return { cid: CHART_CID, filename: 'weeks.png', content, contentType: 'image/png' };
}
