// The same job in several places: a sink that joins it counts one card where people read, and each posting is still
// delivered, settled and explained by itself. Programs get every posting as before.
import { afterEach, describe, expect, test } from 'vitest';
import type { Job } from '../../src/board/job.js';
import type { Step } from '../../src/pipeline/context.js';
import { renderMessage } from '../../src/render/discord/message.js';
import { createCaptureSink } from '../helpers/capture-sink.js';
import { cardsIn } from '../helpers/discord-cards.js';
import { DAY, HOUR, job, type Lab, type LabOptions, openLab } from '../helpers/lab.js';

let lab: Lab;
let sink: ReturnType<typeof createCaptureSink>;
afterEach(() => lab.close());

/** The job of one name in a place. */
const inPlace = (id: number, title: string, location: string, fields: Job = {}) =>
  job(id, { title, company: 'Cobalt', location, ...fields });
const cities = (first: number, title: string, ...places: readonly string[]) =>
  places.map((place, index) => inPlace(first + index, title, place));
const sent = (from = sink) =>
  from.messages.map(({ postings, more }) => [postings.map(({ id }) => Number(id)), more]);
const states = async (...ids: number[]) =>
  Promise.all(ids.map(async (id) => (await lab.why(String(id))).destinations[0]?.state));

async function begin(destination: Record<string, unknown> = {}, options: LabOptions = {}): Promise<void> {
  sink = Object.assign(createCaptureSink('joining', options.size), { joins: true as const });
  lab = await openLab({ jobs: [], sinks: [sink], ...options });
  const destinations = [{ sink: 'joining', target: 'one', ...destination }];
  await lab.add({ schedule: '0 0 1 1 *', filter: { terms: ['rather level: senior'] }, destinations });
  await lab.poll();
}

async function appear(...jobs: readonly Job[]): Promise<void> {
  await lab.post(...jobs);
  await lab.poll();
}

describe('limits count cards', () => {
  test('the cap of an immediate destination, and what is over it are whole cards', async () => {
    await begin({ cap: 2 }, { pages: true });
    await appear(
      ...cities(1, 'Old', 'Berlin', 'Lisbon'),
      ...cities(3, 'Rust Engineer', 'Berlin', 'Lisbon', 'Porto'),
      inPlace(6, 'Editor', 'Oslo'),
    );
    expect(sent()).toEqual([[[5, 3, 4, 6], 2]]);
    expect(await states(1, 2, 3, 4, 5, 6)).toEqual(['more', 'more', 'sent', 'sent', 'sent', 'sent']);
    const record = await lab.services.edition(sink.messages[0]?.edition ?? '');
    expect([record?.postings.length, record?.rest.length]).toEqual([4, 2]);
  });

  test('the limit per day', async () => {
    await begin({ perDay: 2 });
    await appear(...cities(1, 'Rust Engineer', 'Berlin', 'Lisbon', 'Porto'));
    await appear(...cities(4, 'Editor', 'Berlin', 'Lisbon'), inPlace(6, 'Cook', 'Oslo', { salary: '$1' }));
    expect(sent()).toEqual([
      [[3, 1, 2], 0],
      [[6], 0],
    ]);
    expect(await states(1, 2, 3, 4, 5, 6)).toEqual(['sent', 'sent', 'sent', 'limit', 'limit', 'sent']);
  });

  test('the cap of a digest, whose cards are in the order of their leads', async () => {
    await begin({ cadence: { weekly: 'monday', at: '09:00' }, cap: 2 }, { pages: true });
    await appear(
      inPlace(1, 'Cook', 'Oslo', { postedAt: '2026-10-01' }),
      ...cities(2, 'Rust Engineer', 'Berlin', 'Lisbon'),
      inPlace(4, 'Senior Editor', 'Oslo'),
    );
    await lab.advance(7 * DAY);
    expect(sent()).toEqual([[[4, 3, 2], 1]]);
  });

  test('and postings where a sink joins nothing, or programs read', async () => {
    const machine = Object.assign(createCaptureSink('machine'), { audience: 'machines' as const });
    const plain = createCaptureSink('plain');
    sink = plain;
    lab = await openLab({ jobs: [], sinks: [machine, plain], pages: true });
    const destinations = ['machine', 'plain'].map((name) => ({ sink: name, target: 'one', cap: 2 }));
    await lab.add({ destinations });
    await lab.poll();
    await appear(...cities(1, 'Rust Engineer', 'Berlin', 'Lisbon', 'Porto'));
    expect(sent(machine)).toEqual([
      [[1, 2], 0],
      [[3], 0],
    ]);
    expect(sent(plain)).toEqual([[[2, 3], 1]]);
    expect(JSON.stringify(machine.messages)).not.toContain('"also"');
  });
});

test('a card in Discord is of the posting that leads the edition, and names every other place', async () => {
  await begin();
  await appear(...cities(1, 'Rust Engineer', 'Berlin', 'Lisbon', 'Porto'));
  const [delivery] = sink.messages;
  const [card, ...others] = cardsIn(delivery ? renderMessage(delivery) : {});
  expect(others).toEqual([]);
  expect(card?.url).toBe('https://board.example/r/j3__p');
  expect(card?.text).toContain(
    'also: [Berlin](<https://board.example/r/j1__p>), [Lisbon](<https://board.example/r/j2__p>)',
  );
});

test('a posting of a card that is refused is set aside by itself', async () => {
  await begin({}, { size: 2 });
  sink.poison.add('Rust Engineer - Lisbon');
  await appear(
    inPlace(1, 'Rust Engineer', 'Berlin'),
    inPlace(2, 'Rust Engineer - Lisbon', 'Lisbon'),
    inPlace(3, 'Rust Engineer', 'Porto'),
  );
  for (let n = 0; n < 8; n++) await lab.advance(6 * HOUR);
  expect(sink.got().toSorted()).toEqual(['1', '3']);
  expect(await states(1, 2, 3)).toEqual(['sent', 'parked', 'sent']);
});

const STEPS: readonly Step[] = ['dispatch.cut', 'dispatch.sending', 'dispatch.sent', 'dispatch.settled'];

test.each(STEPS)('after a kill at %s no place is lost, and a repeated message is the same', async (step) => {
  await begin({ cap: 2, perDay: 5 });
  await lab.post(...cities(1, 'Rust Engineer', 'Berlin', 'Lisbon', 'Porto'), inPlace(4, 'Editor', 'Oslo'));
  lab.crashAt(step);
  await lab.poll().catch(() => undefined);
  await lab.restart();
  await lab.poll();
  await lab.advance(HOUR);
  expect(sent()).toEqual([[[3, 1, 2, 4], 0]]);
  expect(new Set(sink.calls.map((one) => JSON.stringify([one.edition, renderMessage(one)]))).size).toBe(1);
  expect(sink.calls.length).toBeLessThanOrEqual(2);
  expect(await states(1, 2, 3, 4)).toEqual(['sent', 'sent', 'sent', 'sent']);
  const { today = {} } = (await lab.stores.ledgers.read('s')) ?? {};
  expect(Object.values(today).map(({ count }) => count)).toEqual([2]);
});
