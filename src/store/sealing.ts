// Secrets at rest: AES-256-GCM, bound to the place they are stored in. A stolen file does not reveal them, and an
// envelope copied into another record can't be opened there.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Table } from '../ports/stores.js';
import type { Clock, Log } from '../ports/system.js';
import type { KvTable } from './backend.js';
import type { SecretKeys } from './secret-keys.js';
import { createTable } from './table.js';

/** A sealed text. `kid` names the key; the rest is base64. */
export interface Envelope {
  readonly v: 1;
  readonly kid: string;
  readonly iv: string;
  readonly tag: string;
  readonly ct: string;
}

/** Where a sealed text is stored. It is unreadable anywhere else. */
export interface Place {
  readonly table: string;
  readonly record: string;
  readonly field: string;
}

export interface Sealer {
  seal(text: string, place: Place): Envelope;
  /**
   * Returns the text. Returns undefined when the key is missing (with one warning per key) or the envelope was changed or
   * moved (with an error in the log each time).
   */
  open(envelope: Envelope, place: Place): string | undefined;
  /** Returns whether the envelope is sealed with the first key. */
  isCurrent(envelope: Envelope): boolean;
}

export function createSealer(keys: SecretKeys, log: Log): Sealer {
  const missing = new Set<string>();
  return {
    seal(text, place) {
      // 96 random bits (NIST SP 800-38D 8.2.2), for far fewer than 2^32 messages per key.
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', keys.primary.bytes, iv, { authTagLength: 16 });
      cipher.setAAD(bindingOf(place));
      const ct = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      const [ivText, tag, ctText] = [iv, cipher.getAuthTag(), ct].map((part) => part.toString('base64'));
      return { v: 1, kid: keys.primary.id, iv: ivText!, tag: tag!, ct: ctText! };
    },
    open(envelope, place) {
      const key = keys.find(envelope.kid);
      if (!key) {
        if (!missing.has(envelope.kid))
          log.warn(
            { key: envelope.kid, table: place.table, record: place.record },
            'a stored secret needs a key that SECRET_KEY does not have; add it after the others, its records are unreadable',
          );
        missing.add(envelope.kid);
        return undefined;
      }
      try {
        const iv = Buffer.from(envelope.iv, 'base64');
        const decipher = createDecipheriv('aes-256-gcm', key.bytes, iv, { authTagLength: 16 });
        decipher.setAAD(bindingOf(place));
        decipher.setAuthTag(Buffer.from(envelope.tag, 'base64'));
        return Buffer.concat([decipher.update(envelope.ct, 'base64'), decipher.final()]).toString('utf8');
      } catch {
        log.error(
          { key: envelope.kid, table: place.table, record: place.record, field: place.field },
          'a stored secret does not belong to its record: it was changed or moved',
        );
        return undefined;
      }
    },
    isCurrent: (envelope) => envelope.kid === keys.primary.id,
  };
}

export function isEnvelope(value: unknown): value is Envelope {
  if (typeof value !== 'object' || value === null) return false;
  const { v, kid, iv, tag, ct } = value as Record<string, unknown>;
  return v === 1 && [kid, iv, tag, ct].every((part) => typeof part === 'string');
}

function bindingOf({ table, record, field }: Place): Buffer {
  return Buffer.from(JSON.stringify(['jobcrier', 1, table, record, field]));
}

// A table whose values are sealed completely, because the data that adapters keep may name people.

/** Values read as absent when their key is missing or they were moved. */
export function createSealedTable(table: KvTable, clock: Clock, sealer: Sealer): Table<unknown> {
  const at = (record: string) => ({ table: table.name, record, field: '' });
  return createTable<unknown>(table, clock, {
    pack: (key, value) => sealer.seal(JSON.stringify(value), at(key)),
    unpack(key, stored) {
      const text = isEnvelope(stored) ? sealer.open(stored, at(key)) : undefined;
      return text === undefined ? undefined : JSON.parse(text);
    },
  });
}
