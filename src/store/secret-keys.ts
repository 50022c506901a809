// The keys that encrypt stored secrets: from SECRET_KEY, or created once and kept beside the store.
import { createHash, randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../domain/errors.js';
import { type Secret, secret } from '../domain/secret.js';
import type { Log } from '../ports/system.js';

interface SecretKey {
  /** Identifies the key without revealing it. Stored in each envelope. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** The first key encrypts, all keys decrypt. The full list of raw keys is not exposed. */
export interface SecretKeys {
  readonly primary: SecretKey;
  /** All keys, the first one first, for values derived from them (links, hashed addresses). */
  readonly secrets: readonly Secret[];
  find(id: string): SecretKey | undefined;
}

export interface SecretKeySource {
  /** SECRET_KEY: one or more keys, separated by commas. */
  readonly value: Secret | undefined;
  readonly dataDir: string;
  readonly log: Log;
  /** Returns the ids of the keys that already encrypt stored secrets. If there are any, a new key would be useless. */
  readonly inStore?: () => Promise<readonly string[]>;
  /** Read only: a key that has to be created is not kept. */
  readonly look?: boolean;
}

const WANTED = 'wanted 32 bytes in base64 (44 characters), for example from `openssl rand -base64 32`';

/**
 * Reads SECRET_KEY, or else DATA_DIR/secret.key, or else creates that file (mode 600) and warns once. Throws a
 * {@link UserError} (exit 2) with every fault by position, or when the store needs a key that is not there. A key itself
 * is never shown.
 */
export async function loadSecretKeys({
  value,
  dataDir,
  log,
  inStore = async () => [],
  look = false,
}: SecretKeySource): Promise<SecretKeys> {
  if (value !== undefined) return parseSecretKeys(value.reveal(), 'SECRET_KEY');
  const file = join(dataDir, 'secret.key');
  const kept = await readFile(file, 'utf8').catch(absent);
  if (kept !== undefined) return parseSecretKeys(kept, file);
  if (look) return parseSecretKeys(randomBytes(32).toString('base64'), file);
  const needed = await inStore();
  if (needed.length > 0) throw missingKeys(needed);
  const made = await makeKeyFile(dataDir, file);
  log.warn(
    { file },
    'no SECRET_KEY given: made one and kept it in a file; copy it to a safe place, without it stored tokens are lost',
  );
  return parseSecretKeys(made, file);
}

/** Parses a comma-separated list of keys. `name`: where it came from, for error messages. */
export function parseSecretKeys(text: string, name: string): SecretKeys {
  const parts = text.split(',').map((part) => part.trim());
  const keys: SecretKey[] = [];
  const faults: string[] = [];
  for (const [index, part] of parts.entries()) {
    const where = parts.length > 1 ? `${name}: key ${index + 1} of ${parts.length}` : `${name}`;
    const bytes = Buffer.from(part, 'base64');
    if (part === '') faults.push(`${where} is empty; ${WANTED}.`);
    else if (!/^[A-Za-z0-9+/_-]+={0,2}$/u.test(part)) faults.push(`${where} is not base64; ${WANTED}.`);
    else if (bytes.length !== 32) faults.push(`${where} has ${bytes.length} bytes; ${WANTED}.`);
    else keys.push({ id: keyId(bytes), bytes });
  }
  const [primary] = keys;
  if (faults.length > 0 || !primary) throw new UserError(faults.join('\n'), 2);
  const byId = new Map(keys.map((key) => [key.id, key]));
  const secrets = keys.map((key) => secret(key.bytes.toString('base64')));
  return { primary, secrets, find: (id) => byId.get(id) };
}

function keyId(bytes: Buffer): string {
  return createHash('sha256').update('jobcrier key id\n').update(bytes).digest('hex').slice(0, 8);
}

/** Links the finished file to its name, so that two processes that start at the same time get the same key. */
async function makeKeyFile(dataDir: string, file: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const text = `${randomBytes(32).toString('base64')}\n`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    await link(draft, file);
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return await readFile(file, 'utf8');
  } finally {
    await unlink(draft);
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw new UserError(
    `The key file secret.key in DATA_DIR can't be read (${error.code}); check its permissions.`,
    2,
  );
}

/** Returns an error that names the missing keys of stored secrets and says what to do. */
export function missingKeys(ids: readonly string[]): UserError {
  const [named, them] =
    ids.length === 1 ? [`the key ${ids[0]}`, 'it'] : [`the keys ${ids.join(', ')}`, 'them'];
  return new UserError(
    `SECRET_KEY: the store holds secrets encrypted with ${named}, and ${them === 'it' ? 'that key is' : 'those keys are'} not given. Add ${them} to SECRET_KEY after the first one, separated by a comma, or put the former secret.key back into DATA_DIR. If the key is lost for good, "jobcrier keys rotate --lost ${ids[0]}" lets the service start without it; tokens and addresses encrypted with it must then be set again.`,
    2,
  );
}
