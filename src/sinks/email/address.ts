// Brings the addresses that people type into one form, so that consent, suppression and the identity of a destination
// all mean the same mailbox. Refuses anything that could add a second recipient.
import { createHmac } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { UserError } from '../../domain/errors.js';
import type { LinkKey } from '../../domain/link-token.js';
import type { Destination } from '../../domain/subscription.js';

/** True for a destination whose reader gets mails. */
export function isMail({ sink }: Pick<Destination, 'sink'>): boolean {
  return sink === 'email';
}

const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/iu;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/u;

/**
 * Returns the address with its domain in lower case and ASCII and the local part as typed. Throws a {@link UserError}
 * that does not repeat the address, because errors are logged.
 */
export function parseAddress(value: unknown): string {
  // An address has at most 254 characters. The higher limit allows for spaces that copying adds.
  const text = typeof value === 'string' && value.length <= 400 ? value.trim() : '';
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(0, at));
  const domain = domainToASCII(text.slice(at + 1)).toLowerCase();
  const fits = text.length <= 254 && local.length <= 64 && !/[\s\p{Cc},;<>"()]/u.test(text);
  if (at < 1 || !fits || !LOCAL.test(local) || !DOMAIN.test(domain))
    throw new UserError('email target: wanted one mail address such as you@example.org.', 2, {
      name: 'address',
    });
  return `${local}@${domain}`;
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

/** `Job crier <jobs@example.org>` or a bare address, as MAIL_FROM holds it. */
export function parseMailbox(text: string): { readonly name: string; readonly address: string } {
  const match = /^\s*(?:"?([^"<>]*?)"?\s*)?<([^<>]+)>\s*$/u.exec(text);
  return { name: match?.[1]?.trim() ?? '', address: parseAddress(match ? match[2] : text) };
}

/** Domains that ignore dots in the local part. */
const DOTLESS: ReadonlySet<string> = new Set(['gmail.com', 'googlemail.com']);

/**
 * The mailbox behind an address, only for counting: text after a plus sign is ignored, and Gmail has two domains and
 * ignores dots. Mails go to the address as typed.
 */
export function oneMailbox(address: string): string {
  const domain = domainOf(address);
  const local = address
    .slice(0, address.lastIndexOf('@'))
    .toLowerCase()
    .replace(/(?!^)\+.*$/u, '');
  return DOTLESS.has(domain) ? `${local.replaceAll('.', '')}@gmail.com` : `${local}@${domain}`;
}

/**
 * 32 hex digits that stand for an address where the address itself must not be stored, one per key. The current key
 * is first; the others find what was written under former keys.
 */
export function addressKeys(keys: readonly LinkKey[], address: string): readonly string[] {
  const same = address.trim().toLowerCase();
  return keys.map(({ key }) => createHmac('sha256', key).update(same).digest('hex').slice(0, 32));
}

/** RFC 5321, 4.5.3.1.1. */
const LOCAL_MAX = 64;

/** The envelope sender for one recipient (VERP): a bounce shows whom it is about even if it quotes no address. */
export function verpAddress(bounce: string, token: string): string {
  const at = bounce.lastIndexOf('@');
  const local = `${bounce.slice(0, at)}${bounce.slice(0, at).includes('+') ? '-' : '+'}b${token}`;
  return local.length <= LOCAL_MAX ? `${local}${bounce.slice(at)}` : bounce;
}

/** The token in an envelope sender that came back as a recipient; undefined without one. */
export function verpToken(address: string): string | undefined {
  return /[+-]b([0-9a-f]{32})@/iu.exec(address)?.[1]?.toLowerCase();
}
