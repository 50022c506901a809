// What is kept about a company, for its card; and a company that is followed.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EditionRecord } from '../../src/ports/stores.js';
import { DAY, job, type Lab, MINUTE, openLab } from '../helpers/lab.js';

let lab: Lab;
let id: string;
let record: EditionRecord;
const alice = { account: 'alice' };
const HERE = { sink: 'capture', target: 'dm:1' };
const paid = (salary: string, more = {}) => ({ company: 'Acme', salary, ...more });

beforeEach(async () => {
  lab = await openLab({ jobs: [job(1, paid('$80k - 100k')), job(2, { company: 'Acme Bank' })] });
  const { report } = await lab.services.subscribe(alice, {
    filter: { tags: ['rust'] },
    destination: { sink: 'capture', target: 'one' },
  });
  id = report.subscription.id;
  await lab.post(job(3, paid('$120k', { company: 'ACME Inc.' })), job(4, paid('€60k')), job(5));
  await lab.poll(id);
  record = (await lab.services.editions('alice', 1))[0] as EditionRecord;
});
afterEach(() => lab.close());

const card = (account = 'alice') => lab.services.company(account, record, 'Acme');
const companies = async () =>
  (await lab.services.subscriptions(alice)).flatMap(({ subscription: { filter, destinations } }) =>
    (filter.terms ?? []).map(({ values }) => `${values.join()} to ${destinations[0]?.target}`),
  );

describe('the card of a company', () => {
  test('counts its postings, those that are open, its pay and what the person did', async () => {
    expect(await card()).toMatchObject({ listed: 3, open: 3, marks: [], isFollowed: false, isMuted: false });
    expect((await card()).pay).toMatchObject({ min: 80_000, max: 120_000, currency: 'USD' });
    await lab.board.setJobs([job(3, paid('$120k', { company: 'ACME Inc.' }))]);
    await lab.poll(id);
    expect(await card()).toMatchObject({ listed: 3, open: 1 });
    await lab.services.markKept('alice', 'id:3', 'applied');
    await lab.services.markKept('alice', 'id:5', 'saved');
    expect((await card()).marks).toEqual([{ mark: 'applied', at: lab.clock.now() }]);
    await lab.services.hide('alice', { company: 'acme' });
    expect((await card()).isMuted).toBe(true);
    await lab.advance(91 * DAY);
    expect(await card()).toMatchObject({ listed: 0, open: 0 });
  });

  test('shows another reader only what the subscription of the message found', async () => {
    const { report } = await lab.services.subscribe(alice, {
      filter: { tags: ['defi'] },
      destination: { sink: 'capture', target: 'two' },
    });
    await lab.post(job(6, paid('$500k', { tags: ['defi'] })));
    await lab.poll(report.subscription.id);
    expect(await card()).toMatchObject({ listed: 4, open: 4, pay: { max: 500_000 } });
    await lab.services.markKept('alice', 'id:3', 'applied');
    expect(await card('bob')).toMatchObject({ listed: 3, open: 3, marks: [], pay: { max: 120_000 } });
  });
});

test('has the marks of its postings, the newest first, and of no other posting', async () => {
  await lab.post(job(8, { company: '' }));
  await lab.poll(id);
  await lab.services.markKept('alice', 'id:3', 'saved');
  lab.clock.advance(MINUTE);
  await lab.services.markKept('alice', 'id:4', 'applied');
  await lab.services.markKept('alice', 'id:8', 'applied');
  expect((await card()).marks).toEqual([
    { mark: 'applied', at: lab.clock.now() },
    { mark: 'saved', at: lab.clock.now() - MINUTE },
  ]);
});

test('is muted if it is among the hidden companies, and only then', async () => {
  await lab.services.hide('alice', { company: 'Cobalt' });
  expect((await card()).isMuted).toBe(false);
  await lab.services.hide('alice', { company: 'ACME' });
  expect((await card()).isMuted).toBe(true);
  expect((await card('bob')).isMuted).toBe(false);
});

describe('a company that is followed', () => {
  test('comes to its follower from the next posting on, and no other company does', async () => {
    await lab.services.followCompany(alice, 'Acme', HERE);
    await lab.services.followCompany(alice, 'Acme', HERE);
    expect(await companies()).toEqual(['Acme to dm:1']);
    expect((await card()).isFollowed).toBe(true);
    await lab.post(job(6, { company: 'Acme Labs', tags: ['sales'] }), job(7, { tags: ['sales'] }));
    await lab.advance(DAY);
    expect(lab.sink.got('dm:1')).toEqual(['6']);
  });

  test('shares one subscription with the others, which goes with the last one', async () => {
    await lab.services.followCompany(alice, 'Acme', HERE);
    await lab.services.followCompany(alice, 'Cobalt', HERE);
    expect(await companies()).toEqual(['Acme,Cobalt to dm:1']);
    await lab.services.unfollowCompany(alice, 'ACME Inc.');
    await lab.services.unfollowCompany(alice, 'Acme');
    expect(await companies()).toEqual(['Cobalt to dm:1']);
    await lab.services.unfollowCompany(alice, 'Cobalt');
    expect(await companies()).toEqual([]);
    expect(await lab.services.subscriptions(alice)).toHaveLength(1);
  });

  test.each<[string, object]>([
    ['the subscriptions file', { id: 'f', filter: { terms: ['company: Acme'] }, fromFile: true }],
    ['a rule with more than companies', { filter: { tags: ['rust'], terms: ['company: Acme'] } }],
    ['a rule with words', { filter: { include: ['rust'], terms: ['company: Acme'] } }],
    ['two terms', { filter: { terms: ['company: Acme', 'level: senior'] } }],
    ['a term of another kind', { filter: { terms: ['words: Acme'] } }],
    ['a company that is left out', { filter: { terms: ['not company: Acme'] } }],
    ['a company that comes first', { filter: { terms: ['rather company: Acme'] } }],
  ])('is not one that is in %s', async (_where, { fromFile, ...entry }: { fromFile?: boolean }) => {
    await lab.add({ id: 'other', account: 'alice', destinations: [{ ...HERE, target: 'dm:2' }], ...entry });
    if (fromFile) await lab.change('f', (before) => ({ ...before, origin: 'file' }));
    expect((await card()).isFollowed).toBe(false);
    await lab.services.unfollowCompany(alice, 'Acme');
    expect(await lab.services.subscriptions(alice)).toHaveLength(2);
    await lab.services.followCompany(alice, 'Acme', HERE);
    expect(await lab.services.subscriptions(alice)).toHaveLength(3);
    expect((await card()).isFollowed).toBe(true);
  });

  test('is one of several: which one decides', async () => {
    await lab.services.followCompany(alice, 'Cobalt', HERE);
    expect((await card()).isFollowed).toBe(false);
    await lab.services.unfollowCompany(alice, 'Acme');
    expect(await companies()).toEqual(['Cobalt to dm:1']);
    await lab.services.followCompany(alice, 'Acme', HERE);
    await lab.services.followCompany(alice, 'acme', HERE);
    expect(await companies()).toEqual(['Cobalt,Acme to dm:1']);
    expect((await card()).isFollowed).toBe(true);
  });

  test('needs a token, as every subscription does', async () => {
    await expect(lab.services.followCompany({ account: 'eve' }, 'Acme', HERE)).rejects.toThrow(
      'no API token',
    );
  });
});
