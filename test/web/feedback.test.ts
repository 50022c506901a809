// Save, Not for me and More like this by the links of a mail: a link shows a page, a button does it, and chat shows the
// same.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { attributionFaults } from '../../src/domain/attribution.js';
import { printTerm } from '../../src/domain/rules/index.js';
import { sendReminders } from '../../src/pipeline/reminders.js';
import {
  linkOn,
  openReaderHouse,
  PAGES,
  pageLinks,
  READER,
  type ReaderHouse,
  rustJob,
  subscribeReader,
} from '../helpers/reader-house.js';
import { until } from '../helpers/until.js';

const JOB = rustJob(3);
const LINK = JOB.apply_url as string;
const DAY = 86_400_000;

/** The links of a mail to its postings' feedback pages, each as often as it is there. */
function feedbackLinks(html = ''): string[] {
  return [...html.matchAll(new RegExp(`href="(${PAGES}/feedback/[^"]+)"`, 'gu'))].map(
    ([, link]) => link as string,
  );
}

describe('a posting of a mail', () => {
  let house: ReaderHouse;
  let id: string;
  let save: string;
  let dismiss: string;
  let like: string;

  beforeEach(async () => {
    house = await openReaderHouse();
    id = await subscribeReader(house);
    await house.announce(JOB);
    [save = '', dismiss = '', like = ''] = feedbackLinks((await house.mail(2)).html);
  });

  afterEach(() => house.close());

  const marks = async () =>
    (await house.app.services.marks(READER.account)).map(({ mark, posting }) => [mark, posting.title]);
  const page = async (link: string) => (await house.visit(link)).text();
  /** Presses the button of a page that posts `value`, and follows to the page it leads to. */
  const press = async (link: string, value: string) => {
    const html = await page(link);
    expect(html).toContain(`name="do" value="${value}"`);
    const answer = await house.press(linkOn(html, 'feedback'), { do: value });
    expect(answer.status).toBe(303);
    return page(answer.headers.get('location') ?? '');
  };

  test('has a link to save it, to hide it and to get more like it, and opening them changes nothing', {
    tags: 'long',
  }, async () => {
    expect(save).toMatch(/\?do=saved$/u);
    expect(dismiss).toMatch(/\?do=dismissed$/u);
    expect(like).toMatch(/\?do=like$/u);
    const before = await house.state();
    for (const link of [save, dismiss, like])
      for (const method of ['GET', 'HEAD'])
        expect((await house.visit(link, { method })).status, method).toBe(200);
    const html = await page(save);
    expect(html).toContain('<h1>Rust Engineer 3</h1>');
    expect(html).toMatch(/<button type="submit">Save<\/button>/u);
    expect(html).toMatch(/<button type="submit" class="quiet">Not for me<\/button>/u);
    expect(await page(dismiss)).toMatch(/<button type="submit">Not for me<\/button>/u);
    expect(html).not.toContain('<script');
    expect(await marks()).toEqual([]);
    expect(await house.state()).toBe(before);
  });

  test('is saved by one press, where chat and the preferences show it, and one more undoes it', {
    tags: 'long',
  }, async () => {
    const saved = await press(save, 'saved');
    expect(saved).toContain('Saved. To see all you saved');
    expect(await marks()).toEqual([['saved', JOB.title]]);
    const { preferences = '' } = pageLinks(await house.mail(2));
    const listed = await page(preferences);
    expect(listed).toContain('Postings you saved');
    expect(attributionFaults({ format: 'html', body: listed }, [{ key: '3', applyUrl: LINK }])).toEqual([]);
    const undone = await press(save, 'undo');
    expect(undone).not.toContain('Saved.');
    expect(await marks()).toEqual([]);
    expect(await page(preferences)).not.toContain('Postings you saved');
  });

  test('that is not for its reader is hidden as in chat', { tags: 'long' }, async () => {
    expect(await press(dismiss, 'dismissed')).toContain('Not for you: this posting stays out');
    expect(await marks()).toEqual([['dismissed', JOB.title]]);
    expect(await page(pageLinks(await house.mail(2)).preferences ?? '')).not.toContain('Postings you saved');
  });

  test('that was marked in chat shows that mark, and can be marked differently', {
    tags: 'long',
  }, async () => {
    // An edition counts as sent a moment after its mail arrived.
    const record = await until(async () => (await house.app.services.editions(READER.account, 1))[0]);
    await house.app.services.mark(READER.account, record.id, 0, 'applied');
    expect(await page(save)).toContain('You marked this posting as applied.');
    await press(dismiss, 'dismissed');
    expect(await page(save)).toContain('Not for you');
    expect(await marks()).toEqual([['dismissed', JOB.title]]);
  });

  test('has its apply link byte for byte on its page, and the headers of every page', async () => {
    const answer = await house.visit(save);
    expect(
      attributionFaults({ format: 'html', body: await answer.text() }, [{ key: '3', applyUrl: LINK }]),
    ).toEqual([]);
    const other = await house.visit(pageLinks(await house.mail(2)).unsubscribe!);
    const kept = ({ headers }: Response) =>
      Object.fromEntries([...headers].filter(([name]) => !/^(?:date|content-length)$/u.test(name)));
    expect(kept(answer)).toEqual(kept(other));
    expect(kept(answer)['cache-control']).toBe('no-store');
  });

  test('keeps its page to those who have the link, for thirty days, and reveals no one', async () => {
    for (const link of [save, dismiss]) {
      expect(link).not.toMatch(/reader|1001/u);
      const [, token = ''] = /\/feedback\/([^?]+)/u.exec(link) ?? [];
      expect(Buffer.from(token.split('.').at(-1)!, 'base64url').toString('latin1')).not.toMatch(/1001/u);
      const damaged = `${PAGES}/feedback/${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
      for (const wrong of [damaged, `${PAGES}/feedback/x`, `${PAGES}/preferences/${token}`])
        expect((await house.visit(wrong)).status, wrong).toBe(404);
      expect((await house.press(damaged, { do: 'saved' })).status).toBe(404);
    }
    const { preferences = '' } = pageLinks(await house.mail(2));
    expect((await house.visit(preferences.replace('/preferences/', '/feedback/'))).status).toBe(404);
    expect((await house.press(save, { do: 'nonsense' })).status).toBe(303);
    expect(await marks()).toEqual([]);
    house.advance(31 * DAY);
    expect((await house.press(save, { do: 'saved' })).status).toBe(404);
    expect(await marks()).toEqual([]);
  });

  test('of a subscription that is gone can’t be marked', { tags: 'long' }, async () => {
    await house.app.services.remove({ account: READER.account }, id);
    for (const answer of [await house.visit(save), await house.press(save, { do: 'saved' })]) {
      expect(answer.status).toBe(410);
      expect(await answer.text()).toContain('no longer available');
    }
    expect(await marks()).toEqual([]);
  });

  const terms = async () =>
    (
      (await house.app.services.subscription({ account: READER.account }, id)).subscription.filter.terms ?? []
    ).map(printTerm);
  /** Presses a button for a change of the rule, and follows to the page it leads to. */
  const pressChange = async (html: string, action: string, choice: string) => {
    expect(html).toContain(
      `name="do" value="${action}"><input type="hidden" name="choice" value="${choice}"`,
    );
    const answer = await house.press(linkOn(html, 'feedback'), { do: action, choice });
    expect(answer.status).toBe(303);
    return page(answer.headers.get('location') ?? '');
  };

  test('that is not for its reader asks why, and changes the rule with its effect, until it is undone', {
    tags: 'long',
  }, async () => {
    const asked = await press(dismiss, 'dismissed');
    expect(asked).toContain('<h2>Why is it not for you?</h2>');
    expect(asked).toMatch(
      /The company: not at “Firm 3”<\/button><\/form>\s*<p class="details">In the last 30 days, it would have left out 1 of 3 postings\.<\/p>/u,
    );
    expect(asked).not.toContain('<script');
    expect(await terms()).toEqual([]);
    const changed = await pressChange(asked, 'change', 'not-company');
    expect(changed).toContain('role="status">Your rule now says: Rust, not at “Firm 3”.</p>');
    expect(await terms()).toEqual(['not company: Firm 3']);
    // Sent twice, as after a reload.
    await house.press(dismiss, { do: 'change', choice: 'not-company' });
    expect(await terms()).toEqual(['not company: Firm 3']);
    const both = await pressChange(changed, 'change', 'not-country');
    const undone = await pressChange(both, 'restore', 'not-company');
    expect(await terms()).toEqual(['not country: germany']);
    expect(undone).toContain('value="change"><input type="hidden" name="choice" value="not-company"');
    await house.press(dismiss, { do: 'restore', choice: 'not-company' });
    expect(await terms()).toEqual(['not country: germany']);
    expect((await house.press(dismiss, { do: 'change', choice: 'nonsense' })).status).toBe(303);
  });

  test('leads to what its reader may want more of, and puts it first', { tags: 'long' }, async () => {
    const [, more = ''] = /<a href="([^"]+\?do=like)">More like this<\/a>/u.exec(await page(save)) ?? [];
    expect(house.at(more)).toBe(house.at(like));
    const before = await house.state();
    const asked = await page(like);
    const question = asked.indexOf('<h2>What do you want more of?</h2>');
    expect(question).toBeGreaterThan(0);
    expect(asked.indexOf('name="do" value="saved"')).toBeGreaterThan(question);
    expect(asked).toContain('The company: preferably at “Firm 3”');
    expect(asked).toContain('it would have put 1 of 3 postings first.');
    expect(await house.state()).toBe(before);
    const made = await pressChange(asked, 'change', 'rather-company');
    expect(made).toContain('Your rule now says: Rust, preferably at “Firm 3”.');
    expect(await terms()).toEqual(['rather company: Firm 3']);
    expect(await pressChange(made, 'restore', 'rather-company')).toContain('What do you want more of?');
    expect([await terms(), await marks()]).toEqual([[], []]);
  });

  test('shows a change that was made in chat, and undoes it', { tags: 'long' }, async () => {
    const record = await until(async () => (await house.app.services.editions(READER.account, 1))[0]);
    const { key = '' } = record.postings[0] ?? {};
    await house.app.services.changeRule(READER.account, record.id, key, 'not-company');
    const asked = await press(dismiss, 'dismissed');
    expect(asked).toContain('Undo: not at “Firm 3”');
    await pressChange(asked, 'restore', 'not-company');
    expect(await terms()).toEqual([]);
  });

  test.each([
    [
      'de',
      'Warum ist sie nichts für dich?',
      'Die Firma: nicht bei „Firm 3“',
      'hätte sie damit 1 von 3 Stellen',
    ],
    ['es', '¿Por qué no es para ti?', 'La empresa: excepto en «Firm 3»', 'habría descartado 1 de 3 ofertas'],
  ])('asks in the language of the mail: %s', { tags: 'long' }, async (locale, question, offer, effect) => {
    await house.app.services.edit({ account: READER.account }, id, { locale });
    await house.announce(rustJob(4));
    const [, other = ''] = feedbackLinks((await house.mail(3)).html);
    await house.press(other, { do: 'dismissed' });
    const asked = await page(other);
    expect(asked).toContain(question);
    expect(asked).toContain(offer.replace('3', '4'));
    expect(asked).toContain(effect.replace('3', '4'));
  });

  test('leaves the way to fewer or more mails at the end of the mail', { tags: 'long' }, async () => {
    const mail = await house.mail(2);
    const [, link = ''] =
      /<a [^>]*href="([^"]+)"[^>]*>Send me fewer or more<\/a>/u.exec(mail.html ?? '') ?? [];
    expect(link).toBe(`${pageLinks(mail).preferences}#every`);
    expect(mail.text).toContain(`Send me fewer or more: ${link}`);
    expect(await page(link)).toContain('id="every"');
  });
});

describe('readers who share the operator’s account', () => {
  let house: ReaderHouse;

  afterEach(() => house.close());

  test('mark each for themselves', async () => {
    const targets = ['me@example.org', 'you@example.org'];
    house = await openReaderHouse({
      subscriptions: `- id: mine
  filter: { tags: [rust] }
  schedule: "* * * * * *"
  destinations:
${targets.map((target) => `    - { sink: email, target: ${target}, consented: true, cadence: immediate }`).join('\n')}
`,
    });
    const operator = { account: 'operator' };
    await until(async () => (await house.app.services.subscription(operator, 'mine')).polledAt !== undefined);
    await house.announce(JOB);
    await house.mail(2);
    const of = async (address: string) =>
      (await house.mails()).find((mail) => mail.to?.[0]?.address === address);
    const mine = await of('me@example.org');
    const [save = ''] = feedbackLinks(mine?.html);
    await house.press(save, { do: 'saved' });
    expect(await (await house.visit(save)).text()).toContain('Saved.');
    const [yours = ''] = feedbackLinks((await of('you@example.org'))?.html);
    expect(await (await house.visit(yours)).text()).not.toContain('Saved.');
    const preferences = async (address: string) =>
      (await house.visit(pageLinks((await of(address))!).preferences!)).text();
    expect(await preferences('me@example.org')).toContain(LINK.replaceAll('&', '&amp;'));
    expect(await preferences('you@example.org')).not.toContain('Postings you saved');
    await house.press(yours, { do: 'dismissed' });
    const locked = await (await house.visit(yours)).text();
    expect(locked).toContain('The operator keeps the rule that brought this posting in a file');
    expect(locked).not.toContain('name="choice"');
    await house.press(yours, { do: 'change', choice: 'not-company' });
    expect(
      (await house.app.services.subscription(operator, 'mine')).subscription.filter.terms,
    ).toBeUndefined();
    await house.app.services.eraseAccount('operator');
    for await (const [reader] of house.app.pipeline.stores.marks.entries()) expect(reader).toBe('');
  });

  test('turn reminders on by the link of their mails, and get the exact apply link before the last day', async () => {
    const targets = ['me@example.org', 'you@example.org'];
    house = await openReaderHouse({
      subscriptions: `- id: mine
  filter: { tags: [rust] }
  schedule: "* * * * * *"
  timezone: Europe/Berlin
  destinations:
${targets.map((target) => `    - { sink: email, target: ${target}, consented: true, cadence: immediate }`).join('\n')}
`,
    });
    const operator = { account: 'operator' };
    await until(async () => (await house.app.services.subscription(operator, 'mine')).polledAt !== undefined);
    const day = new Date(house.app.pipeline.clock.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    await house.announce({ ...JOB, description: `<p>Apply by ${day}.</p>` });
    await house.mail(2);
    const first = async (address: string) => (await house.mails(address))[0]!;
    const link = pageLinks(await first('me@example.org')).preferences!;
    const page = async () => (await house.visit(link)).text();
    // Nothing is saved yet, so there is nothing to be reminded of.
    expect(await page()).not.toContain('Turn on reminders');
    await house.press(feedbackLinks((await first('me@example.org')).html)[0] ?? '', { do: 'saved' });
    expect(await page()).toContain('Turn on reminders');
    await house.press(link, { do: 'remind' });
    expect(await page()).toContain('Turn off reminders');
    const { misc } = house.app.pipeline.stores;
    const rows = async () => {
      const keys: string[] = [];
      for await (const [key] of misc.entries('reminders:')) keys.push(key);
      return keys;
    };
    const [row = '', ...others] = await rows();
    expect(others).toEqual([]);
    // As if the next morning had come.
    const morning = async () => {
      await misc.update(row, () => ({ at: 0 }));
      await sendReminders(house.app.pipeline);
    };
    await morning();
    const mail = (await house.mail(2, 'me@example.org'))!;
    expect(mail.subject).toMatch(/^Deadline near: /u);
    expect(mail.text).toContain(`\nApply:\n${LINK}\n`);
    // The mail leads to the page that turns them off.
    expect(mail.text).toContain('/preferences/');
    await morning();
    expect(await house.mails('me@example.org')).toHaveLength(2);
    expect(await house.mails('you@example.org')).toHaveLength(1);
    await house.press(link, { do: 'forget' });
    expect(await rows()).toEqual([]);
    // Nothing is left when the marks are erased.
    await house.press(link, { do: 'remind' });
    await house.app.services.eraseAccount('operator');
    expect(await rows()).toEqual([]);
  });
});
