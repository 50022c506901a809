// Users type webhook targets, so a target must not give access to the network that this program runs in. What counts
// is the address of the connection: names are checked after they are resolved.
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** All global IPv6 unicast addresses (RFC 4291, 2.4; IANA has assigned no others). */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** True for a public address: not private, loopback, link-local, carrier, test or tunnel. Mapped ones count as IPv4. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(GLOBAL_V6);
}

/** True for a host that clearly names this machine or network. The name is not resolved. */
export function isPrivateName(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/gu, '').replace(/\.$/u, '');
  if (isIP(host)) return !isPublicAddress(host);
  return !host.includes('.') || /\.(?:localhost|local|internal|lan|home\.arpa)$/iu.test(host);
}

/** The error code for a name with an address that is not public. */
export const NOT_PUBLIC = 'ENOTPUBLIC';

type Callback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/** `dns.lookup` in the one form used here. */
export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Returns a `lookup` for sockets that fails when any address of a name is not public. The connection uses the
 * addresses that were checked here, so a name that resolves differently later has no effect.
 */
export function createPublicLookup(resolve: Resolve = lookup) {
  return (hostname: string, options: LookupOptions, callback: Callback): void => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isPublicAddress(address)))
        return callback(Object.assign(new Error('not a public address'), { code: NOT_PUBLIC }), []);
      if (options.all) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}
