// The links in mails work without a login. Each contains what it may do, for whom, and a proof that this program
// wrote it. Links are encrypted, because a forwarded mail must not reveal its reader. This file is pure: it does not
// store epochs, and it does not do what a link asks for.

import { createCipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { defined } from './defined.js';
import type { Secret } from './secret.js';

/** One purpose per page. A link for one page never opens another. */
export type LinkPurpose =
  | 'unsubscribe'
  | 'resubscribe'
  | 'preferences'
  | 'manage'
  | 'edition'
  | 'feed'
  | 'feedback';

/** The content of a link. Times in milliseconds since the epoch, rounded down to the second. */
export interface LinkClaim {
  readonly purpose: LinkPurpose;
  readonly account: string;
  readonly subscription?: string;
  readonly destination?: string;
  /**
   * For a `resubscribe` link: what it undoes; for a `manage` link: the random name under which it can be used once. See
   * {@link Links}.
   */
  readonly edition?: string;
  /** The posting of the edition that a `feedback` link is about, see {@link postingRef}. */
  readonly posting?: string;
  /** The account's link epoch when the link was made. A later epoch revokes the link. */
  readonly epoch: number;
  /** If absent, the link never expires. */
  readonly expiresAt?: number;
}

/** A key derived from one of the service's secret keys. `id` tells the keys apart and reveals nothing about them. */
export interface LinkKey {
  readonly id: string;
  readonly key: Buffer;
  /** Encrypts the content of a link. */
  readonly cipherKey: Buffer;
}

/**
 * Derives a key for one use from each secret, so that a proof made for this use is worthless elsewhere. The first
 * secret signs; all are accepted.
 */
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

/** Lifetime of a link by purpose, in milliseconds. A link to unsubscribe never expires (mail rules). */
export const LINK_LIFE = {
  unsubscribe: undefined,
  resubscribe: 30 * 86_400_000,
  preferences: 30 * 86_400_000,
  manage: 15 * 60_000,
  edition: 30 * 86_400_000,
  // A feed reader uses its link as long as its owner reads. Only a new epoch revokes it.
  feed: undefined,
  feedback: 30 * 86_400_000,
} as const satisfies Readonly<Record<LinkPurpose, number | undefined>>;

/** 128 bits can't be guessed and keep the address short. */
const PROOF_BYTES = 16;
const LONGEST = 1024;

function proof(key: Buffer, purpose: LinkPurpose, payload: Buffer): Buffer {
  return createHmac('sha256', key).update(`${purpose}\n`).update(payload).digest().subarray(0, PROOF_BYTES);
}

/**
 * The proof is also the start of the key stream (synthetic IV): equal links look equal, and no two others share a
 * stream.
 */
function encrypted(cipherKey: Buffer, start: Buffer, text: Buffer): Buffer {
  return createCipheriv('aes-256-ctr', cipherKey, start).update(text);
}

/**
 * Returns a link token of URL-safe characters: the key id, the proof and the encrypted payload. The same claim gives
 * the same token. Throws if there is no key.
 */
export function signLink(keys: readonly LinkKey[], claim: LinkClaim): string {
  const [first] = keys;
  if (!first) throw new Error('no key to sign links with');
  const { account, subscription = '', destination = '', edition = '', posting, epoch, expiresAt } = claim;
  const seconds = expiresAt === undefined ? 0 : Math.floor(expiresAt / 1000);
  const fields = [account, subscription, destination, edition, epoch, seconds, ...(posting ? [posting] : [])];
  const payload = Buffer.from(JSON.stringify(fields));
  const start = proof(first.key, claim.purpose, payload);
  return `${first.id}.${Buffer.concat([start, encrypted(first.cipherKey, start, payload)]).toString('base64url')}`;
}

const NO_KEY: LinkKey = { id: '', key: Buffer.alloc(32), cipherKey: Buffer.alloc(32) };

/**
 * Reads a token for one purpose. Returns undefined for every kind of fault (form, key, purpose, proof, time), so that
 * a caller can't answer differently. The caller compares the epoch.
 */
export function readLink(
  keys: readonly LinkKey[],
  purpose: LinkPurpose,
  token: string,
  now: number,
): LinkClaim | undefined {
  const [id, body = '', ...rest] = token.length > LONGEST ? [] : token.split('.');
  // The computation is the same for every fault, so that the time it takes reveals nothing.
  const key = keys.find((one) => one.id === id) ?? NO_KEY;
  const bytes = Buffer.from(body, 'base64url');
  const start = Buffer.alloc(PROOF_BYTES);
  bytes.copy(start);
  const payload = encrypted(key.cipherKey, start, bytes.subarray(PROOF_BYTES));
  const same = timingSafeEqual(proof(key.key, purpose, payload), start);
  // Base64url has several spellings of the last bits. Only the one this program writes is accepted.
  if (key === NO_KEY || !same || rest.length > 0 || bytes.toString('base64url') !== body) return undefined;
  const [account, subscription, destination, edition, epoch, seconds, posting] = JSON.parse(
    payload.toString(),
  ) as [string, string, string, string, number, number, string?];
  if (seconds > 0 && now >= seconds * 1000) return undefined;
  return {
    purpose,
    account,
    epoch,
    ...defined({
      subscription: subscription || undefined,
      destination: destination || undefined,
      edition: edition || undefined,
      posting: posting || undefined,
      expiresAt: seconds > 0 ? seconds * 1000 : undefined,
    }),
  };
}

/** Addresses of the pages that the mails of one account link to. */
export interface Links {
  unsubscribe(about: LinkSubject): string;
  /** `edition`: the time of the unsubscribing it undoes, or `any` on a page whose link may change all. */
  resubscribe(about: LinkSubject & { readonly edition: string }): string;
  preferences(about: LinkSubject): string;
  /** The page with all subscriptions of an account. `edition`: random; the store knows it until it is used. */
  manage(about: LinkSubject & { readonly edition: string }): string;
  edition(about: LinkSubject & { readonly edition: string }): string;
  feed(about: LinkSubject): string;
  /** The page that saves or hides one posting of an edition. `posting`: see {@link postingRef}. */
  feedback(about: LinkSubject & { readonly edition: string; readonly posting: string }): string;
  /** Address for a confirm mail. The token is random and stored elsewhere. */
  confirm(token: string): string;
}

/** The account and stream a link is about. `epoch` is the account's current one; `now` is when the link is made. */
export interface LinkSubject {
  readonly account: string;
  readonly subscription?: string;
  readonly destination?: string;
  readonly epoch: number;
  readonly now: number;
}

/** Makes addresses below `publicUrl` (without a trailing slash). */
export function createLinks(keys: readonly LinkKey[], publicUrl: string): Links {
  const make =
    (purpose: LinkPurpose) =>
    ({ now, ...about }: LinkSubject & { readonly edition?: string; readonly posting?: string }): string => {
      const life = LINK_LIFE[purpose];
      const claim = {
        ...about,
        purpose,
        ...defined({ expiresAt: life === undefined ? undefined : now + life }),
      };
      const path = purpose === 'edition' ? 'editions' : purpose;
      return `${publicUrl}/${path}/${signLink(keys, claim)}`;
    };
  return {
    unsubscribe: make('unsubscribe'),
    resubscribe: make('resubscribe'),
    preferences: make('preferences'),
    manage: make('manage'),
    edition: make('edition'),
    feed: make('feed'),
    feedback: make('feedback'),
    confirm: (token) => `${publicUrl}/confirm/${token}`,
  };
}
