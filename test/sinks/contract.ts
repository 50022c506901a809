// What every sink must do, run against a real recipient. A new sink calls sinkContract with a harness; a sink that
// fails here would lose postings, send them twice under other ids, or break the link rules of the jobs API.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { attributionFaults, type Output } from '../../src/domain/attribution.js';
import type { EditionPosting } from '../../src/domain/edition.js';
import { DeliveryError, type DeliveryFault, UserError } from '../../src/domain/errors.js';
import { usableLink } from '../../src/domain/posting.js';
import type { Delivery, DeliveryContext, Sink } from '../../src/ports/sink.js';
import { until } from '../helpers/until.js';
import { contractDelivery, contractPosting, HOSTILE, NASTY_LINKS, realGuard } from './contract-data.js';

/** How a recipient can fail a delivery. */
export type FarFault = Exclude<DeliveryFault, 'program'>;

/** A sink and the recipient that it sends to, new for every test. */
export interface FarSide {
  readonly sink: Sink;
  /** A target as a person would write it. */
  readonly target: unknown;
  /** What the recipient has accepted, oldest first, each as its reader reads it. */
  received(): Promise<readonly Output[]> | readonly Output[];
  /** The id of each attempt that reached the recipient, accepted or not. Left out where the form has none. */
  ids?(): Promise<readonly string[]> | readonly string[];
  /** Makes the recipient answer the next attempt with a fault of this kind. Left out where it can't. */
  fail?(fault: FarFault): void;
  /** Makes the recipient take the next attempt and never answer. Left out where it can't. */
  hang?(): void;
  /** True once an attempt has reached a recipient that hangs. */
  reached?(): boolean;
  close(): Promise<void>;
}

export interface SinkHarness {
  open(): Promise<FarSide>;
  /** Targets the sink can't use. */
  readonly badTargets: readonly unknown[];
  /** Kinds of fault that the recipient can answer with. */
  readonly faults: readonly FarFault[];
  /** What no error may contain: parts of the target that may be secret. */
  readonly secrets?: readonly string[];
  /** Checks that hostile postings are harmless as the reader gets them. */
  harmless?(received: readonly Output[]): void;
  /** Further fields of a delivery of this sink. */
  readonly fields?: Partial<Delivery>;
}

