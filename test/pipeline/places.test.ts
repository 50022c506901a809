// Places that are gone, off or given up: their owner is notified once, and what waits for them expires.
import { afterEach, describe, expect, test } from 'vitest';
import { DeliveryError, StoreError } from '../../src/domain/errors.js';
import { DAY, HOUR, job, type Lab, type LabOptions, openLab } from '../helpers/lab.js';

let lab: Lab;
const owner = { account: 'operator' };
afterEach(() => lab.close());

/** A lab whose subscription has had its baseline. */
async function begin(options: LabOptions = {}, entry: Record<string, unknown> = {}): Promise<void> {
  lab = await openLab(options);
  await lab.add(entry);
  await lab.poll();
}

const kinds = () => lab.notices.map(({ kind }) => kind);

describe('a place that is gone', () => {
  const forOwner = 'Let the bot into the channel.';
  const gone = new DeliveryError('target', 'no access', { forOwner, fix: 'channelHidden' });

  test('parks immediately, its owner is notified once, and a resume frees it', async () => {
    await begin();
    lab.sink.script('one', gone);
    await lab.post(job(2));
    await lab.poll();
    await lab.post(job(3));
    await lab.poll();
    await lab.advance(DAY);
    expect(lab.sink.calls).toHaveLength(1);
    expect(lab.notices).toMatchObject([
      { kind: 'destination', text: forOwner, data: { fix: 'channelHidden', about: expect.any(String) } },
    ]);
    // The recipient's words are for the operator. The owner gets a name that has a text in every language.
    const reason = { why: 'no access', fix: 'channelHidden' };
    expect((await lab.services.history(owner, 's'))[0]).toMatchObject({ kind: 'parked', ...reason });
    expect(await lab.why('3')).toMatchObject({ destinations: [{ state: 'parked', ...reason }] });
    expect(await lab.services.subscription(owner, 's')).toMatchObject({
      state: 'parked',
      owed: 2,
      stuck: [{ ...reason, state: 'parked' }],
    });
    await lab.restart();
    expect(lab.sink.calls).toHaveLength(1);
    await lab.services.resume(owner, 's');
    await lab.settled();
    expect(lab.sink.got()).toEqual(['2', '3']);
    expect((await lab.services.subscription(owner, 's')).state).toBe('active');
  });

  test('is reported again when it is gone again', async () => {
    await begin();
    lab.sink.script('one', gone, 'well', gone);
    for (const id of [2, 3]) {
      await lab.post(job(id));
      await lab.poll();
      await lab.services.resume(owner, 's');
      await lab.settled();
    }
    expect(kinds()).toEqual(['destination', 'destination']);
    expect(lab.sink.got()).toEqual(['2', '3']);
  });

  test('is reported although the store failed to record the notice', async () => {
    await begin();
    lab.sink.script('one', gone, gone, gone);
    lab.broken.set('notices.update', new StoreError('full', 'no room'));
    await lab.post(job(2));
    await lab.poll();
    lab.broken.clear();
    await lab.advance(HOUR);
    expect(kinds()).toEqual(['destination']);
  });

  test('does not affect the other places of the subscription', async () => {
    await begin({}, { destinations: ['one', 'two'].map((target) => ({ sink: 'capture', target })) });
    lab.sink.script('one', gone);
    await lab.post(job(2));
    await lab.poll();
    expect([lab.sink.got('one'), lab.sink.got('two')]).toEqual([[], ['2']]);
  });

  test('for over 30 days: what waits for it expires, and nothing of another place does', async () => {
    const weekly = { sink: 'capture', target: 'two', cadence: { weekly: 'monday', cron: '0 9 1 * *' } };
    await begin({}, { destinations: [{ sink: 'capture', target: 'one' }, weekly] });
    lab.sink.script('one', gone);
    await lab.post(job(2));
    await lab.poll();
    lab.clock.advance(31 * DAY);
    await lab.post(job(3));
    await lab.poll();
    const [one, two] = (await lab.why('2')).destinations;
    expect([one?.state, two?.state]).toEqual(['expired', 'sent']);
  });
});

test('notifies the owner of a sink that is off, and sends everything when it is back', async () => {
  await begin();
  lab.sinks.delete('capture');
  await lab.post(job(2));
  await lab.poll();
  expect(lab.notices).toMatchObject([{ kind: 'destination', data: { sink: 'capture' } }]);
  await lab.restart();
  lab.sinks.set('capture', lab.sink);
  await lab.restart();
  expect(lab.sink.got()).toEqual(['2']);
});
