// Handles every interaction: finds its command or button, acknowledges it in time, and always answers. Catches
// every error, because an event listener that rejects ends the process.
import { randomBytes } from 'node:crypto';
import type { AutocompleteInteraction, CacheType, Interaction } from 'discord.js';
import { reasonOf, UserError } from '../../domain/errors.js';
import type { Metrics } from '../../ports/system.js';
import type { CommandIds } from '../../render/commands.js';
import { type Texts, textsFor } from '../../render/texts.js';
import { formLater, runAction, runCommand } from '../features/correct.js';
import { actionOf, commandOf, messageCommandOf } from '../features/index.js';
import { faultWords } from '../forms/faults.js';
import type { OpenAnswers } from './open-replies.js';
import { linkFaults, messageOf } from './reply-json.js';
import type { Context, Reply, Request } from './request.js';
import { type Answerable, askOf, type Rights } from './request-of.js';

import { createResponder, type Responder } from './responder.js';

/** An interaction is acknowledged after this time, whatever the answer waits for. Discord allows three seconds. */
const ACKNOWLEDGE_AFTER_MS = 1_000;
/** The interaction's token lives fifteen minutes; the answer must come before it ends. */
const PATIENCE_MS = 10 * 60_000;
const REMEMBERED = 1_000;

export interface Interactions {
  /** Never rejects. */
  handle(interaction: Interaction): Promise<void>;
  /** Resolves when all running interactions are answered. */
  settled(): Promise<void>;
  /** Answers every open interaction with a notice of the restart. Never rejects. */
  interrupt(): Promise<void>;
}

/** The work for an interaction. */
interface Task {
  readonly name: string;
  readonly slow: boolean;
  readonly updates: boolean;
  run(): Promise<Reply>;
}

export function createInteractions(options: {
  readonly context: Context;
  readonly metrics: Metrics;
  readonly ids: () => CommandIds;
  /** The rights an interaction came with. */
  readonly rights: (interaction: string) => Rights;
  readonly open: OpenAnswers;
  /** After this many milliseconds, users are notified that it takes too long; ten minutes when left out. */
  readonly patienceMs?: number;
}): Interactions {
  const { context, metrics, ids, rights, open, patienceMs = PATIENCE_MS } = options;
  const { log } = context;
  // A session that resumes may deliver an event twice.
  const seen = new Set<string>();
  const running = new Set<Promise<void>>();
  const pressed = new Set<string>();
  const waiting = new Map<Responder, Texts>();

  function isNew(id: string): boolean {
    if (seen.has(id)) return false;
    seen.add(id);
    if (seen.size > REMEMBERED) seen.delete(seen.values().next().value as string);
    return true;
  }

  async function answered(interaction: Answerable): Promise<void> {
    const request = askOf(interaction, rights(interaction.id));
    const texts = textsFor(request.locale);
    const task = taskOf(interaction, request, context, texts);
    // While the first press of a button is processed, a second press of the same button is only acknowledged.
    const press = interaction.isMessageComponent()
      ? [request.user, interaction.message.id, interaction.customId, ...request.values].join('\n')
      : undefined;
    if (press !== undefined && pressed.has(press) && interaction.isMessageComponent()) {
      await interaction.deferUpdate();
      return;
    }
    if (press !== undefined) pressed.add(press);
    const started = performance.now();
    const responder = createResponder(interaction, task.updates, open, log);
    waiting.set(responder, texts);
    let outcome = 'done';
    try {
      outcome = await carryOut(task, responder, request, texts);
    } finally {
      waiting.delete(responder);
      if (press !== undefined) pressed.delete(press);
      metrics.count('interactions', { name: task.name, outcome });
      metrics.observe('interaction_seconds', (performance.now() - started) / 1000, { name: task.name });
    }
  }

  async function carryOut(task: Task, responder: Responder, request: Request, texts: Texts): Promise<string> {
    if (task.slow && !(await responder.defer())) return 'late';
    const timer = setTimeout(() => {
      responder.defer().catch(() => undefined);
    }, ACKNOWLEDGE_AFTER_MS);
    let outcome = 'done';
    let answer: Reply;
    try {
      answer = await patiently(task.run(), texts, patienceMs);
      if (answer.refused) outcome = 'refused';
    } catch (error) {
      ({ answer, outcome } = troubleOf(error, task, texts));
    } finally {
      clearTimeout(timer);
    }
    try {
      await say(answer, responder, request, texts);
    } catch (error) {
      const trouble = troubleOf(error, task, texts);
      outcome = trouble.outcome;
      await responder.send(messageOf(trouble.answer, ids(), texts), false);
    }
    return outcome;
  }

  async function say(answer: Reply, responder: Responder, request: Request, texts: Texts): Promise<void> {
    if (answer.modal && (await responder.show(answer.modal))) return;
    if (answer.modal) return say(formLater(answer.modal, request, context), responder, request, texts);
    const message = messageOf(answer, ids(), texts);
    const faults = linkFaults(answer, message, texts);
    if (faults.length === 0) return responder.send(message, answer.update === true);
    log.error({ user: request.user, faults }, 'an answer would have broken the link rules');
    await responder.send(messageOf({ text: texts.bot.fault.badLinks }, ids(), texts), answer.update === true);
  }

  /** A sentence for a mistake of the user, a reference number for an error of the program. */
  function troubleOf(error: unknown, task: Task, texts: Texts): { answer: Reply; outcome: string } {
    if (error instanceof UserError)
      return { answer: { text: `⚠️ ${faultWords(error, texts)}` }, outcome: 'refused' };
    const reference = randomBytes(4).toString('hex');
    log.error({ reference, name: task.name, reason: reasonOf(error) }, 'interaction failed');
    return { answer: { text: `⚠️ ${texts.bot.fault.unknown({ reference })}` }, outcome: 'failed' };
  }

  async function completed(interaction: AutocompleteInteraction<CacheType>): Promise<void> {
    const { name, value } = interaction.options.getFocused(true);
    const command = commandOf(pathOf(interaction));
    const request = askOf(interaction);
    // After an error the reply is an empty list. Without a reply, the user's list would never stop loading.
    const choices = await command
      ?.complete?.(name, String(value), request, context)
      .catch((error: unknown) => {
        log.error({ name, reason: reasonOf(error) }, 'autocomplete failed');
        return [];
      });
    await interaction.respond((choices ?? []).slice(0, 25).map((choice) => ({ ...choice })));
  }

  async function handle(interaction: Interaction): Promise<void> {
    if (!isNew(interaction.id)) return;
    try {
      if (interaction.isAutocomplete()) await completed(interaction);
      else if (isAnswerable(interaction)) await answered(interaction);
    } catch (error) {
      // The user can't be notified: the acknowledgement or the answer did not get through.
      log.error(
        { interaction: interaction.id, reason: reasonOf(error) },
        'interaction could not be answered',
      );
    }
  }

  return {
    handle(interaction) {
      const run = handle(interaction).finally(() => running.delete(run));
      running.add(run);
      return run;
    },
    async settled() {
      await Promise.allSettled([...running]);
    },
    async interrupt() {
      const words = [...waiting].map(([responder, texts]) =>
        responder.interrupt(messageOf({ text: texts.bot.fault.stopping }, ids(), texts)),
      );
      await Promise.allSettled(words);
    },
  };
}

