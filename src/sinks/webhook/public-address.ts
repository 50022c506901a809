// Webhook targets are typed by users, so a target must not become a way into the network this program runs in.
// What counts is the address a connection is really made to: names are judged after they are resolved.
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** All global IPv6 unicast addresses there are (RFC 4291, 2.4; IANA has given out no others). */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** True for an address on the public internet: no private, loopback, link-local, carrier, test, mapped or tunnel one. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(GLOBAL_V6);
}

/** True for a host that plainly names this machine or network, whatever it would resolve to. */
export function isPrivateName(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/gu, '').replace(/\.$/u, '');
  if (isIP(host)) return !isPublicAddress(host);
  return !host.includes('.') || /\.(?:localhost|local|internal|lan|home\.arpa)$/iu.test(host);
}

/** The error code of a name with an address that is not public. */
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
 * A `lookup` for sockets that fails when any address of a name is not a public one. The connection is made to the
 * very addresses judged here, so a name that changes its mind in between gains nothing.
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
