// The key with which a program acts for an account. It names its account by a hash, so that one row can hold it, and ends
// with 32 random bytes. Only its hash is stored.
import { hash } from 'node:crypto';
import { accountHash } from './account.js';
import { type Secret, secret } from './secret.js';

/** The prefix tells people and secret scanners what it is. */
const KEY = /^jobcrier_([0-9a-f]{24})_[\w-]{43}$/u;

/** Returns a key. `random`: 32 random bytes in base64url. */
export function accessKeyOf(account: string, random: string): Secret {
  return secret(`jobcrier_${accountHash(account)}_${random}`);
}

/** Returns the {@link accountHash} of the account that a key names; undefined for a text that can't be a key. */
export function accessKeyOwner(key: Secret): string | undefined {
  return KEY.exec(key.reveal())?.[1];
}

/** Returns what is stored of a key. It needs no slow hash, because 32 random bytes can't be guessed. */
export function accessKeyHash(key: Secret): string {
  return hash('sha256', key.reveal(), 'hex');
}