function isAnswerable(interaction: Interaction): interaction is Answerable {
  return (
    interaction.isChatInputCommand() ||
    interaction.isMessageContextMenuCommand() ||
    interaction.isButton() ||
    interaction.isAnySelectMenu() ||
    interaction.isModalSubmit()
  );
}

function pathOf(interaction: {
  commandName: string;
  options: { getSubcommand(required: false): string | null };
}): string {
  const subcommand = interaction.options.getSubcommand(false);
  return subcommand ? `${interaction.commandName} ${subcommand}` : interaction.commandName;
}

function taskOf(interaction: Answerable, request: Request, context: Context, texts: Texts): Task {
  if (interaction.isChatInputCommand()) {
    const path = pathOf(interaction);
    const command = commandOf(path);
    if (!command) return refusal(path, texts.bot.fault.oldButton);
    return {
      name: path,
      slow: command.slow === true,
      updates: false,
      run: () => runCommand(command, request, context),
    };
  }
  if (interaction.isMessageContextMenuCommand()) {
    const command = messageCommandOf(interaction.commandName);
    if (!command) return refusal('unknown command', texts.bot.fault.oldButton);
    const run = () => command.run(request, context);
    return { name: `message ${command.name}`, slow: false, updates: false, run };
  }
  const { action, args, owner } = actionOf(interaction.customId);
  if (!action) return refusal('unknown button', texts.bot.fault.oldButton);
  if (owner !== undefined && owner !== request.user) return refusal(action.name, texts.bot.fault.notYours);
  return {
    name: action.name,
    slow: action.slow === true,
    updates: action.updates === true,
    run: () => runAction(action, args, request, context),
  };
}

function refusal(name: string, text: string): Task {
  const run = () => Promise.reject(new UserError(text));
  return { name, slow: false, updates: false, run };
}

async function patiently(work: Promise<Reply>, texts: Texts, ms: number): Promise<Reply> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Reply>((resolve) => {
    timer = setTimeout(() => resolve({ text: texts.bot.fault.tooLong }), ms);
    timer.unref();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
