// The links in mails act without a login, so each carries what it may do, for whom, and a proof that this program
// wrote it; sealed, because a forwarded mail must not tell who its reader is. Pure: where an epoch is kept and what a
// link then does is the business of others.
import { createCipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Secret } from './secret.js';

/** One purpose per page: a link of one never opens another. */
export type LinkPurpose = 'unsubscribe' | 'resubscribe' | 'preferences' | 'edition' | 'feed';

/** What a link says. Times in milliseconds since the epoch, kept to the second. */
export interface LinkClaim {
  readonly purpose: LinkPurpose;
  readonly account: string;
  readonly subscription?: string;
  readonly destination?: string;
  /** Of a `resubscribe` link: what it undoes, see {@link Links}. */
  readonly edition?: string;
  /** The account's link epoch when the link was made; a later one revokes it. */
  readonly epoch: number;
  /** Absent: never expires. */
  readonly expiresAt?: number;
}

/** A key derived from one of the service's secret keys; `id` tells which, and gives nothing away. */
export interface LinkKey {
  readonly id: string;
  readonly key: Buffer;
  /** Hides what a link says. */
  readonly cipherKey: Buffer;
}

/** Derives a key for one use, so that a proof made for it is worth nothing elsewhere. The first secret signs, all are accepted. */
export function deriveKeys(secrets: readonly Secret[], use: string): readonly LinkKey[] {
  return secrets.map((one) => {
    const bytes = (info: string, length: number) =>
      Buffer.from(hkdfSync('sha256', one.reveal(), 'jobcrier', info, length));
    return {
      id: bytes(`${use}:id`, 3).toString('base64url'),
      key: bytes(`${use}:key`, 32),
      cipherKey: bytes(`${use}:veil`, 32),
    };
  });
}

/** Life of a link by purpose, milliseconds; one to unsubscribe never expires (mail rules). */
export const LINK_LIFE: Readonly<Record<LinkPurpose, number | undefined>> = {
  unsubscribe: undefined,
  resubscribe: 30 * 86_400_000,
  preferences: 30 * 86_400_000,
  edition: 30 * 86_400_000,
  // A feed reader asks for as long as its owner reads; the epoch ends it.
  feed: undefined,
};

/** 128 bits are beyond guessing and keep the address short. */
const PROOF_BYTES = 16;
const LONGEST = 1024;

function proof(key: Buffer, purpose: LinkPurpose, payload: Buffer): Buffer {
  return createHmac('sha256', key).update(`${purpose}\n`).update(payload).digest().subarray(0, PROOF_BYTES);
}

/** The proof is also where the key stream begins (synthetic IV): equal links look equal, no two others share a stream. */
function encrypted(cipherKey: Buffer, start: Buffer, text: Buffer): Buffer {
  return createCipheriv('aes-256-ctr', cipherKey, start).update(text);
}

/** Writes a link token of URL-safe characters: key id and, sealed, proof and payload. The same claim gives the same token. */
export function signLink(keys: readonly LinkKey[], claim: LinkClaim): string {
  const [first] = keys;
  if (!first) throw new Error('no key to sign links with');
  const { account, subscription = '', destination = '', edition = '', epoch, expiresAt } = claim;
  const seconds = expiresAt === undefined ? 0 : Math.floor(expiresAt / 1000);
  const payload = Buffer.from(JSON.stringify([account, subscription, destination, edition, epoch, seconds]));
  const start = proof(first.key, claim.purpose, payload);
  return `${first.id}.${Buffer.concat([start, encrypted(first.cipherKey, start, payload)]).toString('base64url')}`;
}

const NO_KEY: LinkKey = { id: '', key: Buffer.alloc(32), cipherKey: Buffer.alloc(32) };

/**
 * Reads a token for one purpose. Undefined for whatever is wrong with it (form, key, purpose, proof, time), so that
 * a caller can't answer differently. The epoch is the caller's to compare.
 */
export function readLink(
  keys: readonly LinkKey[],
  purpose: LinkPurpose,
  token: string,
  now: number,
): LinkClaim | undefined {
  const [id, body = '', ...rest] = token.length > LONGEST ? [] : token.split('.');
  // One computation whatever is wrong, so that the time taken tells nothing either.
  const key = keys.find((one) => one.id === id) ?? NO_KEY;
  const bytes = Buffer.from(body, 'base64url');
  const start = Buffer.alloc(PROOF_BYTES);
  bytes.copy(start);
  const payload = encrypted(key.cipherKey, start, bytes.subarray(PROOF_BYTES));
  const same = timingSafeEqual(proof(key.key, purpose, payload), start);
  // Base64url has several spellings of the last bits; only the one this program writes is taken.
  if (key === NO_KEY || !same || rest.length > 0 || bytes.toString('base64url') !== body) return undefined;
  const [account, subscription, destination, edition, epoch, seconds] = JSON.parse(payload.toString()) as [
    string,
    string,
    string,
    string,
    number,
    number,
  ];
  if (seconds > 0 && now >= seconds * 1000) return undefined;
  return {
    purpose,
    account,
    epoch,
    ...(subscription ? { subscription } : {}),
    ...(destination ? { destination } : {}),
    ...(edition ? { edition } : {}),
    ...(seconds > 0 ? { expiresAt: seconds * 1000 } : {}),
  };
}

/** Addresses of the pages for the mails of one account. */
export interface Links {
  unsubscribe(about: LinkSubject): string;
  /** `edition`: the time of the one unsubscribing it undoes, or `any` on a page whose link may change all. */
  resubscribe(about: LinkSubject & { readonly edition: string }): string;
  preferences(about: LinkSubject): string;
  edition(about: LinkSubject & { readonly edition: string }): string;
  feed(about: LinkSubject): string;
  /** Of a confirm mail; the token is random and kept elsewhere. */
  confirm(token: string): string;
}

/** Whom and what a link is about; `epoch` is the account's current one, `now` when the link is made. */
export interface LinkSubject {
  readonly account: string;
  readonly subscription?: string;
  readonly destination?: string;
  readonly epoch: number;
  readonly now: number;
}

/** Makes addresses below `publicUrl` (without a slash at its end). */
export function createLinks(keys: readonly LinkKey[], publicUrl: string): Links {
  const make =
    (purpose: LinkPurpose) =>
    ({ now, ...about }: LinkSubject & { readonly edition?: string }): string => {
      const life = LINK_LIFE[purpose];
      const claim = { ...about, purpose, ...(life === undefined ? {} : { expiresAt: now + life }) };
      const path = purpose === 'edition' ? 'editions' : purpose;
      return `${publicUrl}/${path}/${signLink(keys, claim)}`;
    };
  return {
    unsubscribe: make('unsubscribe'),
    resubscribe: make('resubscribe'),
    preferences: make('preferences'),
    edition: make('edition'),
    feed: make('feed'),
    confirm: (token) => `${publicUrl}/confirm/${token}`,
  };
}
