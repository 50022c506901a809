// "Not for me" and "More like this": the owner of a rule changes it because of a posting, sees the effect on the last
// weeks, and can undo it. Other readers can't change it.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UserError } from '../../src/domain/errors.js';
import { printTerm } from '../../src/domain/rules/index.js';
import { DAY, job, type Lab, openLab } from '../helpers/lab.js';

let lab: Lab;
let id: string;
let edition: string;
const alice = { account: 'alice' };

beforeEach(async () => {
  lab = await openLab({
    jobs: [job(1, { company: 'Acme' }), job(2, { company: 'Acme GmbH', title: 'Senior Rust Engineer' })],
  });
  const { report } = await lab.services.subscribe(alice, {
    filter: { tags: ['rust'] },
    destination: { sink: 'capture', target: 'one' },
  });
  id = report.subscription.id;
  await lab.post(job(3, { company: 'Acme', title: 'Senior Rust Engineer', tags: ['rust', 'defi'] }), job(4));
  await lab.poll(id);
  const [sent] = await lab.services.editions('alice', 1);
  edition = sent?.id ?? '';
});
afterEach(() => lab.close());

const advice = (reader = 'alice') => lab.services.ruleAdvice(reader, edition, 'id:3');
const change = (choice: string, reader = 'alice') => lab.services.changeRule(reader, edition, 'id:3', choice);
const undo = (choice: string, reader = 'alice') => lab.services.undoRule(reader, edition, 'id:3', choice);
const terms = async () =>
  ((await lab.services.subscription(alice, id)).subscription.filter.terms ?? []).map(printTerm);
const faultOf = async (failing: Promise<unknown>) => {
  const error = await failing.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof UserError ? error.fault?.name : error;
};

describe('the advice on a posting', () => {
  test('names each change with its effect on the last 30 days', async () => {
    const { offers, locked } = await advice();
    expect(locked).toBeUndefined();
    expect(offers.map(({ id: choice, effect }) => [choice, effect.count, effect.of])).toEqual([
      ['not-company', 3, 4],
      ['not-level', 2, 4],
      ['not-tag-1', 1, 4],
      ['not-role', 2, 4],
      ['rather-company', 3, 4],
      ['rather-level', 2, 4],
      ['rather-tag-1', 1, 4],
      ['rather-role', 2, 4],
    ]);
    await lab.advance(31 * DAY);
    expect((await advice()).offers[0]?.effect).toEqual({ of: 0, count: 0 });
  });

  test('says to everyone but the owner why they can’t change the rule', async () => {
    for (const reader of ['bob', 'operator/one']) {
      expect(await advice(reader)).toMatchObject({ locked: 'notYourRule', offers: [] });
      expect(await faultOf(change('not-company', reader))).toBe('notYourRule');
      expect(await faultOf(undo('not-company', reader))).toBe('notYourRule');
    }
    await lab.change(id, (before) => ({ ...before, origin: 'file' }));
    expect(await advice()).toMatchObject({ locked: 'ruleInFile', offers: [] });
    expect(await faultOf(change('not-company'))).toBe('ruleInFile');
    expect(await terms()).toEqual([]);
    await lab.services.remove(alice, id).catch(() => lab.stores.subscriptions.remove(id));
    expect(await faultOf(advice())).toBe('cardGone');
  });
});

