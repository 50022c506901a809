// From a delivery to a mail. The sink, `digest --out`, `mail preview` and the demo all compose with this, so what
// is shown beforehand is what goes out.
import type { LinkSubject, Links } from '../../domain/link-token.js';
import type { Delivery, DeliveryContext } from '../../ports/sink.js';
import type { Week } from '../../render/chart.js';
import { digestView } from '../../render/digest-view.js';
import { confirmView, dataRequestView, noticeView } from '../../render/mail-views.js';
import type { Templates } from '../../render/templates.js';
import { domainOf, parseAddress, parseMailbox } from './address.js';
import { CHART_CID, chartPicture } from './chart-image.js';
import { CONFIRM_HOURS, type ConsentRequest, consentAbout } from './consent.js';
import { DATA_REQUEST_HOURS } from './data-requests.js';
import { baseHeaders, listHeaders, type MailMessage, threadHeaders } from './message.js';

/** What composing needs. Without `links` the mail says how to stop it, but has no page to do it on. */
export interface ComposeDeps {
  readonly templates: Templates;
  readonly from: string;
  readonly links?: Links | undefined;
  /** The account's link epoch, see {@link LinkSubject}. */
  readonly epoch?: ((account: string) => Promise<number>) | undefined;
  /** Postings per week for the chart; none leaves it out. */
  readonly weeks?: ((delivery: Delivery) => Promise<readonly Week[]>) | undefined;
  readonly guard?: DeliveryContext['guard'];
  /** The address whose mails this program reads, see {@link readMailbox}; none leaves unsubscribing by mail out. */
  readonly mailbox?: string | undefined;
}

/** Where a mail that asks to unsubscribe is read: undefined without a maildir, for then nobody would. */
export function readMailbox(settings: {
  readonly from: string;
  readonly bounceAddress?: string;
  readonly bounceMaildir?: string;
}): string | undefined {
  return settings.bounceMaildir ? (settings.bounceAddress ?? parseMailbox(settings.from).address) : undefined;
}

/**
 * The mail of one delivery: a digest, or an alert for the immediate cadence. The same delivery gives the same mail:
 * ages and links are reckoned from its slot, not from the moment. Throws what `guard` throws.
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
        ...(unsubscribe ? { unsubscribe } : {}),
        ...(deps.mailbox ? { mailbox: deps.mailbox } : {}),
        ...(preferences ? { help: preferences } : {}),
      }),
      ...(digest ? {} : threadHeaders(info)),
    },
    attachments: weeks.length > 0 ? [chartPicture(weeks)] : [],
  };
}

/** The question whether mails are wanted: no list headers, no posting (mail rules). */
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

/** The link that hands out or deletes what is stored about its reader: to the confirmed address alone. */
export function composeDataRequest(
  request: { what: 'export' | 'erase'; locale: string; to: string; url: string },
  deps: Pick<ComposeDeps, 'templates' | 'from'> & { source: string; messageId: string },
): MailMessage {
  const view = dataRequestView({ ...request, source: deps.source, hours: DATA_REQUEST_HOURS });
  return single(deps, 'confirm', request.locale, view, request.to);
}

/** A word to an owner about a subscription. */
export function composeNotice(
  notice: { locale: string; text: string; about?: string; url?: string; to: string },
  deps: Pick<ComposeDeps, 'templates' | 'from'> & { source: string; messageId: string },
): MailMessage {
  const view = noticeView({ ...notice, source: deps.source });
  return single(deps, 'notice', notice.locale, view, notice.to);
}

function single(
  deps: Pick<ComposeDeps, 'templates' | 'from'> & { messageId: string },
  kind: 'confirm' | 'notice',
  locale: string,
  view: object,
  to: string,
): MailMessage {
  const { from, messageId } = deps;
  const rendered = deps.templates.render(kind, locale, view);
  return { ...rendered, from, to, messageId, headers: baseHeaders(`${kind}:service:mail`), attachments: [] };
}
