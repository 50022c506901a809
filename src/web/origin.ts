// Where a request comes from: the address of the client, whether its connection is encrypted, and whether a form was
// on a page of this service. What a proxy says about it counts only when the proxy is one of TRUSTED_PROXIES: anyone
// can send these headers.
import { isIP } from 'node:net';
import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';
import ipaddr from 'ipaddr.js';

/** The client as far as it can be known. */
export interface Client {
  /** An IP address, or `unknown` for a request that came without a network. */
  readonly address: string;
  /** What limits count by: an IPv4 address, the /48 of an IPv6 one (a site has as many addresses in it as it likes). */
  readonly network: string;
  /** A proxy of TRUSTED_PROXIES says that the client's own connection is encrypted. */
  readonly https: boolean;
  /** X-Forwarded-For came from an address that is not in TRUSTED_PROXIES. */
  readonly ignored: boolean;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** An IPv4 address inside an IPv6 one becomes the IPv4 address. A port behind it, as some proxies write, is left out. */
function parsed(text: string): Address | undefined {
  const bare = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/u.exec(text);
  const address = bare?.[1] ?? bare?.[2] ?? text;
  return isIP(address) === 0 ? undefined : ipaddr.process(address);
}

function isWithin(address: Address, networks: readonly Network[]): boolean {
  return networks.some(
    ([base, bits]) => base.kind() === address.kind() && address.match([base, bits] as never),
  );
}

function networkOf(address: Address): string {
  if (address.kind() === 'ipv4') return address.toString();
  return `${(address as ipaddr.IPv6).parts
    .slice(0, 3)
    .map((part) => part.toString(16))
    .join(':')}::/48`;
}

function headerList(c: Context, name: string): string[] {
  const value = c.req.header(name);
  return value === undefined ? [] : value.split(',').map((entry) => entry.trim());
}

/** The address at the other end of the connection; undefined when it was asked without a network. */
function peerOf(c: Context): Address | undefined {
  try {
    return parsed(getConnInfo(c).remote.address ?? '');
  } catch {
    return undefined;
  }
}

/**
 * Tells who asks. `trustedProxies`: addresses and networks in CIDR notation. Each proxy adds the address it was asked
 * from at the end of X-Forwarded-For, so the list is read from its end: the first address that is no trusted proxy is
 * the client's, and what stands before it was written by the client. An entry that is no address ends the reading.
 */
export function createClientOf(trustedProxies: readonly string[]): (c: Context) => Client {
  const trusted = trustedProxies.map(networkIn);

  return (c) => {
    const peer = peerOf(c);
    if (!peer) return { address: 'unknown', network: 'unknown', https: false, ignored: false };
    const said = headerList(c, 'X-Forwarded-For');
    const plain = { address: peer.toString(), network: networkOf(peer), https: false };
    if (!isWithin(peer, trusted)) return { ...plain, ignored: said.length > 0 };
    let client = peer;
    let hops = 0;
    for (const entry of said.toReversed()) {
      const hop = parsed(entry);
      if (!hop) break;
      client = hop;
      hops++;
      if (!isWithin(hop, trusted)) break;
    }
    const schemes = headerList(c, 'X-Forwarded-Proto');
    // The proxy that was asked by the client knows; the first one may have to speak for all of them.
    const scheme = schemes.at(-Math.max(hops, 1)) ?? schemes[0];
    return {
      address: client.toString(),
      network: networkOf(client),
      https: scheme?.toLowerCase() === 'https',
      ignored: false,
    };
  };
}

/** `text`: an address or a network, checked by the parser of TRUSTED_PROXIES. */
function networkIn(text: string): Network {
  const [address = '', bits] = text.split('/');
  if (bits !== undefined) return ipaddr.parseCIDR(text);
  const one = ipaddr.process(address);
  return [one, one.kind() === 'ipv4' ? 32 : 128] as Network;
}

/** True for a connection that is encrypted, as far as a trusted proxy or PUBLIC_URL says so. */
export function isSecure(c: Context, client: Client, publicUrl: string | undefined): boolean {
  if (client.https) return true;
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
