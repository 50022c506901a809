// Answers that were promised ("thinking…") and not given yet. Each is a small encrypted row while it is open. When a
// process is killed, the next one closes the answers it finds, so that no user waits forever.
import { setTimeout as sleep } from 'node:timers/promises';
import { type REST, Routes } from 'discord.js';
import { DiscordFault } from '../../discord/fault.js';
import { reasonOf } from '../../domain/errors.js';
import type { Table } from '../../ports/stores.js';
import type { Log } from '../../ports/system.js';
import { textsFor } from '../../render/texts.js';
import { messageOf, PRIVATE } from './reply-json.js';
import type { Answerable } from './request-of.js';

/**
 * What is needed to answer later. `reply`: a message that shows "thinking…"; `update`: a button that was
 * acknowledged.
 */
interface OpenAnswer {
  readonly application: string;
  /** Its holder can answer in the bot's name, so it is stored encrypted and never logged. */
  readonly token: string;
  readonly kind: 'reply' | 'update';
  readonly locale: string;
}

export interface OpenAnswers {
  /** Stores the answer before it is promised. Returns soon even when the store does not. Never rejects. */
  keep(interaction: Answerable, kind: OpenAnswer['kind']): Promise<void>;
  /** The answer was given: removes it. Never rejects. */
  done(interaction: string): Promise<void>;
  /**
   * Closes the answers that a former process left open, with a notice of the restart to their users. Rejects when
   * Discord could not be reached; another call closes the rest.
   */
  closeLeft(rest: REST): Promise<void>;
}

const PREFIX = 'discord:open:';
/** Life of an interaction's token (Discord, "Receiving and Responding to Interactions"). */
const LIFE_MS = 15 * 60_000;
/** Discord expects the promise within three seconds, however slow the store is. */
const LONGEST_WRITE_MS = 500;
/** Message flag LOADING: Discord still shows "thinking…". */
const LOADING = 128;

export function createOpenAnswers(misc: Table<unknown>, log: Log): OpenAnswers {
  /** Answers of this process, each with its write in progress. */
  const own = new Map<string, Promise<void>>();
  const troubled = (error: unknown) =>
    log.warn({ reason: reasonOf(error) }, 'an open answer could not be written down');

  async function close(rest: REST, { application, token, kind, locale }: OpenAnswer): Promise<void> {
    const texts = textsFor(locale);
    const { content } = messageOf({ text: texts.bot.fault.restarted }, {}, texts);
    const body = { content, allowed_mentions: { parse: [] } };
    const original = Routes.webhookMessage(application, token, '@original');
    try {
      if (kind === 'update') {
        await rest.post(Routes.webhook(application, token), { auth: false, body: { ...body, ...PRIVATE } });
        return;
      }
      const { flags = 0 } = (await rest.get(original, { auth: false })) as { flags?: number };
      if (flags & LOADING) await rest.patch(original, { auth: false, body });
    } catch (error) {
      // Too late, deleted, or never promised: there is nothing to close.
      if (!(error instanceof DiscordFault) || error.kind !== 'refused') throw error;
    }
  }

  return {
    async keep({ id, applicationId, token, locale }, kind) {
      const open: OpenAnswer = { application: applicationId, token, kind, locale };
      const write = misc.set(PREFIX + id, open, LIFE_MS).catch(troubled);
      own.set(id, write);
      await Promise.race([write, sleep(LONGEST_WRITE_MS, undefined, { ref: false })]);
    },
    async done(id) {
      const write = own.get(id);
      if (!write) return;
      await write;
      await misc.delete(PREFIX + id).catch(troubled);
      own.delete(id);
    },
    async closeLeft(rest) {
      let failed: unknown;
      let closed = 0;
      for await (const [key, value] of misc.entries(PREFIX)) {
        if (own.has(key.slice(PREFIX.length))) continue;
        try {
          await close(rest, value as OpenAnswer);
          await misc.delete(key);
          closed++;
        } catch (error) {
          failed ??= error;
        }
      }
      if (closed > 0) log.info({ closed }, 'answers left open by a former process closed');
      if (failed) throw failed;
    },
  };
}
