// The keys that encrypt stored secrets: from SECRET_KEY, or created once and kept beside the store.
import { createHash, randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../domain/errors.js';
import { secret } from '../domain/secret.js';
const WANTED = 'wanted 32 bytes in base64 (44 characters), for example from `openssl rand -base64 32`';
/**
 * Reads SECRET_KEY, or else DATA_DIR/secret.key, or else creates that file (mode 600) and warns once. Throws a
 * {@link UserError} (exit 2) with every fault by position, or when the store needs a key that is not there. A key itself
 * is never shown.
 */
export async function loadSecretKeys({ value, dataDir, log, inStore = async () => [], look = false, }) {
    if (value !== undefined)
        return parseSecretKeys(value.reveal(), 'SECRET_KEY');
    const file = join(dataDir, 'secret.key');
    const kept = await readFile(file, 'utf8').catch(absent);
    if (kept !== undefined)
        return parseSecretKeys(kept, file);
    if (look)
        return parseSecretKeys(randomBytes(32).toString('base64'), file);
    const needed = await inStore();
    if (needed.length > 0)
        throw missingKeys(needed);
    const made = await makeKeyFile(dataDir, file);
    log.warn({ file }, 'no SECRET_KEY given: made one and kept it in a file; copy it to a safe place, without it stored tokens are lost');
    return parseSecretKeys(made, file);
}
/** Parses a comma-separated list of keys. `name`: where it came from, for error messages. */
export function parseSecretKeys(text, name) {
    const parts = text.split(',').map((part) => part.trim());
    const keys = [];
    const faults = [];
    for (const [index, part] of parts.entries()) {
        const where = parts.length > 1 ? `${name}: key ${index + 1} of ${parts.length}` : `${name}`;
        const bytes = Buffer.from(part, 'base64');
        if (part === '')
            faults.push(`${where} is empty; ${WANTED}.`);
        else if (!/^[A-Za-z0-9+/_-]+={0,2}$/u.test(part))
            faults.push(`${where} is not base64; ${WANTED}.`);
        else if (bytes.length !== 32)
            faults.push(`${where} has ${bytes.length} bytes; ${WANTED}.`);
        else
            keys.push({ id: keyId(bytes), bytes });
    }
    const [primary] = keys;
    if (faults.length > 0 || !primary)
        throw new UserError(faults.join('\n'), 2);
    const byId = new Map(keys.map((key) => [key.id, key]));
    const secrets = keys.map((key) => secret(key.bytes.toString('base64')));
    return { primary, secrets, find: (id) => byId.get(id) };
}
function keyId(bytes) {
    return createHash('sha256').update('jobcrier key id\n').update(bytes).digest('hex').slice(0, 8);
}
/** Links the finished file to its name, so that two processes that start at the same time get the same key. */
async function makeKeyFile(dataDir, file) {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
    const text = `${randomBytes(32).toString('base64')}\n`;
    const handle = await open(draft, 'wx', 0o600);
    try {
        await handle.writeFile(text);
        await handle.sync();
    }
    finally {
        await handle.close();
    }
    try {
        await link(draft, file);
        return text;
    }
    catch (error) {
        if (error.code !== 'EEXIST')
            throw error;
        return await readFile(file, 'utf8');
    }
    finally {
        await unlink(draft);
    }
}
function absent(error) {
    if (error.code === 'ENOENT')
        return undefined;
    throw new UserError(`The key file secret.key in DATA_DIR can't be read (${error.code}); see its permissions.`, 2);
}
/** Returns an error that names the missing keys of stored secrets and says what to do. */
export function missingKeys(ids) {
    const [named, them] = ids.length === 1 ? [`the key ${ids[0]}`, 'it'] : [`the keys ${ids.join(', ')}`, 'them'];
    return new UserError(`SECRET_KEY: the store holds secrets sealed with ${named}, and ${them === 'it' ? 'that key is' : 'those keys are'} not given. Add ${them} to SECRET_KEY after the first one, separated by a comma, or put the former secret.key back into DATA_DIR. If the key is lost for good, "jobcrier keys rotate --lost ${ids[0]}" lets the service start without it; its tokens and addresses must then be set anew.`, 2);
}
//# sourceMappingURL=secret-keys.js.map