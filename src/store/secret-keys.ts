// The keys that secrets are stored under: from SECRET_KEY, or made once and kept beside the store.
import { createHash, randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../domain/errors.js';
import { type Secret, secret } from '../domain/secret.js';
import type { Log } from '../ports/system.js';

interface SecretKey {
  /** Names the key without giving anything away; stored in each envelope. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** The first encrypts, all decrypt. Not enumerable by accident: nothing prints it whole. */
export interface SecretKeys {
  readonly primary: SecretKey;
  /** All of them, the first first, for what is derived from them (links, hashed addresses). */
  readonly secrets: readonly Secret[];
  find(id: string): SecretKey | undefined;
}

export interface SecretKeySource {
  /** SECRET_KEY: one or more keys, separated by commas. */
  readonly value: Secret | undefined;
  readonly dataDir: string;
  readonly log: Log;
  /** Ids of the keys that secrets are stored under already: with any, a new key would be of no use. */
  readonly inStore?: () => Promise<readonly string[]>;
  /** Only look: a key that has to be made is not kept. */
  readonly look?: boolean;
}

const WANTED = 'wanted 32 bytes in base64 (44 characters), for example from `openssl rand -base64 32`';

/**
 * Reads SECRET_KEY, else DATA_DIR/secret.key, else makes that file (mode 600) and warns once.
 * Throws a {@link UserError} (exit 2) with every fault by position, or when the store needs a key that is not there;
 * a key itself is never repeated.
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

/** Reads a comma list of keys; `name` says in faults where it came from. */
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

/** Linked into place when complete: of two processes that start at once, both end up with the same key. */
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
    `The key file secret.key in DATA_DIR can't be read (${error.code}); see its permissions.`,
    2,
  );
}

/** Names the keys that stored secrets need and that are not given, and says what to do. */
export function missingKeys(ids: readonly string[]): UserError {
  const [named, them] =
    ids.length === 1 ? [`the key ${ids[0]}`, 'it'] : [`the keys ${ids.join(', ')}`, 'them'];
  return new UserError(
    `SECRET_KEY: the store holds secrets sealed with ${named}, and ${them === 'it' ? 'that key is' : 'those keys are'} not given. Add ${them} to SECRET_KEY after the first one, separated by a comma, or put the former secret.key back into DATA_DIR. If the key is lost for good, "jobcrier keys rotate --lost ${ids[0]}" lets the service start without it; its tokens and addresses must then be set anew.`,
    2,
  );
}
