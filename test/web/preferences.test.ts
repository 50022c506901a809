// The preferences page: changes of a reader are applied, faults are shown, and a link works only for its own reader.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { UserError } from '../../src/domain/errors.js';
import type { Subscription } from '../../src/domain/subscription.js';
import { TAGS } from '../../src/domain/tags.js';
import { later } from '../helpers/later.js';
import { ONLY_ON_REQUEST } from '../helpers/polled.js';
import {
  confirmLink,
  linkOn,
  newReader,
  openReaderHouse,
  PAGES,
  pageLinks,
  type Reader,
  type ReaderHouse,
  rustJob,
} from '../helpers/reader-house.js';

const FORM = {
  do: 'save',
  every: 'weekly',
  day: 'friday',
  at: '18:30',
  timezone: 'Asia/Kolkata',
  tags: ['rust', 'solidity'],
  country: 'germany',
  remote: 'yes',
  include: 'zk, protocol engineer',
  exclude: 'intern',
  minSalary: '80,000',
  dropUnknown: 'yes',
  cap: '25',
  locale: 'de',
};

describe('a reader with a separate account', () => {
  let shared: ReaderHouse;
  let house: ReaderHouse;
  let jobs = 2;
  let reader: Reader;
  let caller: { readonly account: string };
  let id: string;
  let link: string;

  beforeAll(async () => {
    shared = await openReaderHouse();
  });
  afterAll(() => shared.close());

  /** A reader of that house has just confirmed an address, which leads to this page. */
  async function enter(into: ReaderHouse): Promise<void> {
    house = into;
    reader = await newReader(house);
    caller = { account: reader.account };
    const { report } = await house.app.services.subscribe(
      { ...caller, locale: 'en' },
      {
        filter: { tags: ['rust'] },
        schedule: ONLY_ON_REQUEST,
        timezone: 'Europe/Berlin',
        destination: { sink: 'email', target: reader.address, cadence: 'immediate' },
      },
    );
    id = report.subscription.id;
    const confirmed = await house.press(confirmLink(await house.mail(1, reader.address)));
    link = PAGES + linkOn(await confirmed.text(), 'preferences').replace('?do=weekly', '');
  }

  beforeEach(() => enter(shared));
  afterEach(() => house.app.services.eraseAccount(reader.account));

  const stored = async (): Promise<Subscription> =>
    (await house.app.services.subscription(caller, id)).subscription;
  const page = async (path = link) => (await house.visit(path)).text();

  test('sees the present subscription', async () => {
    const html = await page();
    expect(html).toContain('Now: Rust; as soon as they appear.');
    expect(html).toMatch(/value="rust" checked/u);
    expect(html).not.toMatch(/value="solidity" checked/u);
    expect(html).toMatch(/<option value="immediate" selected>/u);
    expect(html).toMatch(
      /<optgroup label="Europe">[\s\S]*<option value="Europe\/Berlin" selected>Berlin<\/option>/u,
    );
    expect(html.match(/<option [^>]*selected>/gu)).toHaveLength(4);
    expect(html).toContain('Next email: as soon as a posting matches.');
  });

  test('sees the chosen tags first, and the others in groups', async () => {
    const html = await page();
    const summaries = [...html.matchAll(/<summary>([^<]+) <span[^>]*>(\d+)</gu)].map(([, ...of]) =>
      of.join(' '),
    );
    expect(summaries).toEqual([
      'Engineering 16',
      'Smart contracts 13',
      'Product and design 6',
      'Community and growth 7',
      'Other 13',
    ]);
    expect(html.indexOf('value="rust"')).toBeLessThan(html.indexOf('<details>'));
    expect(html.match(/name="tags"/gu)).toHaveLength(TAGS.length);
  });

  test('keeps the name of a zone that has a newer one', async () => {
    await house.press(link, { ...FORM, locale: 'en', timezone: 'Asia/Calcutta' });
    const html = await page();
    expect(html).toContain('<option value="Asia/Calcutta" selected>Calcutta</option>');
    expect(html).not.toContain('Asia/Kolkata">');
  });

  test('can add the tags of a role', async () => {
    await house.press(link, { ...FORM, preset: 'zk' });
    expect((await stored()).filter.tags).toEqual(['rust', 'solidity', 'zero-knowledge', 'cryptography']);
  });

  /** The fields of the form that restores the former settings; undefined without one. */
  function undoOf(html: string): Record<string, string | string[]> | undefined {
    const form = /<form(?:(?!<\/form>)[\s\S])*name="undo"/u.exec(html)?.[0];
    if (!form) return undefined;
    const fields: Record<string, string[]> = {};
    for (const [, name = '', value = ''] of form.matchAll(/name="(\w+)" value="([^"]*)"/gu))
      fields[name] = [...(fields[name] ?? []), value.replaceAll('&#34;', '"')];
    return { ...fields, undo: 'yes' };
  }

  test('can undo what was saved, once', async () => {
    await house.press(link, { ...FORM, include: '"San Francisco, CA", zero-knowledge', locale: 'en' });
    const before = await stored();
    const saved = await house.press(link, {
      ...FORM,
      every: 'hourly',
      tags: ['defi'],
      remote: '',
      include: 'x',
    });
    const html = await page(saved.headers.get('location')!);
    // Browsers keep addresses and proxies log them, so the former words can't be read there.
    const [, sealed = ''] = /\?done=saved&former=([\w-]+)$/u.exec(saved.headers.get('location')!) ?? [];
    expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toMatch(
      /zero-knowledge|Francisco|solidity|weekly/u,
    );
    expect(undoOf(await page(`${link}?done=saved&former=${sealed.slice(0, -2)}`))).toBeUndefined();
    expect(undoOf(await page(`${link}?done=saved&include=zk&every=weekly`))).toBeUndefined();
    const undone = await house.press(link, undoOf(html)!);
    expect(undone.headers.get('location')).toBe(`${new URL(link).pathname}?done=undone`);
    expect(await stored()).toEqual(before);
    const after = await page(undone.headers.get('location')!);
    expect(after).toContain('Undone.');
    expect(undoOf(after)).toBeUndefined();
  });

  test('sees no undo where nothing was changed', async () => {
    await house.press(link, { ...FORM, locale: 'en' });
    const again = await house.press(link, { ...FORM, locale: 'en' });
    expect(undoOf(await page(again.headers.get('location')!))).toBeUndefined();
    expect(undoOf(await page())).toBeUndefined();
  });

  test('sees how many postings a week match, for what is stored and for a form that is being changed', async () => {
    const postedAt = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10);
    for (let n = 0; n < 3; n++) await house.announce(rustJob(++jobs, { postedAt }));
    const found = (await house.app.services.estimate(caller, { tags: ['rust'] }))!;
    expect(found.perWeek).toBeGreaterThan(0);
    expect(await page()).toContain(`Matches about ${found.perWeek} postings a week.`);
    const before = await house.state();
    const count = async (fields: object) =>
      (await house.press(link, { ...FORM, do: 'count', ...fields })).text();
    const open = { country: '', include: '', exclude: '', minSalary: '', dropUnknown: '' };
    expect(await count({ ...open, tags: ['rust'] })).toBe(`Matches about ${found.perWeek} postings a week.`);
    expect(await count({ ...open, tags: ['rust', 'sales'] })).toMatch(/Not counted yet: Sales\.$/u);
    expect(await count({ ...open, tags: ['rust'], exclude: 'rust' })).toMatch(
      /^Of \d+ postings of the last four weeks, none matches\. The rule “without rust” alone leaves out \d+\.$/u,
    );
    expect(await count({ ...open, tags: ['sales'] })).toBe('');
    expect(await count({ ...open, minSalary: 'lots' })).toBe('');
    expect(await house.state()).toBe(before);
    const { filter } = await stored();
    await house.app.services.edit(caller, id, { filter: { ...filter, terms: ['not tag: rust'] } });
    expect(await count({ ...open, tags: ['rust'] })).toMatch(
      /none matches\. The rule “not tagged Rust” alone leaves out \d+/u,
    );
  });

  test('is counted for at most sixty times a minute, also at the same moment', { tags: 'long' }, async () => {
    const press = async () => (await house.press(link, { ...FORM, do: 'count' })).status;
    const first = await Promise.all(Array.from({ length: 70 }, press));
    expect(first.filter((status) => status === 200)).toHaveLength(60);
    expect(first.filter((status) => status === 429)).toHaveLength(10);
    house.advance(60_000);
    expect(await press()).toBe(200);
  });

  test('can choose a weekly email with one press, at the hour of the former ones', async () => {
    await house.press(link, { ...FORM, every: 'daily', at: '07:15', locale: 'en' });
    expect((await house.press(`${link}?do=weekly`)).status).toBe(303);
    const { destinations, filter } = await stored();
    expect(destinations[0]?.cadence).toMatchObject({ every: 'weekly', day: 'monday', at: '07:15' });
    expect(filter.include).toEqual(['zk', 'protocol engineer']);
    await (await house.visit(`${link}?do=pause`)).text();
    expect((await house.app.services.subscription(caller, id)).state).toBe('active');
  });

  test('can pause for a month, and sees the day it ends', async () => {
    await house.press(link, { do: 'month' });
    const { pausedAt = 0, pausedUntil = 0 } = await stored();
    expect(pausedUntil - pausedAt).toBeCloseTo(30 * 86_400_000, -3);
    const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'Europe/Berlin' });
    expect(await page()).toContain(`Paused until ${day.format(pausedUntil)}. Nothing is sent until then.`);
  });

  test('can change everything in the form, and it is stored', async () => {
    const answer = await house.press(link, FORM);
    expect(answer.status).toBe(303);
    const html = await page(answer.headers.get('location')!);
    expect(html).toContain('Gespeichert');
    const { filter, destinations, locale, schedule } = await stored();
    expect(filter).toMatchObject({
      tags: ['rust', 'solidity'],
      country: 'germany',
      remote: true,
      include: ['zk', 'protocol engineer'],
      exclude: ['intern'],
      minSalary: 80_000,
      payUnknown: 'drop',
      limit: 100,
    });
    expect(destinations).toMatchObject([
      {
        sink: 'email',
        target: reader.address,
        cap: 25,
        cadence: { every: 'weekly', day: 'friday', at: '18:30', timezone: 'Asia/Kolkata' },
      },
    ]);
    expect(locale).toBe('de');
    expect(schedule.cron).toBe(ONLY_ON_REQUEST);
    expect(html).toMatch(/Nächste E-Mail: Freitag.*18:30/u);
  });

  test('can use a word that contains a comma, also when the form is saved again', async () => {
    const include = ['San Francisco, CA', 'zk'];
    await house.press(link, { ...FORM, include: '"San Francisco, CA", zk' });
    expect((await stored()).filter.include).toEqual(include);
    const [, shown = ''] = /name="include"[^>]* value="([^"]*)"/u.exec(await page()) ?? [];
    await house.press(link, { ...FORM, include: shown.replaceAll('&quot;', '"').replaceAll('&#34;', '"') });
    expect((await stored()).filter.include).toEqual(include);
  });

  test('keeps the terms of the filter when the form has no field for them', async () => {
    const terms = ['level: senior', 'rather region: EU'];
    await house.app.services.edit(caller, id, { filter: { tags: ['rust'], terms } });
    const former = (await stored()).filter.terms;
    expect(former).toHaveLength(2);
    await house.press(link, FORM);
    expect((await stored()).filter).toMatchObject({ country: 'germany', terms: former });
    expect(await page()).toMatch(/Senior, am liebsten Region: EU/u);
  });

  test('changes the terms of the filter as a sentence, which is shown again, and undoes it', async () => {
    const { services } = house.app;
    const shown = async (html?: string) =>
      /<textarea[^>]*name="want"[^>]*>([^<]*)</u.exec(html ?? (await page()))?.[1];
    await services.edit(caller, id, { filter: { tags: ['rust'], terms: ['level: senior'] } });
    const former = await stored();
    const sentence = (await shown()) as string;
    expect(sentence).toBe('senior');
    // Saved as it was shown, nothing changes.
    const own = { do: 'save', every: 'daily', at: '07:00', timezone: 'UTC', tags: 'rust', locale: 'en' };
    await house.press(link, { ...own, want: sentence });
    expect((await stored()).filter).toEqual(former.filter);
    const answer = await house.press(link, { ...own, want: 'senior or staff, in Europe,\r\nremote' });
    expect(answer.status).toBe(303);
    expect((await stored()).filter).toMatchObject({
      tags: ['rust'],
      remote: true,
      terms: [
        { term: 'level', mode: 'require', values: ['senior', 'staff'] },
        { term: 'region', mode: 'require', values: ['europe'] },
      ],
    });
    const html = await page(answer.headers.get('location') as string);
    expect(await shown(html)).toBe('senior or staff, in Europe');
    const fields = undoOf(html) ?? {};
    expect(fields.want).toEqual(['senior']);
    await house.press(link, fields);
    expect((await stored()).filter).toEqual(former.filter);
    await house.press(link, { ...own, want: '' });
    expect((await stored()).filter.terms).toBeUndefined();
  });

  test('sees which words of a sentence are not used, and what it repeats, and nothing is changed', async () => {
    const before = await stored();
    const said = async (fields: Record<string, string>) => {
      const answer = await house.press(link, { ...FORM, locale: 'en', ...fields });
      expect(answer.status).toBe(422);
      const html = await answer.text();
      return [...html.matchAll(/<li><a href="#([^"]+)">([^<]+)</gu)].map(([, field, text]) => [field, text]);
    };
    expect(await said({ want: 'senior, with a blorple and flurb', cap: '0' })).toEqual([
      ['want', expect.stringMatching(/cannot be used: .*blorple.*flurb/u)],
      ['cap', expect.any(String)],
    ]);
    expect(await said({ want: 'senior, solidity, at least 90k' })).toEqual([
      ['want', expect.stringContaining('tags, minSalary')],
    ]);
    expect(await said({ want: `senior, no ${'x'.repeat(1000)}` })).toEqual([
      ['want', expect.stringContaining('1000 characters')],
    ]);
    expect(await stored()).toEqual(before);
  });

  test('keeps terms that are too long for the form, until a sentence replaces them', async () => {
    const terms = Array.from(
      { length: 12 },
      (_, n) => `not words: ${`${n}${'word'.repeat(14)}`}, ${`${n}${'term'.repeat(14)}`}`,
    );
    await house.app.services.edit(caller, id, { filter: { tags: ['rust'], terms } });
    const former = (await stored()).filter.terms;
    expect(former).toHaveLength(12);
    expect(await page()).toContain('They stay as they are');
    await house.press(link, { ...FORM, want: '' });
    expect((await stored()).filter.terms).toEqual(former);
    const answer = await house.press(link, { ...FORM, want: 'senior' });
    expect((await stored()).filter.terms).toHaveLength(1);
    expect(answer.headers.get('location')).not.toContain('every=');
  });

  test('sees that there is an access key, and can revoke it but not make one', async () => {
    const { services } = house.app;
    expect(await page()).not.toContain('Access for programs');
    await house.press(link, { do: 'key' });
    expect(await services.accessKey(reader.account)).toBeUndefined();
    const key = await services.makeAccessKey(reader.account, true);
    const html = await page();
    expect(html).toMatch(/Access for programs.*value="revoke"/su);
    expect(html).not.toContain(key.reveal());
    expect((await house.press(link, { do: 'revoke' })).status).toBe(303);
    expect(await services.openAccessKey(key)).toBeUndefined();
    expect(await page()).not.toContain('Access for programs');
  });

  test('can empty fields', async () => {
    await house.press(link, FORM);
    await house.press(link, { do: 'save', every: 'daily', at: '07:00', timezone: 'UTC', locale: 'en' });
    const { filter, destinations } = await stored();
    expect(filter).toEqual({ tags: [], include: [], exclude: [], payUnknown: 'keep', limit: 100 });
    expect(destinations[0]?.cap).toBeUndefined();
    expect(destinations[0]?.cadence).toEqual({ every: 'daily', at: '07:00', timezone: 'UTC' });
  });

  const WRONG = {
    ...FORM,
    every: 'sometimes',
    timezone: 'Mars/Olympus',
    tags: ['rust', 'nonsense'],
    country: 'atlantis',
    include: 'x'.repeat(61),
    minSalary: 'lots',
    cap: '9999',
  };

  test('sees all faults together, with the typed input, and nothing is changed', async () => {
    const before = await stored();
    const answer = await house.press(link, WRONG);
    expect(answer.status).toBe(422);
    const html = await answer.text();
    expect(html).toContain('role="alert"');
    for (const field of ['every', 'timezone', 'tags', 'country', 'include', 'minSalary', 'cap'])
      expect(html).toContain(`<li><a href="#${field}">`);
    expect(html.match(/<li><a href="#/gu)).toHaveLength(7);
    expect(html).toContain('Time zone: “Mars/Olympus” is not a time zone I know.');
    expect(html).toMatch(/<select id="timezone"[^>]* aria-invalid="true"/u);
    for (const field of ['include', 'minSalary', 'cap'])
      expect(html).toMatch(new RegExp(`<input id="${field}"[^>]* aria-invalid="true"`, 'u'));
    expect(html.match(/aria-invalid/gu)).toHaveLength(6);
    expect(html).toContain('<option value="Europe/Berlin" selected>');
    expect(html).toContain(`value="${'x'.repeat(61)}"`);
    expect(html).toContain('value="intern"');
    expect(await stored()).toEqual(before);
  });

  test('sees which country was probably meant', async () => {
    const html = await (await house.press(link, { ...FORM, country: 'germny' })).text();
    expect(html).toContain('“germny” is not a country I know. Did you mean Germany');
  });

  test.each([
    ['de', 'Zeitzone: „Mars/Olympus“', /Mindestgehalt pro Jahr in Dollar: „lots“ ist kein Jahresgehalt/u],
    ['es', 'Zona horaria: «Mars/Olympus»', /Salario anual mínimo en dólares: «lots» no es/u],
  ])('sees faults in their language: %s', async (locale, zone, pay) => {
    await house.press(link, { ...FORM, locale });
    const html = await (await house.press(link, { ...WRONG, at: '25:00', every: 'daily' })).text();
    expect(html).toContain(zone);
    expect(html).toMatch(pay);
    expect(html).not.toMatch(/wanted|is not|at most|did you mean/iu);
  });

  test('sees which field is wrong', async () => {
    const wrong: readonly (readonly [string, object])[] = [
      ['at', { every: 'daily', at: 'noon' }],
      ['day', { every: 'weekly', day: 'someday' }],
      ['tags', { tags: TAGS.slice(0, 11) }],
      ['exclude', { exclude: Array.from({ length: 21 }, (_, n) => `word${n}`).join(',') }],
      ['cap', { cap: '0' }],
      ['cap', { cap: '1.5' }],
      ['minSalary', { minSalary: '-5' }],
    ];
    for (const [field, fields] of wrong) {
      const html = await (await house.press(link, { ...FORM, ...fields })).text();
      expect(html.match(/<li><a href="#[^"]+">/gu), JSON.stringify(fields)).toEqual([
        `<li><a href="#${field}">`,
      ]);
    }
  });

  test('can write pay in several ways', async () => {
    const ways = [
      ['80k', 80_000],
      ['€ 80.000', 80_000],
      ['80.5k', 80_500],
      ['120 000', 120_000],
      ['', undefined],
    ] as const;
    for (const [minSalary, amount] of ways) {
      expect((await house.press(link, { ...FORM, minSalary })).status, minSalary).toBe(303);
      expect((await stored()).filter.minSalary, minSalary).toBe(amount);
    }
  });

  test('sees no empty choice except those that mean anywhere and no role', async () => {
    const html = await page();
    expect(html.match(/<option value="">[^<]*/gu)).toEqual([
      '<option value="">No role',
      '<option value="">Anywhere',
    ]);
  });

  test('sees typed input as text, never as markup', async () => {
    const evil = '"><script>alert(1)</script>';
    const answer = await house.press(link, { ...FORM, include: evil, timezone: evil });
    expect(await answer.text()).not.toContain('<script>alert');
  });

  test('can pause and resume', async () => {
    expect((await house.press(link, { do: 'pause' })).status).toBe(303);
    expect((await house.app.services.subscription(caller, id)).state).toBe('paused');
    expect(await page()).toContain('Paused: nothing is sent');
    await house.press(link, { do: 'resume' });
    expect((await house.app.services.subscription(caller, id)).state).toBe('active');
  });

  test('changes nothing by an unknown or empty post', async () => {
    const before = await house.state();
    for (const fields of [{}, { do: 'whatever' }, { sure: 'yes' }])
      expect((await house.press(link, fields)).status).toBe(200);
    const odd = await fetch(house.at(link), {
      method: 'POST',
      body: '{"do":"erase","sure":"yes"}',
      headers: { 'Content-Type': 'application/json' },
    });
    expect(odd.status).toBe(200);
    expect(await house.state()).toBe(before);
  });

  test('sees nothing of the other subscriptions of the account', async () => {
    const { report } = await house.app.services.subscribe(caller, {
      filter: { tags: ['solidity'] },
      destination: { sink: 'email', target: reader.address, cadence: 'daily' },
    });
    const html = await page();
    expect(html).not.toContain(report.subscription.id);
    expect(html.match(/Solidity/gu)).toHaveLength(1);
    expect(html.match(/\/preferences\/[\w.-]+/gu)?.every((one) => link.endsWith(one))).toBe(true);
    expect((await house.visit(linkOn(html, 'feed'))).status).toBe(200);
  });

  test('of a destination without mails has no link to unsubscribe', async () => {
    await house.app.services.edit(caller, id, {
      destination: { sink: 'console', target: '', cadence: 'daily' },
    });
    const html = await page();
    expect(html).toContain('Now: Rust');
    expect(html).not.toContain('/unsubscribe/');
  });

  test('sees that saving failed, and the reason is logged', async () => {
    const services = house.app.services as { edit: unknown };
    const { edit } = services;
    services.edit = async () => {
      throw new UserError('email: off here.');
    };
    const html = await (await house.press(link, FORM)).text();
    services.edit = edit;
    expect(html).toContain('This could not be saved, and nothing was changed.');
    expect(html).not.toContain('off here');
    expect(house.log.lines.join()).toContain('email: off here.');
  });

  /** Requests an action by the link in a mail, and returns the link that is mailed. */
  async function mailed(what: string, count: number): Promise<string> {
    const asked = await house.press(link, { do: what, sure: 'yes' });
    const html = await asked.text();
    expect(asked.headers.get('content-disposition')).toBeNull();
    expect(html).toContain('Check your inbox');
    expect(html).not.toMatch(/\/confirm\/|reader-\d/u);
    return confirmLink(await house.mail(count, reader.address));
  }

  test('can download all data except the token, by a mailed link that works once', async () => {
    const get = await mailed('export', 2);
    expect((await house.mails(reader.address))[1]?.subject).toBe(
      'Confirm: download your data (Example Jobs)',
    );
    const shown = await house.visit(get);
    expect(await shown.text()).toContain('Download your data?');
    const answer = await house.press(get);
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(answer.headers.get('content-disposition')).toContain('attachment');
    const text = await answer.text();
    const data = JSON.parse(text);
    expect(data.mail.addresses).toMatchObject([
      { address: reader.address, consent: { confirmedAt: expect.any(Number) } },
    ]);
    expect(data.subscriptions).toHaveLength(1);
    expect(text).not.toContain(house.board.token);
    for (const again of [await house.press(get), await house.visit(get)]) expect(again.status).toBe(404);
  });

  test('can delete everything by a mailed link, and not by the link in a forwarded mail', async () => {
    const get = await mailed('erase', 2);
    expect(await (await house.visit(get)).text()).toContain('Delete everything?');
    expect(await house.app.services.profile(reader.account)).toBeDefined();
    const done = await house.press(get);
    const html = await done.text();
    expect(html).toContain('Everything is deleted');
    expect(html).toContain('/help in Discord');
    expect(html).not.toContain('backups');
    expect(await house.app.services.profile(reader.account)).toBeUndefined();
    expect(await house.app.services.subscriptions(caller)).toEqual([]);
    expect((await house.visit(link)).status).toBe(404);
    await house.announce(rustJob(++jobs));
    expect(await house.state()).not.toContain(reader.address);
    expect(await house.mails(reader.address)).toHaveLength(2);
  });

  test('sees when the last backup with their data is deleted', async () => {
    await house.app.services.eraseAccount(reader.account);
    const own = await openReaderHouse({ env: { BACKUP_KEEP: '7' } });
    later(() => own.close());
    await enter(own);
    const html = await (await house.press(await mailed('erase', 2))).text();
    const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' });
    expect(html).toContain(`They are deleted by ${day.format(Date.now() + 8 * 86_400_000)}.`);
  });

  test('can use a mailed link for an hour, until another one is requested or the address changes', async () => {
    const first = await mailed('export', 2);
    const second = await mailed('erase', 3);
    expect((await house.press(first)).status).toBe(404);
    house.advance(3_600_000);
    expect((await house.press(second)).status).toBe(404);
    const third = await mailed('erase', 4);
    await house.app.services.mail!.setAddress(reader.account, 'moved@example.org', 'en');
    await house.press(confirmLink(await house.mail(1, 'moved@example.org')));
    expect((await house.press(third)).status).toBe(404);
    expect(await house.app.services.profile(reader.account)).toBeDefined();
    // Links in the mails to the former address do not work either.
    expect((await house.visit(link)).status).toBe(404);
  });

  test('gets at most three such mails a day, however often they are requested', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => house.press(link, { do: 'export' })));
    const titles = await Promise.all(all.map((one) => one.text()));
    expect(titles.filter((html) => html.includes('Check your inbox'))).toHaveLength(3);
    expect(titles.filter((html) => html.includes('Not now'))).toHaveLength(5);
    expect(await house.mails(reader.address)).toHaveLength(4);
  });

  test('loses the feed when its links are revoked', async () => {
    const feed = linkOn(await page(), 'feed');
    expect((await house.visit(feed)).status).toBe(200);
    await house.app.services.mail!.setAddress(reader.account, 'new@example.org', 'en');
    await house.press(confirmLink(await house.mail(1, 'new@example.org')));
    for (const old of [feed, link]) expect((await house.visit(old)).status).toBe(404);
  });

  test('can subscribe again here after unsubscribing', async () => {
    await house.announce(rustJob(++jobs));
    const links = pageLinks(await house.mail(2, reader.address));
    await house.press(links.unsubscribe!);
    const html = await page(links.preferences);
    expect(html).toContain('You are unsubscribed from these emails.');
    await house.press(linkOn(html, 'resubscribe'));
    expect(await page()).not.toContain('You are unsubscribed');
  });
});