describe('a change', () => {
  test('keeps later postings like it out, and lets them in again when it is undone', async () => {
    await change('not-company');
    expect(await terms()).toEqual(['not company: Acme']);
    await lab.post(job(5, { company: 'ACME Inc.' }), job(6));
    await lab.poll(id);
    expect(lab.sink.got()).toEqual(['3', '4', '6']);
    await undo('not-company');
    expect(await terms()).toEqual([]);
    await lab.post(job(7, { company: 'Acme' }));
    await lab.poll(id);
    expect(lab.sink.got()).toEqual(['3', '4', '6', '7']);
  });

  test('is made once and undone once, however often it is asked for', async () => {
    await Promise.all([change('not-company'), change('not-company')]);
    await change('not-company');
    expect(await terms()).toEqual(['not company: Acme']);
    await Promise.all([undo('not-company'), undo('not-company')]);
    await undo('not-company');
    expect(await terms()).toEqual([]);
  });

  test('of two at the same moment both hold, and each is undone by itself', async () => {
    await Promise.all([change('not-company'), change('rather-level')]);
    expect((await terms()).toSorted()).toEqual(['not company: Acme', 'rather level: senior']);
    expect(
      (await advice()).offers
        .filter((one) => one.isMade)
        .map((one) => one.id)
        .toSorted(),
    ).toEqual(['not-company', 'rather-level']);
    await undo('not-company');
    expect(await terms()).toEqual(['rather level: senior']);
  });

  test('that its owner removed in the meantime is offered again, and its undo changes nothing', async () => {
    await change('not-company');
    await lab.services.edit(alice, id, { filter: { tags: ['rust'], terms: ['not level: junior'] } });
    expect((await advice()).offers.find((one) => one.id === 'not-company')?.isMade).toBe(false);
    await undo('not-company');
    expect(await terms()).toEqual(['not level: junior']);
  });

  test('that no longer fits the rule is refused', async () => {
    await lab.services.edit(alice, id, { filter: { tags: ['rust'], terms: ['not company: Acme'] } });
    expect(await faultOf(change('not-company'))).toBe('ruleChanged');
    expect(await faultOf(change('nonsense'))).toBe('ruleChanged');
    await undo('not-company');
    expect(await terms()).toEqual(['not company: Acme']);
  });

  test('is in the export of the account, and erased with it', async () => {
    await change('not-company');
    const exported = JSON.stringify(await lab.services.exportAccount('alice'));
    expect(exported).toContain('"not-company"');
    await lab.services.eraseAccount('alice');
    expect(await lab.stores.marks.get('alice')).toBeUndefined();
  });

  test('because of one posting leaves the offers on another as they are', async () => {
    await change('not-level');
    const other = async () => (await lab.services.ruleAdvice('alice', edition, 'id:4')).offers;
    expect((await other()).filter((one) => one.isMade)).toEqual([]);
    await lab.services.changeRule('alice', edition, 'id:4', 'not-company');
    expect((await other()).map((one) => [one.id, one.isMade]).slice(0, 2)).toEqual([
      ['not-company', true],
      ['rather-company', false],
    ]);
    expect((await advice()).offers.filter((one) => one.isMade).map((one) => one.id)).toEqual(['not-level']);
    // Each is listed once.
    const ids = (await other()).map((one) => one.id);
    expect(ids).toEqual([...new Set(ids)]);
    await lab.services.undoRule('alice', edition, 'id:4', 'not-company');
    expect(
      (await lab.stores.marks.get('alice'))?.changes?.map((one) => [one.posting, one.choice.id]),
    ).toEqual([['id:3', 'not-level']]);
  });

  test('of one subscription does not count for another of the same person', async () => {
    const { report } = await lab.services.subscribe(alice, {
      filter: { tags: ['rust'] },
      destination: { sink: 'capture', target: 'two' },
    });
    await lab.post(job(8, { company: 'Acme' }));
    for (const one of [id, report.subscription.id]) await lab.poll(one);
    const editions = await lab.services.editions('alice', 9);
    const [first, second] = [id, report.subscription.id].map(
      (one) =>
        editions.find(({ subscription, postings }) => subscription === one && postings.length === 1)?.id ??
        '',
    ) as [string, string];
    await lab.services.changeRule('alice', first, 'id:8', 'not-company');
    const made = async (of: string) =>
      (await lab.services.ruleAdvice('alice', of, 'id:8')).offers.filter((one) => one.isMade).length;
    expect([await made(first), await made(second)]).toEqual([1, 0]);
    await lab.services.changeRule('alice', second, 'id:8', 'not-company');
    expect([await made(first), await made(second)]).toEqual([1, 1]);
    await lab.services.undoRule('alice', second, 'id:8', 'not-company');
    expect([await made(first), await made(second)]).toEqual([1, 0]);
    expect((await lab.stores.marks.get('alice'))?.changes).toHaveLength(1);
  });

  test('of the oldest goes first when there are too many, and the newest is first', async () => {
    await change('not-company');
    const [made] = (await lab.stores.marks.get('alice'))?.changes ?? [];
    if (!made) throw new Error('nothing was made');
    await lab.stores.marks.update('alice', (before) => ({
      hiddenCompanies: [],
      hiddenTags: [],
      postings: before?.postings ?? {},
      changes: Array.from({ length: 200 }, (_, n) => ({ ...made, posting: `id:x${n}` })),
    }));
    await change('not-level');
    const { changes = [] } = (await lab.stores.marks.get('alice')) ?? {};
    expect(changes).toHaveLength(200);
    expect(changes[0]).toMatchObject({ posting: 'id:3', choice: { id: 'not-level' }, subscription: id });
    expect(changes.at(-1)?.posting).toBe('id:x198');
  });

  test('that is refused says why, and leaves the rule and the notes about it', async () => {
    const messageOf = (failing: Promise<unknown>) => failing.catch((error: Error) => error.message);
    expect(await messageOf(change('not-company', 'bob'))).toBe(
      'The rule that brought this posting belongs to another person, who can change it.',
    );
    expect(await messageOf(change('nonsense'))).toBe(
      'The rule has changed since, so this no longer fits. Open the posting again to see what does.',
    );
    await lab.change(id, (before) => ({ ...before, origin: 'file' }));
    expect(await messageOf(undo('not-company'))).toBe(
      'The operator keeps this rule in a file. Only the operator can change it.',
    );
    expect(await lab.stores.marks.get('alice')).toBeUndefined();
    expect(await lab.stores.marks.get('bob')).toBeUndefined();
    for (const [of, key] of [
      ['gone', 'id:3'],
      [edition, 'id:gone'],
    ] as const)
      expect(await faultOf(lab.services.ruleAdvice('alice', of, key))).toBe('cardGone');
  });
});
