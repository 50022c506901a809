// For any order of polls, cuts, attempts, crashes, pauses and refusals: no match is lost, nothing is sent twice
// unless the crash came between "sent" and "settled", and everything keeps its order. Each run plays random steps on
// the ledger and on a simple model, which predicts the outcome.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_WISHES } from '../../src/domain/fit.js';
import { EMPTY_LEDGER, type Ledger, pending, record } from '../../src/domain/ledger.js';
import { withDestinations } from '../../src/domain/moving.js';
import {
  attempt,
  cut,
  giveBack,
  nextRefused,
  openEdition,
  putOff,
  refuse,
  settlePart,
} from '../../src/domain/outbox.js';
import { park, parkedNow, unpark } from '../../src/domain/parking.js';
import type { ListedPosting } from '../../src/domain/recognise.js';
import { seenBound } from '../../src/domain/seen.js';
import { readPosting } from '../helpers/postings.js';
import { runs } from '../helpers/runs.js';

const TAGS = ['rust', 'defi'] as const;
const PLACES = ['a', 'b', 'c'] as const;
type Place = (typeof PLACES)[number];
const LIMIT = 4;

interface Ad {
  readonly id: string;
  readonly tags: readonly string[];
  readonly matches: boolean;
  /** Ads of one look are the same job under another id. */
  readonly look: number;
  /** Refused by every recipient. */
  readonly poison: boolean;
}

