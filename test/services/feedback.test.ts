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
});
