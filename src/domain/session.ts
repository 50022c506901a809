// What a browser keeps of a session in which a person manages an account: it names the account by a hash, so that one row can
// hold its sessions, and ends with 32 random bytes. Only its hash is stored.
import { hash } from 'node:crypto';
import { accountHash } from './account.js';
import { type Secret, secret } from './secret.js';

const COOKIE = /^([0-9a-f]{24})\.[\w-]{43}$/u;

/** Returns the content of a new session's cookie. `random`: 32 random bytes in base64url. */
export function sessionCookie(account: string, random: string): Secret {
  return secret(`${accountHash(account)}.${random}`);
}

/** Returns the {@link accountHash} of the account that a cookie names; undefined for a text that can't be a cookie. */
export function sessionOwner(cookie: Secret): string | undefined {
  return COOKIE.exec(cookie.reveal())?.[1];
}

/** Returns what is stored of a cookie. It needs no slow hash, because 32 random bytes can't be guessed. */
export function sessionHash(cookie: Secret): string {
  return hash('sha256', cookie.reveal(), 'hex');
}

/** Returns what the forms of a session contain. The cookie can't be computed from it. */
export function sessionCsrf(cookie: Secret): string {
  return hash('sha256', `csrf ${cookie.reveal()}`, 'hex');
}