const place = fc.constantFrom(...PLACES);
const some = fc.array(fc.nat(9), { maxLength: 3 });
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('publish' as const),
      tags: fc.subarray([...TAGS], { minLength: 1 }),
      matches: fc.boolean(),
      // One look only: a whole window of several old titles under new ids would be a change of keys.
      look: fc.oneof({ weight: 3, arbitrary: fc.constant(-1) }, fc.constant(0)),
      poison: fc.nat(9).map((n) => n === 0),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('poll' as const),
      // Which tags have changed answers, which old ads come back, and in which order.
      changed: fc.subarray([...TAGS], { minLength: 1 }),
      back: some,
      shuffle: fc.nat(5),
      crash: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('tags' as const),
      tags: fc.subarray([...TAGS], { minLength: 1 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('cut' as const),
      place,
      cap: fc.integer({ min: 1, max: 4 }),
      crash: fc.boolean(),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('attempt' as const),
      place,
      ends: fc.constantFrom('well', 'well', 'crash before', 'crash after', 'away', 'target', 'stopped'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('resume' as const, 'pause' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('remove' as const, 'add' as const, 'move' as const), place }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.integer({ min: -48, max: 200 }) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function createWorld() {
  let ledger: Ledger = EMPTY_LEDGER;
  let now = Date.UTC(2026, 10, 21);
  let tags: readonly string[] = ['rust'];
  let places: readonly Place[] = ['a', 'b'];
  let paused = false;
  let pausedAt: number | undefined;
  let resumedAt: number | undefined;
  const ads: Ad[] = [];

  // The state of the model.
  const known = new Set<string>();
  const looks = new Set<number>();
  let asked: readonly string[] | undefined;
  let pauseOver = true;
  /** What each place must get, in order. */
  const wanted: Record<Place, string[]> = { a: [], b: [], c: [] };
  const arrived: Record<Place, { message: string; ids: readonly string[] }[]> = { a: [], b: [], c: [] };
  /** Accepted by the recipient and not yet settled: the one message that may be repeated. */
  const unsettled: Partial<Record<Place, string>> = {};
  /** Removed while an answer was open: a posting that comes back to such a place may already be there. */
  const leftInDoubt = new Set<Place>();
  /** Places of an edition with more postings than it shows: the best come first there. */
  const bestFirst = new Set<Place>();

  function run(one: Step): void {
    now++;
    if (one.do === 'publish') ads.push({ ...one, id: String(ads.length) });
    else if (one.do === 'poll') pollNow(one);
    else if (one.do === 'tags') tags = one.tags;
    else if (one.do === 'cut') cutNow(one.place, one.cap, one.crash);
    else if (one.do === 'attempt') attemptNow(one.place, one.ends);
    else if (one.do === 'wait') now += one.hours * 3_600_000;
    else if (one.do === 'pause') pause();
    else if (one.do === 'resume') resume();
    else if (one.do === 'add' || one.do === 'remove') change(one.do, one.place);
    else if (one.do === 'move') move(one.place);
    check();
  }

  function pause(): void {
    if (paused) return;
    paused = true;
    pausedAt = now;
    pauseOver = false;
  }

  function resume(): void {
    paused = false;
    resumedAt = (resumedAt ?? 0) + 1;
  }

  function change(how: 'add' | 'remove', place: Place): void {
    const others = places.filter((one) => one !== place);
    places = how === 'add' ? [...others, place] : others;
    ledger = withDestinations(ledger, places, now);
    if (how === 'add') return;
    if (unsettled[place]) leftInDoubt.add(place);
    delete unsettled[place];
  }

  /** Another place replaces it and gets what waits: in the same order, and nothing that it has had before. */
  function move(from: Place): void {
    const to = PLACES.find((one) => !places.includes(one) && !leftInDoubt.has(one));
    if (!to || !places.includes(from)) return;
    const owed = new Set(owedTo(from));
    const had = new Set(arrived[to].flatMap((message) => message.ids));
    const moving = wanted[from].filter((id) => owed.has(id) && !had.has(id));
    wanted[to] = [...wanted[to].filter((id) => !moving.includes(id)), ...moving];
    places = places.map((one) => (one === from ? to : one));
    ledger = withDestinations(ledger, places, now);
    if (unsettled[from]) leftInDoubt.add(from);
    delete unsettled[from];
    delete unsettled[to];
  }

  function questions(): string[] {
    return tags.map((tag) => `${tag}|||${LIMIT}`);
  }

  /** The newest few of a tag, some old ones on top again, in any order. */
  function answer(tag: string, back: readonly number[], shuffle: number): Ad[] {
    const all = ads.filter((ad) => ad.tags.includes(tag)).reverse();
    const old = back.flatMap((n) => all[n % Math.max(all.length, 1)] ?? []);
    const top = [...new Set([...old, ...all])].slice(0, LIMIT);
    return [...top.slice(shuffle % LIMIT), ...top.slice(0, shuffle % LIMIT)];
  }

  function pollNow({ changed, back, shuffle, crash }: Extract<Step, { do: 'poll' }>): void {
    if (paused) return;
    const isFirst = ledger.baselineAt === undefined;
    // A tag that was not requested before has no version to compare with.
    const answered = tags.filter((tag) => changed.includes(tag as 'rust') || !asked?.includes(tag));
    const found = new Map<string, { ad: Ad; by: string[] }>();
    for (const tag of isFirst ? tags : answered)
      for (const [index, ad] of answer(tag, back, shuffle).entries()) {
        const former = found.get(ad.id) ?? { ad, by: [] };
        former.by.push(`${tag}|||${index + 1}`);
        found.set(ad.id, former);
      }
    const findings: ListedPosting[] = [...found.values()].map(({ ad, by }) => ({
      ...readPosting(ad.id, ad.look < 0 ? {} : { title: 'Same', company: `Look ${ad.look}` }),
      verdict: ad.matches ? { ok: true, matched: [] } : { ok: false, rule: 'include: x' },
      by,
    }));
    const next = record(ledger, findings, {
      now,
      asked: questions(),
      answered: (isFirst ? tags : answered).map((tag) => `${tag}|||${LIMIT}`),
      destinations: places,
      ...(pausedAt === undefined ? {} : { pause: pausedAt }),
      newest: 0,
      reposts: false,
    });
    if (crash) return;
    ledger = next.ledger;
    const news: string[] = [];
    for (const { ad, by } of found.values()) {
      if (known.has(ad.id)) continue;
      known.add(ad.id);
      const isRepost = ad.look >= 0 && looks.has(ad.look);
      if (ad.matches && ad.look >= 0) looks.add(ad.look);
      const isAsked = by.some((question) => asked?.includes(question.split('|')[0] as string));
      const isSilent = !isFirst && !pauseOver;
      if (!isFirst && ad.matches && !isSilent && isAsked && !isRepost) news.push(ad.id);
    }
    for (const one of places) wanted[one].push(...news.toReversed());
    asked = tags;
    pauseOver = true;
  }

  function cutNow(place: Place, cap: number, crash: boolean): void {
    if (!places.includes(place) || openEdition(ledger, place)) return;
    const next = cut(ledger, {
      subscription: 's',
      destination: place,
      cadence: { every: 'immediate', timezone: 'UTC' },
      slot: now,
      now,
      cap,
      over: cap % 2 === 0 ? 'page' : 'editions',
      wishes: NO_WISHES,
      pack: (owed) => [owed.slice(0, 2), owed.slice(2)].filter((part) => part.length > 0),
    });
    if (crash) return;
    // Postings over the cap that are not shown after all, because the last message was refused, come after newer
    // ones.
    if (cap % 2 === 0 && pending(ledger, place).length > cap) bestFirst.add(place);
    ledger = next;
  }

  function attemptNow(place: Place, ends: Extract<Step, { do: 'attempt' }>['ends']): void {
    if (paused || !places.includes(place)) return;
    if (parkedNow(ledger, place, resumedAt)) return;
    if (place in ledger.parked) ledger = unpark(ledger, place, now);
    const edition = openEdition(ledger, place) ?? nextRefused(ledger, place);
    if (!edition) return;
    const { id, sent, parts } = edition;
    ledger = attempt(ledger, id);
    const keys = (parts[sent] ?? []).map((key) => key.slice(3));
    if (ends === 'crash before') return;
    if (ends === 'stopped') ledger = giveBack(ledger, id);
    else if (ends === 'away') ledger = putOff(ledger, id, 'away', now, 20 * 3_600_000).ledger;
    else if (ends === 'target') ledger = park(giveBack(ledger, id), place, { why: 'gone' }, now, resumedAt);
    else if (keys.some((key) => ads[Number(key)]?.poison)) ledger = refuse(ledger, id, 'bad', now).ledger;
    else accept(place, `${id}/${sent}`, keys, ends === 'crash after');
  }

  function accept(place: Place, message: string, ids: readonly string[], crash: boolean): void {
    const again = arrived[place].find((one) => one.message === message);
    if (again) {
      // The recipient recognizes it by its id, and the content is the same.
      expect(unsettled[place]).toBe(message);
      expect(again.ids).toEqual(ids);
    } else arrived[place].push({ message, ids });
    unsettled[place] = message;
    if (crash) return;
    delete unsettled[place];
    ledger = settlePart(ledger, message.split('/')[0] as string, now);
  }

  function check(): void {
    for (const place of PLACES) {
      const got = arrived[place].flatMap((message) => message.ids);
      // Once each, and in the order in which they were added.
      expect(new Set(got).size).toBe(got.length);
      const inOrder = wanted[place].filter((id) => got.includes(id));
      if (!bestFirst.has(place)) expect(got).toEqual(inOrder);
      expect(new Set(got)).toEqual(new Set(inOrder));
      const left = new Set(owedTo(place));
      const done = (id: string) => ledger.done[`id:${id}`]?.[place]?.how;
      // A destination that was removed and added again has its old postings dropped.
      for (const id of wanted[place])
        expect([id, left.has(id) !== (done(id) !== undefined)]).toEqual([id, true]);
      for (const id of left) expect(wanted[place]).toContain(id);
      for (const id of got)
        expect(done(id) ?? (left.has(id) ? 'unsettled' : 'lost')).toMatch(
          /^(?:sent|unsettled|dropped|expired|moved)$/u,
        );
    }
    expect(new Set(Object.keys(ledger.seen))).toEqual(new Set([...known].map((id) => `id:${id}`)));
    expect(Object.keys(ledger.seen).length).toBeLessThanOrEqual(seenBound(2, 8));
  }

  function owedTo(place: Place): string[] {
    const held = ledger.editions
      .filter((edition) => edition.destination === place)
      .flatMap((edition) => [...edition.parts.slice(edition.sent).flat(), ...edition.rest]);
    return [
      ...held.map((key) => key.slice(3)),
      ...pending(ledger, place).map((owed) => owed.posting.id ?? ''),
    ];
  }

  /** Everything works again: every waiting posting must arrive, be parked or be counted. */
  function finish(): void {
    resume();
    for (const place of places) {
      for (let round = 0; owedTo(place).length > 0; round++) {
        expect(round).toBeLessThan(2000);
        cutNow(place, 3, false);
        attemptNow(place, 'well');
        check();
      }
    }
    expect(ledger.editions.filter((edition) => places.includes(edition.destination as Place))).toEqual([]);
    expect(ledger.outbox).toEqual([]);
  }

  return { run, finish };
}

test('no match is lost, and nothing is repeated except under the same id', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 120, size: 'max' }), (steps) => {
      const world = createWorld();
      for (const one of steps) world.run(one);
      world.finish();
    }),
    { numRuns: runs(250) },
  );
});
