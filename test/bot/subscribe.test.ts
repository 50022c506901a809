// /jobs subscribe: input is read or asked for again, rights are checked where Discord can't, and a zone is asked for
// only if the cadence needs one.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BotHouse, openHouse } from '../helpers/bot-house.js';

let house: BotHouse;
beforeAll(async () => {
  house = await openHouse();
});
beforeEach(() => house.newServer());
afterEach(() => {
  expect(house.discord.violations).toEqual([]);
  expect(house.logs.filter((line) => line.message === 'interaction failed')).toEqual([]);
});
afterAll(() => house.close());

type Options = Parameters<BotHouse['admin']['slash']>[1];

async function subscribe(options: Options, user = house.admin, where: { guild?: { id: string } } = {}) {
  const reply = await user.slash('/jobs subscribe', options, { guild: house.guild, ...where }).reply();
  expect(reply.ephemeral).toBe(true);
  return reply;
}

const stored = () => house.app.services.subscriptions({ account: `discord:${house.admin.id}` });
async function only() {
  const [report, ...others] = await stored();
  expect(others).toEqual([]);
  return report?.subscription;
}

describe('what is understood', () => {
  test('is repeated in words, with what was translated', async () => {
    const reply = await subscribe({
      tags: 'solidity, zk, rails',
      country: 'USA',
      remote: true,
      exclude: 'intern',
      min_salary: 80,
      every: 'weekly',
      at: 'monday 9:00',
      timezone: 'berlin',
    });
    expect(reply.text).toMatch(/Solidity, ZK or Ruby, remote, in the United States, from \$80k/u);
    expect(reply.text).toMatch(/weekly on Monday 09:00 Europe\/Berlin/u);
    expect(reply.text).toMatch(/“USA” as United States/u);
    expect(reply.text).toMatch(/“rails” as Ruby/u);
    expect(reply.text).not.toContain('“zk”');
    expect((reply.text.match(/<t:\d+:R>/gu) ?? []).length).toBe(2);
    const subscription = await only();
    expect(subscription?.filter).toMatchObject({
      tags: ['solidity', 'zero-knowledge', 'ruby'],
      country: 'united-states',
      remote: true,
      minSalary: 80_000,
    });
    expect(subscription?.destinations[0]?.cadence).toEqual({
      every: 'weekly',
      day: 'monday',
      at: '09:00',
      timezone: 'Europe/Berlin',
    });
    // A weekly poll of a feed of the newest 100 would miss most of the week.
    expect(subscription?.schedule.cron).toBe('0 * * * *');
    expect(subscription?.guild).toBe(house.guild.id);
  });

  test('of one sentence is shown word by word, beside the other options', async () => {
    const want = 'senoir solidity, remote, no *gambling*, at least 90k EUR, rather small teams';
    const reply = await subscribe({ want, include: 'zk' });
    for (const line of [
      '“senoir”: senior (nearest match)',
      '“solidity”: Solidity',
      '“no \\*gambling”: without gambling',
      '“at least 90k EUR”: from €90k',
      '“rather small teams”: not used',
    ])
      expect(reply.text).toContain(line);
    expect((await only())?.filter).toMatchObject({
      tags: ['solidity'],
      remote: true,
      include: ['zk'],
      exclude: ['gambling'],
      terms: [
        { term: 'level', values: ['senior'], mode: 'require' },
        { term: 'pay', values: ['90000 EUR/year'], mode: 'require' },
      ],
    });
  });

  test('of one sentence is refused if it is nothing, or also given as an option', async () => {
    expect((await subscribe({ want: 'something nice' })).text).toMatch(
      /cannot use any word of the sentence/u,
    );
    expect((await subscribe({ want: 'rust, remote', tags: 'defi' })).text).toMatch(
      /also outside it: tags\./u,
    );
    expect(await only()).toBeUndefined();
  });

  test('of one sentence can be changed as one sentence, with its terms', async () => {
    await subscribe({ want: 'rust, remote, not at Acme, preferably senior' });
    const [report] = await stored();
    const panel = await house.admin
      .slash('/jobs edit', { subscription: report?.subscription.id ?? '' }, { guild: house.guild })
      .reply();
    const form = await house.admin.press(panel, 'As a sentence').modal();
    expect(JSON.stringify(form)).toContain('Rust, remote, not at Acme, preferably senior');
    const done = await house.admin
      .submit(form, { want: 'defi oder Rust, nicht bei Acme, am liebsten Staff, nette Leute' })
      .reply();
    expect(done.text).toContain('“am liebsten Staff”: preferably staff');
    expect(done.text).toContain('“nette Leute”: not used');
    const { filter } = (await only()) ?? {};
    expect(filter).toMatchObject({
      tags: ['defi', 'rust'],
      terms: [
        { term: 'company', values: ['Acme'], mode: 'exclude' },
        { term: 'level', values: ['staff'], mode: 'want' },
      ],
    });
    expect(filter?.remote).toBeUndefined();
  });

  test('or all faults are reported together, and nothing is stored', async () => {
    const reply = await subscribe({
      tags: 'soldity, rust',
      country: 'Germny',
      every: 'live',
      at: '25:00',
      timezone: 'Atlantis/City',
    });
    expect(reply.text).toMatch(/“soldity”.*solidity/u);
    expect(reply.text).toMatch(/“Germny”.*Germany/u);
    expect(reply.text).toMatch(/“25:00”/u);
    expect(reply.text).toMatch(/“Atlantis\/City”/u);
    expect(await stored()).toEqual([]);
  });
});

