// Unsubscribing: one click that always works, and the undo.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { headerOf } from '../helpers/mail.js';
import {
  linkOn,
  openReaderHouse,
  pageLinks,
  READER,
  type ReaderHouse,
  rustJob,
  subscribeReader,
} from '../helpers/reader-house.js';

let house: ReaderHouse;

beforeEach(async () => {
  house = await openReaderHouse();
});

afterEach(() => house.close());

const ONE_CLICK = { 'List-Unsubscribe': 'One-Click' };

describe('unsubscribing', () => {
  test('takes one click: 200, no redirect, no cookie, for good; the undo reverts it', async () => {
    await subscribeReader(house);
    await house.announce(rustJob(3));
    const mail = await house.mail(2);
    const link = /<(https:[^>]+)>/u.exec(headerOf(mail, 'List-Unsubscribe') ?? '')![1]!;
    const answer = await house.press(link, ONE_CLICK);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('location')).toBeNull();
    expect(answer.headers.get('set-cookie')).toBeNull();
    const html = await answer.text();
    expect(html).toContain('You are unsubscribed');
    // A second time is no error, nor as multipart, as some mail programs send it.
    const form = new FormData();
    form.append('List-Unsubscribe', 'One-Click');
    expect((await fetch(house.at(link), { method: 'POST', body: form })).status).toBe(200);
    await house.announce(rustJob(4));
    await house.settled();
    expect(house.smtp.mails).toHaveLength(2);
    const back = await house.press(linkOn(html, 'resubscribe'));
    expect(await back.text()).toContain('Welcome back');
    expect((await house.mail(3)).subject).toBe('Rust Engineer 4 at Firm 4, $100k–140k');
    expect(house.smtp.mails).toHaveLength(3);
  });

  test('still works by a mail that is years old, when all its other links have expired', async () => {
    await subscribeReader(house);
    await house.announce(rustJob(3));
    const links = pageLinks(await house.mail(2));
    house.advance(5 * 365 * 86_400_000);
    expect((await house.visit(links.preferences!)).status).toBe(404);
    expect((await house.visit(links.editions!)).status).toBe(404);
    expect((await house.press(links.unsubscribe!, ONE_CLICK)).status).toBe(200);
  });

  test("is the only use of its link, which can't be turned into a way to subscribe again or to change anything", async () => {
    const id = await subscribeReader(house);
    await house.announce(rustJob(3));
    const { unsubscribe = '', preferences = '' } = pageLinks(await house.mail(2));
    const stream = {
      account: READER.account,
      subscription: id,
      destination: (await house.app.services.subscription({ account: READER.account }, id)).subscription
        .destinations[0]!.id,
    };
    const isStopped = async () => (await house.app.services.mail!.stoppedAt(stream)) !== undefined;
    const leads = /\/(?:resubscribe|preferences|feed|editions)\//u;

    // A person with an old link sees only that it was stopped, by every request.
    const undo = linkOn(await (await house.press(unsubscribe, ONE_CLICK)).text(), 'resubscribe');
    for (const answer of [await house.visit(unsubscribe), await house.press(unsubscribe, ONE_CLICK)]) {
      const html = await answer.text();
      expect(html).toContain('You are unsubscribed');
      expect(html).not.toMatch(leads);
    }
    // The token of one purpose opens no other page.
    const token = unsubscribe.slice(unsubscribe.lastIndexOf('/') + 1);
    for (const page of ['preferences', 'feed', 'editions', 'confirm'])
      expect((await house.visit(`/${page}/${token}`)).status).toBe(404);
    expect((await house.press(`/resubscribe/${token}`)).status).toBe(404);
    expect(await isStopped()).toBe(true);

    // An undo reverts its own press and no later one.
    expect((await house.press(undo)).status).toBe(200);
    expect(await isStopped()).toBe(false);
    expect((await house.press(undo)).status).toBe(404);
    house.advance(1000);
    await house.press(unsubscribe, ONE_CLICK);
    expect((await house.press(undo)).status).toBe(404);
    expect(await isStopped()).toBe(true);

    // The reader can subscribe again behind the preferences link.
    const own = linkOn(await (await house.visit(preferences)).text(), 'resubscribe');
    expect((await house.press(own)).status).toBe(200);
    expect(await isStopped()).toBe(false);
  });

  test('is undone without ending a pause of the reader', async () => {
    const id = await subscribeReader(house);
    await house.announce(rustJob(3));
    const links = pageLinks(await house.mail(2));
    const html = await (await house.press(links.unsubscribe!, ONE_CLICK)).text();
    await house.app.services.pause({ account: READER.account }, id);
    await house.press(linkOn(html, 'resubscribe'));
    expect((await house.app.services.subscription({ account: READER.account }, id)).state).toBe('paused');
  });

  test('is no error for a subscription that was removed', async () => {
    const id = await subscribeReader(house);
    await house.announce(rustJob(3));
    const links = pageLinks(await house.mail(2));
    await house.app.services.remove({ account: READER.account }, id);
    expect((await house.visit(links.unsubscribe!)).status).toBe(200);
    const done = await house.press(links.unsubscribe!, ONE_CLICK);
    expect(done.status).toBe(200);
    expect(await done.text()).not.toContain('/resubscribe/');
  });

  describe('offers something else to the person who pressed', () => {
    const caller = { account: READER.account };

    /**
     * Unsubscribes; returns the subscription, the page, and the links of its buttons by their label. `more`: what the
     * reader does once the address is confirmed.
     */
    async function unsubscribed(more: () => Promise<unknown> = async () => undefined) {
      const id = await subscribeReader(house);
      await more();
      await house.announce(rustJob(3));
      const links = pageLinks(await house.mail(2));
      const html = await (await house.press(links.unsubscribe!, ONE_CLICK)).text();
      const buttons = Object.fromEntries(
        [...html.matchAll(/action="([^"]+)"><button[^>]*>([^<]+)</gu)].map(([, url, label]) => [label, url]),
      );
      const report = () => house.app.services.subscription(caller, id);
      const { subscription } = await report();
      const stream = { ...caller, subscription: id, destination: subscription.destinations[0]!.id };
      const stoppedAt = () => house.app.services.mail!.stoppedAt(stream);
      return { id, html, links, buttons, report, stoppedAt };
    }

    test('with the day until which that is possible', async () => {
      const { html, buttons } = await unsubscribed();
      const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'Europe/Berlin' });
      expect(html).toContain(`undo this here until ${day.format(Date.now() + 30 * 86_400_000 + 1000)}`);
      expect(Object.keys(buttons)).toEqual([
        'Undo: I want these emails',
        'Once a week instead',
        'Pause for a month instead',
      ]);
    });

    test('a weekly email, with which nothing comes before its day', async () => {
      const { buttons, links, report, stoppedAt } = await unsubscribed();
      const link = buttons['Once a week instead']!;
      const html = await (await house.press(link)).text();
      expect(html).toContain('Once a week from now on');
      expect(html).toMatch(/Next email: Monday/u);
      const { subscription, state } = await report();
      expect(subscription.destinations[0]?.cadence).toMatchObject({ every: 'weekly', day: 'monday' });
      expect([state, await stoppedAt()]).toEqual(['active', undefined]);
      await house.announce(rustJob(4));
      await house.settled();
      expect((await report()).owed).toBe(1);
      expect(house.smtp.mails).toHaveLength(2);
      // Like the undo, it works once.
      expect((await house.press(link)).status).toBe(404);
      const again = await (await house.press(links.unsubscribe!, ONE_CLICK)).text();
      expect(again).not.toContain('Once a week instead');
    });

    test('no weekly email in place of one that became weekly meanwhile: its day stays', async () => {
      const { id, buttons, report, stoppedAt } = await unsubscribed();
      const [destination] = (await report()).subscription.destinations;
      await house.app.services.edit(caller, id, {
        destinationId: destination!.id,
        destination: { sink: 'email', target: READER.address, cadence: { weekly: 'friday' } },
      });
      await house.press(buttons['Once a week instead']!);
      expect((await report()).subscription.destinations[0]?.cadence).toMatchObject({ day: 'friday' });
      expect(await stoppedAt()).toBeUndefined();
    });

    test('a pause of a month, which sends nothing', async () => {
      const { buttons, report, stoppedAt } = await unsubscribed();
      await house.announce(rustJob(4));
      const html = await (await house.press(buttons['Pause for a month instead']!)).text();
      expect(html).toMatch(/Paused until \w+,? \d+ \w+ \d+\. Nothing is sent until then\./u);
      const { subscription, state } = await report();
      expect(subscription.pausedUntil).toBeGreaterThan(Date.now());
      expect([state, await stoppedAt()]).toEqual(['paused', undefined]);
      expect(house.smtp.mails).toHaveLength(2);
    });

    test('the end of all other subscriptions at the address', async () => {
      const { subscribe } = house.app.services;
      const place = (sink: string, target: string) => ({ sink, target, cadence: 'daily' });
      let [here, elsewhere]: Awaited<ReturnType<typeof subscribe>>[] = [];
      const { html, buttons, stoppedAt } = await unsubscribed(async () => {
        here = await subscribe(caller, {
          filter: { tags: ['solidity'] },
          destination: place('email', READER.address),
        });
        elsewhere = await subscribe(caller, {
          filter: { tags: ['defi'] },
          destination: place('console', ''),
        });
      });
      expect(html).toContain('You have one more subscription at this address.');
      const done = await (await house.press(buttons['Stop all of them']!)).text();
      expect(done).toContain('You get no more job emails');
      const { id, destinations } = here!.report.subscription;
      const other = { ...caller, subscription: id, destination: destinations[0]!.id };
      expect(await house.app.services.mail!.stoppedAt(other)).toBeDefined();
      expect(await stoppedAt()).toBeDefined();
      const { state } = await house.app.services.subscription(caller, elsewhere!.report.subscription.id);
      expect(state).toBe('active');
    });
  });
});
