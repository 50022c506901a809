// A place that appears later for a job whose card is in the channel: it is added to the card, and no second card is posted.
// The message itself says what it has, so an edit may be repeated. Nothing but ids and names of places is stored.
import { createHash } from 'node:crypto';
import { DiscordFault } from '../../discord/fault.js';
import type { DiscordRest } from '../../discord/rest.js';
import { type EditionPosting, postingRef } from '../../domain/edition.js';
import { asDeliveryError, reasonOf } from '../../domain/errors.js';
import { cardsOf, isSamePlace, jobIn, MOST_PLACES, mayJoin, onCard } from '../../domain/same-job.js';
import type { Delivery, DeliveryContext } from '../../ports/sink.js';
import type { Table } from '../../ports/stores.js';
import type { Clock, Log } from '../../ports/system.js';
import { fitsMessage, withPlaces } from '../../render/discord/card.js';
import { cardId } from '../../render/discord/components.js';
import type { Layout } from '../../render/discord/payload.js';
import { textsFor } from '../../render/texts.js';

/** A card in a channel to which places can be added. */
interface Posted {
  readonly at: number;
  readonly channel: string;
  readonly message: string;
  /** The *Save* button of the card. */
  readonly button: string;
  readonly locale: string;
  /** References of the postings on the card, and their places. */
  readonly refs: readonly string[];
  readonly places: readonly string[];
}

/** The message that a delivery became. */
export interface PostedMessage {
  readonly channel: string;
  readonly id: string;
}

export interface LaterPlaces {
  /**
   * Adds the postings to cards of their jobs where that is possible. Returns the others, which have to be posted. Rejects with
   * a DiscordFault if Discord can't be reached.
   */
  add(delivery: Delivery, context: DeliveryContext): Promise<readonly EditionPosting[]>;
  /** Records the cards of a message that was posted. Never rejects. */
  remember(delivery: Delivery, message: PostedMessage): Promise<void>;
}

/** How long places are added to a card after it was posted, or after the last one was added. Milliseconds. */
const LIFE_MS = 14 * 24 * 3_600_000;

