// The preferences page: everything a reader may change about a subscription, and what is stored about them.
import type { Context, Hono } from 'hono';
import { reasonOf, UserError } from '../domain/errors.js';
import { LINK_LIFE } from '../domain/link-token.js';
import { type Destination, isPaused } from '../domain/subscription.js';
import type { SubscriptionReport } from '../ports/services.js';
import { textsFor } from '../render/language/index.js';
import {
  type FormFault,
  type PreferencesForm,
  preferencesView,
  type Rights,
  rightsOf,
} from '../render/preferences-view.js';
import { preferredLocale, readForm, showPage, type WebContext, wrongLink } from './context.js';
import { askForData } from './data-pages.js';
import { formFaults } from './preferences-check.js';
import { changeFrom, formFrom } from './preferences-form.js';

interface Opened {
  readonly account: string;
  readonly report: SubscriptionReport;
  readonly destination: Destination;
  readonly locale: string;
  readonly self: string;
  readonly may: Rights;
  /** When the link was made, computed from its end, so that links on the page end at the same time. */
  readonly since: number;
}

function isMailed({ sink }: Destination): boolean {
  return sink === 'email';
}

export function preferencesPages(app: Hono, w: WebContext): void {
  const { services, links, clock } = w;

  async function open(c: Context): Promise<Opened | undefined> {
    const token = c.req.param('token') ?? '';
    const claim = await links.open('preferences', token);
    if (!claim?.subscription) return undefined;
    const { account, subscription } = claim;
    const report = await services.subscription({ account }, subscription).catch(() => undefined);
    const { destinations = [] } = report?.subscription ?? {};
    const destination =
      destinations.find((one) => one.id === claim.destination) ??
      destinations.find(isMailed) ??
      destinations[0];
    if (!report || !destination) return undefined;
    const locale = report.subscription.locale ?? (await services.profile(account))?.locale;
    return {
      account,
      report,
      destination,
      locale: locale ?? preferredLocale(c),
      self: `${w.base}/preferences/${token}`,
      may: rightsOf(report.subscription),
      since: claim.expiresAt === undefined ? clock.now() : claim.expiresAt - (LINK_LIFE.preferences ?? 0),
    };
  }

  async function show(
    c: Context,
    opened: Opened,
    more: { saved?: boolean; faults?: readonly FormFault[]; form?: PreferencesForm } = {},
  ): Promise<Response> {
    const { account, report, destination, locale, self } = opened;
    const { subscription } = report;
    const epoch = await links.epoch(account);
    const stream = { account, subscription: subscription.id, destination: destination.id };
    const subject = { ...stream, epoch, now: clock.now() };
    const all = opened.may.others ? await services.subscriptions({ account }) : [];
    // Only subscriptions with mails; others are changed where they are delivered.
    const others = all.filter(
      (one) => one.subscription.id !== subscription.id && one.subscription.destinations.some(isMailed),
    );
    const { local } = links;
    const view = preferencesView({
      subscription,
      destination,
      about: report.about,
      nextEditionAt: report.nextEditionAt,
      locale,
      source: w.source,
      contact: w.contact,
      paused: isPaused(subscription),
      stopped: (await services.mail?.stoppedAt(stream)) !== undefined,
      saved: more.saved ?? false,
      faults: more.faults ?? [],
      form: more.form,
      urls: {
        self,
        unsubscribe: isMailed(destination) ? local.unsubscribe(subject) : null,
        restart: local.resubscribe({ ...subject, edition: 'any' }),
        feed: local.feed(opened.may.others ? { account, epoch, now: clock.now() } : subject),
      },
      others: others.map((one) => ({
        about: one.about,
        url: local.preferences({ account, subscription: one.subscription.id, epoch, now: opened.since }),
      })),
    });
    const response = await showPage(c, w, 'preferences', locale, view);
    return more.faults ? new Response(response.body, { status: 422, headers: response.headers }) : response;
  }

  async function save(c: Context, opened: Opened, form: PreferencesForm): Promise<Response> {
    const { account, report, destination, locale, self } = opened;
    const { subscription } = report;
    const wrong = formFaults(form, locale);
    if (wrong.length > 0) return show(c, opened, { faults: wrong, form });
    try {
      const change = changeFrom(form, subscription, destination);
      await services.edit({ account, locale: form.locale || locale }, subscription.id, change);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      w.log.warn({ reason: reasonOf(error) }, 'preferences not saved');
      const text = textsFor(locale).page.preferences.notSaved;
      return show(c, opened, { faults: [{ field: null, text }], form });
    }
    return c.redirect(`${self}?saved=1`, 303);
  }

  app.get('/preferences/:token', async (c) => {
    const opened = await open(c);
    return opened ? show(c, opened, { saved: c.req.query('saved') === '1' }) : wrongLink(c, w);
  });

  app.post('/preferences/:token', async (c) => {
    const opened = await open(c);
    if (!opened) return wrongLink(c, w);
    const posted = await readForm(c);
    const { account, report, destination, locale, self, may } = opened;
    const { id } = report.subscription;
    const wanted = posted.do;
    if (wanted === 'save' && may.edit) return save(c, opened, formFrom(posted));
    // The link to this page may have been forwarded, so these two must be confirmed by mail.
    if (wanted === 'export' || (wanted === 'erase' && may.erase))
      return askForData(c, w, {
        account,
        subscription: id,
        destination: destination.id,
        what: wanted,
        locale,
      });
    if (wanted === 'pause' && may.pause) await services.pause({ account }, id);
    else if (wanted === 'resume' && may.pause) await services.resume({ account }, id);
    else return show(c, opened);
    return c.redirect(self, 303);
  });
}