/** Runs every rule of the sink contract against what `harness` opens. */
export function sinkContract(name: string, harness: SinkHarness): void {
  describe(`${name} keeps the sink contract`, () => {
    let far: FarSide;
    let target: string;
    beforeEach(async () => {
      far = await harness.open();
      target = far.sink.parseTarget(far.target);
      await far.sink.start?.();
    });
    afterEach(async () => {
      await far.sink.close?.();
      await far.close();
    });

    const deliveryOf = (fields: Partial<Delivery> = {}) =>
      contractDelivery(far.sink, target, { ...harness.fields, ...fields });

    /** Sends the postings as the pipeline would: split by the sink, one delivery per part, all of one edition. */
    async function send(postings: readonly EditionPosting[], context = realGuard): Promise<void> {
      const whole = deliveryOf({ postings });
      const parts = far.sink.pack?.(postings, whole.destination) ?? [postings];
      for (const [part, members] of parts.entries()) {
        const delivery = {
          ...whole,
          part,
          parts: parts.length,
          postings: members as readonly EditionPosting[],
        };
        await far.sink.deliver(delivery, target, context(delivery.postings));
      }
    }

    /** The error that an attempt ends with; fails when it succeeds. */
    async function failure(context: DeliveryContext, delivery = deliveryOf()): Promise<DeliveryError> {
      const error = await far.sink.deliver(delivery, target, context).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(DeliveryError);
      const { message, forOwner } = error as DeliveryError;
      for (const secret of harness.secrets ?? []) expect(`${message} ${forOwner}`).not.toContain(secret);
      return error as DeliveryError;
    }

    test('has a name, and one written form of each target', () => {
      expect(far.sink.name).toMatch(/^[a-z][a-z0-9-]*$/u);
      expect(far.sink.parseTarget(target)).toBe(target);
    });

    test.each(harness.badTargets.map((bad) => [bad]))('refuses the target %j with a sentence', (bad) => {
      const parse = () => far.sink.parseTarget(bad);
      expect(parse).toThrow(UserError);
      expect(parse).toThrow(/wanted|leave it out/u);
    });

    test('delivers every posting with its apply link byte for byte, and with the note where no HTML is read', async () => {
      const postings = NASTY_LINKS.map((applyUrl, index) => contractPosting(index + 1, { applyUrl }));
      expect(NASTY_LINKS.every(usableLink)).toBe(true);
      await send(postings);
      const received = await far.received();
      const faults = (output: Output, posting: EditionPosting) => attributionFaults(output, [posting]);
      for (const posting of postings) {
        const holding = received.filter(
          (output) => !/is missing or was/u.test(faults(output, posting).join()),
        );
        expect(holding.length, `messages that hold ${posting.applyUrl}`).toBeGreaterThan(0);
        for (const output of holding) expect(faults(output, posting)).toEqual([]);
      }
      const all = received.flatMap((output) => attributionFaults(output, postings));
      expect(all.filter((fault) => !fault.includes('is missing or was'))).toEqual([]);
    });

    test('shows the guard what it then sends', async () => {
      const postings = [contractPosting(1)];
      const context = realGuard(postings);
      await far.sink.deliver(deliveryOf(), target, context);
      expect(context.seen.length).toBeGreaterThan(0);
      for (const output of [...context.seen, ...(await far.received())])
        expect(attributionFaults(output, postings)).toEqual([]);
    });

    test('sends nothing when the guard objects', async () => {
      const refuse = {
        ...realGuard([]),
        guard() {
          throw new DeliveryError('content', 'held back');
        },
      };
      expect(await failure(refuse)).toMatchObject({ fault: 'content', message: 'held back' });
      expect(await far.received()).toEqual([]);
    });

    test.each([
      ['appends utm_source', (link: string) => `${link}&utm_source=jobcrier`],
      ['goes through a redirect', (link: string) => `https://t.example/?to=${encodeURIComponent(link)}`],
      ['takes the listing address', () => 'https://board.example/jobs/1'],
    ])('is stopped when its output %s', async (_what, change) => {
      // The sink gets altered links and the guard the true ones, which is the same as a sink that alters them.
      const posting = contractPosting(1);
      const altered = { ...posting, applyUrl: change(posting.applyUrl ?? '') };
      const error = await failure(realGuard([posting]), deliveryOf({ postings: [altered] }));
      expect(error.fault).toBe('content');
      expect(await far.received()).toEqual([]);
    });

    test('makes hostile fields harmless, and shows a posting without link or title', async () => {
      await send(HOSTILE);
      const received = await far.received();
      const text = received.map(({ body }) => body).join('\n');
      expect(text).not.toContain('board.example/jobs/');
      for (const { format, body } of received) {
        if (format === 'html') expect(body).not.toMatch(/<script>alert|<img src=x|href="javascript:/iu);
        expect(body).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/u);
      }
      harness.harmless?.(received);
    });

    test('shows people the number of postings over the cap', async () => {
      if (far.sink.audience === 'machines') return;
      await far.sink.deliver(
        deliveryOf({ more: 38, moreUrl: 'https://crier.example/editions/abc' }),
        target,
        realGuard([contractPosting(1)]),
      );
      const text = (await far.received()).map(({ body }) => body).join('\n');
      expect(text).toContain('38');
      expect(text).toContain('https://crier.example/editions/abc');
    });

    test('sends the same id on every attempt', async () => {
      const delivery = deliveryOf();
      await far.sink.deliver(delivery, target, realGuard(delivery.postings));
      await far.sink.deliver({ ...delivery, attempt: 2 }, target, realGuard(delivery.postings));
      if (!far.ids) return;
      const ids = await far.ids();
      expect(ids.length).toBeGreaterThan(0);
      expect(new Set(ids).size).toBe(1);
      const other = deliveryOf({ postings: [contractPosting(2)] });
      await far.sink.deliver(other, target, realGuard(other.postings));
      expect(new Set(await far.ids()).size).toBe(2);
    });

    test('does not start after it was stopped', async () => {
      const context = realGuard([contractPosting(1)], AbortSignal.abort());
      expect((await failure(context)).fault).toBe('outage');
      expect(await far.received()).toEqual([]);
    });

    test('stops waiting for a recipient that hangs', async () => {
      if (!far.hang) return;
      far.hang();
      const stop = new AbortController();
      const attempt = failure(realGuard([contractPosting(1)], stop.signal));
      await until(() => far.reached?.() ?? true, { what: 'the attempt to reach the recipient' });
      stop.abort();
      expect((await attempt).fault).toBe('outage');
    });

    test.each(harness.faults)('reports a fault of kind %s', async (fault) => {
      far.fail?.(fault);
      const error = await failure(realGuard([contractPosting(1)]));
      expect(error.fault).toBe(fault);
      expect(error.forOwner.length).toBeGreaterThan(10);
    });
  });
}