export function createLaterPlaces(
  rest: Pick<DiscordRest, 'request'>,
  { table, clock, log }: { table: Table<unknown>; clock: Clock; log: Log },
): LaterPlaces {
  /** The card of the same job, posted before the edition was cut: what came later may differ between two attempts. */
  async function postedFor(delivery: Delivery, job: string): Promise<Posted | undefined> {
    const posted = (await table.get(keyOf(delivery, job))) as Posted | undefined;
    return posted && posted.at < delivery.slot ? posted : undefined;
  }

  /** Adds the postings of one card. False if they have to be posted. */
  async function addTo(
    postings: readonly EditionPosting[],
    delivery: Delivery,
    context: DeliveryContext,
  ): Promise<boolean> {
    const jobs = postings.map(jobIn);
    const [first] = jobs;
    if (!first || !postings.every(mayJoin)) return false;
    const posted = await postedFor(delivery, first.job);
    if (!posted) return false;
    const fresh = postings.filter(({ key }) => !posted.refs.includes(postingRef(key)));
    if (fresh.length === 0) return true;
    const places = fresh.flatMap((posting) => jobIn(posting)?.place ?? []);
    const isNew = (place: string) => !posted.places.some((known) => isSamePlace(known, place));
    if (!places.every(isNew) || posted.places.length + places.length > MOST_PLACES) return false;
    try {
      if (!(await edit(posted, fresh, delivery, context))) return false;
    } catch (error) {
      if (!(error instanceof DiscordFault) || error.kind !== 'refused') throw error;
      // The message or the access to it is gone. Deleted first, so that each further attempt posts the same.
      log.info(
        { channel: posted.channel, code: error.code },
        'a card could not be edited, a new one is posted',
      );
      await table.delete(keyOf(delivery, first.job));
      return false;
    }
    await keep(delivery, first.job, {
      ...posted,
      refs: [...posted.refs, ...fresh.map(({ key }) => postingRef(key))],
      places: [...posted.places, ...places],
    });
    return true;
  }

  /** Edits the message unless it has the links already. False if it can't hold them or has lost its card. */
  async function edit(
    { channel, message, button, locale, places }: Posted,
    postings: readonly EditionPosting[],
    { source, slot }: Delivery,
    context: DeliveryContext,
  ): Promise<boolean> {
    const { signal } = context;
    const path = `/channels/${channel}/messages/${message}` as const;
    const { components } = Object(await rest.request('GET', path, { signal })) as { components?: Layout };
    if (!components) return false;
    const add = (text: string) =>
      withPlaces(text, postings, places.length > 1, { locale, source, now: slot });
    const next = withText(components, button, add);
    if (!next) return false;
    if (JSON.stringify(next) === JSON.stringify(components)) return true;
    if (!fitsMessage(next)) return false;
    const body = { components: next, allowed_mentions: { parse: [] } };
    try {
      const { note } = textsFor(locale).card;
      const keys = postings.map(({ key }) => key);
      context.guard({ format: 'json', body: JSON.stringify(body), note }, keys);
    } catch (error) {
      if (!asDeliveryError(error)) throw error;
      log.warn({ channel, reason: reasonOf(error) }, 'a card could not be edited, a new one is posted');
      return false;
    }
    await rest.request('PATCH', path, { body, signal });
    return true;
  }

  function keep(delivery: Delivery, job: string, posted: Posted): Promise<void> {
    return table.set(keyOf(delivery, job), posted, LIFE_MS);
  }

  return {
    async add(delivery, context) {
      const left: EditionPosting[] = [];
      for (const card of cardsOf(delivery.postings)) {
        const postings = onCard(card);
        if (!(await addTo(postings, delivery, context))) left.push(...postings);
      }
      return left;
    },
    async remember(delivery, { channel, id }) {
      const { edition, locale } = delivery;
      try {
        for (const card of cardsOf(delivery.postings)) {
          const postings = onCard(card);
          const job = jobIn(card)?.job;
          if (job === undefined) continue;
          await keep(delivery, job, {
            at: clock.now(),
            channel,
            message: id,
            button: cardId('save', edition, postingRef(card.key)),
            locale,
            refs: postings.map(({ key }) => postingRef(key)),
            places: postings.flatMap((posting) => jobIn(posting)?.place ?? []),
          });
        }
      } catch (error) {
        log.warn({ channel, reason: reasonOf(error) }, 'the cards of a message could not be recorded');
      }
    },
  };
}

const hashOf = (...parts: readonly string[]) =>
  createHash('sha256').update(parts.join('\n')).digest('base64url').slice(0, 32);

/** Begins the keys of an account. No link may be beside the links of another account. */
const prefixOf = (account: string) => `discord:card:${hashOf(account)}:`;

function keyOf({ account, destination }: Delivery, job: string): string {
  return prefixOf(account) + hashOf(destination.target, job);
}

/** Deletes what is recorded of an account's cards. */
export async function forgetCards(table: Table<unknown>, account: string): Promise<void> {
  for await (const [key] of table.entries(prefixOf(account))) await table.delete(key);
}

/** The layout with another text on the card that has the button; undefined without that card. */
function withText(layout: Layout, button: string, change: (text: string) => string): Layout | undefined {
  let isFound = false;
  const next = layout.map((part) => {
    if (part.type !== 17 || !JSON.stringify(part).includes(`"${button}"`)) return part;
    const components = part.components.map((inside) => {
      const text = inside.type === 9 ? inside.components[0] : inside;
      if (isFound || text.type !== 10) return inside;
      isFound = true;
      const changed = { ...text, content: change(text.content) };
      return inside.type === 9 ? { ...inside, components: [changed] as const } : changed;
    });
    return { ...part, components };
  });
  return isFound ? next : undefined;
}
