// Answers one interaction: acknowledges it once, within three seconds, and follows every acknowledgement with an
// answer, also when Discord or the bot fails in between.
import { setTimeout as sleep } from 'node:timers/promises';
import { DiscordAPIError } from 'discord.js';
import { reasonOf } from '../../domain/errors.js';
import { PRIVATE } from './reply-json.js';
const UNKNOWN_INTERACTION = 10062;
const ALREADY_ACKNOWLEDGED = 40060;
const ACK_TRIES = 3;
const EDIT_TRIES = 4;
function codeOf(error) {
    return error instanceof DiscordAPIError ? Number(error.code) : undefined;
}
/** Discord read the request and refused it, so trying again changes nothing. */
function isRefusal(error) {
    return error instanceof DiscordAPIError && error.status < 500;
}
/** `updates`: a defer promises a change of the message with the button, not a new message. */
export function createResponder(interaction, updates, open, log) {
    const changeable = interaction.isMessageComponent() || (interaction.isModalSubmit() && interaction.isFromMessage());
    const promised = updates && changeable ? 'update' : 'reply';
    let acknowledged;
    let interrupted = false;
    let sending = false;
    /**
     * Sends the first answer. A call whose response was lost may have succeeded; the next try then gets "already
     * acknowledged".
     */
    async function acknowledge(kind, first) {
        for (let attempt = 1;; attempt++) {
            try {
                await first();
                return kind;
            }
            catch (error) {
                if (codeOf(error) === ALREADY_ACKNOWLEDGED) {
                    interaction.deferred = true;
                    return kind;
                }
                if (codeOf(error) === UNKNOWN_INTERACTION) {
                    log.warn({ interaction: interaction.id }, 'interaction was gone before it was acknowledged');
                    return 'late';
                }
                if (attempt >= ACK_TRIES || isRefusal(error))
                    throw error;
            }
        }
    }
    async function defer() {
        await open.keep(interaction, promised);
        const kind = await acknowledge(promised, () => promised === 'update' && changeable
            ? interaction.deferUpdate()
            : interaction.deferReply(PRIVATE));
        if (kind === 'late')
            await open.done(interaction.id);
        return kind;
    }
    function deferOnce() {
        acknowledged ??= defer();
        return acknowledged;
    }
    /**
     * Retries the edit, because a deferred answer would otherwise stay "thinking…" forever. The same edit twice is one
     * edit.
     */
    async function edit(message) {
        for (let attempt = 1;; attempt++) {
            try {
                await interaction.editReply(message);
                return;
            }
            catch (error) {
                if (attempt >= EDIT_TRIES || isRefusal(error))
                    throw error;
                log.warn({ interaction: interaction.id, reason: reasonOf(error) }, 'answer is tried again');
                await sleep(500 * 2 ** attempt);
            }
        }
    }
    return {
        defer: async () => (await deferOnce()) !== 'late',
        async show(modal) {
            if (acknowledged || interaction.isModalSubmit())
                return false;
            acknowledged = acknowledge('none', () => interaction.showModal(modal));
            await acknowledged;
            return true;
        },
        async send(message, update) {
            if (interrupted)
                return;
            sending = true;
            try {
                await say(message, update);
                await open.done(interaction.id);
            }
            finally {
                sending = false;
            }
        },
        async interrupt(message) {
            if (sending || interrupted)
                return;
            interrupted = true;
            await say(message, false);
            await open.done(interaction.id);
        },
    };
    async function say(message, update) {
        if (!acknowledged) {
            const kind = update && changeable ? 'update' : 'reply';
            const first = () => kind === 'update'
                ? interaction.update(message)
                : interaction.reply({ ...message, ...PRIVATE });
            const attempt = acknowledge(kind, first);
            acknowledged = attempt;
            try {
                await attempt;
            }
            catch (error) {
                // Nothing was sent yet, so the error handler may still answer.
                acknowledged = undefined;
                throw error;
            }
            return;
        }
        const kind = await acknowledged;
        if (kind === 'late')
            return;
        if (kind === 'reply' || (kind === 'update' && update))
            return edit(message);
        await interaction.followUp({ ...message, ...PRIVATE });
    }
}
//# sourceMappingURL=responder.js.map