describe('the time zone', () => {
  test('is asked for when a digest needs one, and remembered', async () => {
    const question = await subscribe({ tags: 'rust', every: 'daily', at: '8am' });
    expect(question.text).toMatch(/time zone/u);
    expect(await stored()).toEqual([]);
    const menu = question.components[0] as { components: { custom_id: string }[] };
    const answer = await house.admin
      .select(question, menu.components[0]?.custom_id ?? '', ['Europe/Madrid'])
      .replyWhere((message) => message.text.includes('Understood'));
    expect(answer.text).toContain('daily at 08:00 Europe/Madrid');
    expect(answer.text).not.toContain('Which time zone');
    const next = await subscribe({ tags: 'solidity', every: 'daily' });
    expect(next.text).toContain('daily at 09:00 Europe/Madrid');
  });

  test('can be typed, and a second answer to the same question subscribes nothing', {
    tags: 'long',
  }, async () => {
    const question = await subscribe({ tags: 'rust', every: 'weekly' });
    const modal = await house.admin.press(question, 'Type another zone').modal();
    const wrong = await house.admin.submit(modal, { zone: 'Narnia' }).followUpsOf(1);
    expect(wrong[0]?.text).toMatch(/“Narnia”/u);
    expect(wrong[0]?.ephemeral).toBe(true);
    const again = await house.admin.press(question, 'Type another zone').modal();
    const stale = await house.admin.press(question, 'Type another zone').modal();
    const done = await house.admin
      .submit(again, { zone: 'kolkata' })
      .replyWhere((message) => message.text.includes('Understood'));
    expect(done.text).toContain('Asia/Kolkata');
    const twice = await house.admin.submit(stale, { zone: 'kolkata' }).followUpsOf(1);
    expect(twice[0]?.text).toMatch(/already answered/u);
    expect(await stored()).toHaveLength(1);
  });

  test('can be chosen after a restart', async () => {
    const question = await subscribe({ tags: 'rust', every: 'weekly' });
    await house.restartBot();
    const menu = question.components[0] as { components: { custom_id: string }[] };
    const answer = await house.admin
      .select(question, menu.components[0]?.custom_id ?? '', ['UTC'])
      .replyWhere((message) => message.text.includes('Understood'));
    expect(answer.text).toContain('UTC');
    expect(await stored()).toHaveLength(1);
  });

  test('is not asked for if nothing needs it', async () => {
    expect((await subscribe({ tags: 'rust', every: 'hourly' })).text).toContain('hourly');
  });
});
