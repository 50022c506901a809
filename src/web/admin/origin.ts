// Where a request comes from: the address that tries to sign in, whether the connection is encrypted, and whether a
// form was really on a page of ours.
import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';
import ipaddr from 'ipaddr.js';

const BEHIND_PROXY = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal']);

function parsed(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return ipaddr.isValid(text) ? ipaddr.process(text) : undefined;
}

/**
 * The address tries are counted for. From a neighbour, which may be a proxy, it is what the proxy says it saw, the
 * last entry, because whatever stands before it came from outside. IPv6 counts by its network: a host has as many
 * addresses there as it likes.
 */
export function addressOf(c: Context): string {
  let peer = '';
  try {
    peer = getConnInfo(c).remote.address ?? '';
  } catch {
    // Asked without a network.
  }
  const direct = parsed(peer);
  const forwarded = c.req.header('X-Forwarded-For')?.split(',').at(-1)?.trim() ?? '';
  const isNeighbour = direct === undefined || BEHIND_PROXY.has(direct.range());
  const address = (isNeighbour ? parsed(forwarded) : undefined) ?? direct;
  if (!address) return 'unknown';
  if (address.kind() === 'ipv4') return address.toString();
  return `${(address as ipaddr.IPv6).parts.slice(0, 4).join(':')}::`;
}

/** True when the browser's own connection is encrypted, as far as a proxy or PUBLIC_URL says so. */
export function isSecure(c: Context, publicUrl: string | undefined): boolean {
  if (c.req.header('X-Forwarded-Proto')?.split(',').at(-1)?.trim() === 'https') return true;
  if (!publicUrl?.startsWith('https:')) return false;
  return c.req.header('Host') === new URL(publicUrl).host;
}

/**
 * False for a form that another site's page posted. Browsers say so in Sec-Fetch-Site, where the connection counts as
 * safe, else in Origin, which our own pages leave empty ("null") because they send no referrer.
 */
export function isOwnForm(c: Context, publicUrl: string | undefined): boolean {
  const site = c.req.header('Sec-Fetch-Site');
  if (site !== undefined) return site === 'same-origin';
  const origin = c.req.header('Origin');
  if (origin === undefined || origin === 'null') return true;
  if (!URL.canParse(origin)) return false;
  const own = [c.req.header('Host'), c.req.header('X-Forwarded-Host'), publicUrl && new URL(publicUrl).host];
  return own.includes(new URL(origin).host);
}
