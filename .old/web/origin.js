// Where a request comes from: the address of the client, whether its connection is encrypted, and whether a form was
// on a page of this service. X-Forwarded-For and -Proto count only from a proxy in TRUSTED_PROXIES, because anyone
// can send these headers.
import { isIP } from 'node:net';
import { getConnInfo } from '@hono/node-server/conninfo';
import ipaddr from 'ipaddr.js';
/** An IPv4-mapped IPv6 address becomes the IPv4 address. A port, which some proxies add, is removed. */
function parsed(text) {
    const bare = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/u.exec(text);
    const address = bare?.[1] ?? bare?.[2] ?? text;
    return isIP(address) === 0 ? undefined : ipaddr.process(address);
}
function isWithin(address, networks) {
    return networks.some(([base, bits]) => base.kind() === address.kind() && address.match([base, bits]));
}
function networkOf(address) {
    if (address.kind() === 'ipv4')
        return address.toString();
    return `${address.parts
        .slice(0, 3)
        .map((part) => part.toString(16))
        .join(':')}::/48`;
}
function headerList(c, name) {
    const value = c.req.header(name);
    return value === undefined ? [] : value.split(',').map((entry) => entry.trim());
}
/** The address at the other end of the connection; undefined without a network connection. */
function peerOf(c) {
    try {
        return parsed(getConnInfo(c).remote.address ?? '');
    }
    catch {
        return undefined;
    }
}
/**
 * Returns a function that finds the client of a request. `trustedProxies`: addresses and networks in CIDR notation.
 * Each proxy appends the address of its caller to X-Forwarded-For, so the list is read from the end: the first
 * address that is not a trusted proxy is the client's. The client wrote the entries before it. Reading stops at an
 * entry that is not an address.
 */
export function createClientOf(trustedProxies) {
    const trusted = trustedProxies.map(networkIn);
    return (c) => {
        const peer = peerOf(c);
        if (!peer)
            return { address: 'unknown', network: 'unknown', https: false, ignored: false };
        const said = headerList(c, 'X-Forwarded-For');
        const plain = { address: peer.toString(), network: networkOf(peer), https: false };
        if (!isWithin(peer, trusted))
            return { ...plain, ignored: said.length > 0 };
        let client = peer;
        let hops = 0;
        for (const entry of said.toReversed()) {
            const hop = parsed(entry);
            if (!hop)
                break;
            client = hop;
            hops++;
            if (!isWithin(hop, trusted))
                break;
        }
        const schemes = headerList(c, 'X-Forwarded-Proto');
        // The entry of the proxy that the client connected to; with fewer entries than proxies, the first one.
        const scheme = schemes.at(-Math.max(hops, 1)) ?? schemes[0];
        return {
            address: client.toString(),
            network: networkOf(client),
            https: scheme?.toLowerCase() === 'https',
            ignored: false,
        };
    };
}
/** `text`: an address or a network, already checked by the parser of TRUSTED_PROXIES. */
function networkIn(text) {
    const [address = '', bits] = text.split('/');
    if (bits !== undefined)
        return ipaddr.parseCIDR(text);
    const one = ipaddr.process(address);
    return [one, one.kind() === 'ipv4' ? 32 : 128];
}
/** True if a trusted proxy, or PUBLIC_URL for its own host, shows that the connection is encrypted. */
export function isSecure(c, client, publicUrl) {
    if (client.https)
        return true;
    if (!publicUrl?.startsWith('https:'))
        return false;
    return c.req.header('Host') === new URL(publicUrl).host;
}
/**
 * False for a form that a page of another site posted. Browsers send Sec-Fetch-Site on connections that they consider
 * secure, else Origin, which is "null" for our own pages because they send no referrer.
 */
export function isOwnForm(c, publicUrl) {
    const site = c.req.header('Sec-Fetch-Site');
    if (site !== undefined)
        return site === 'same-origin';
    const origin = c.req.header('Origin');
    if (origin === undefined || origin === 'null')
        return true;
    if (!URL.canParse(origin))
        return false;
    const own = [c.req.header('Host'), c.req.header('X-Forwarded-Host'), publicUrl && new URL(publicUrl).host];
    return own.includes(new URL(origin).host);
}
//# sourceMappingURL=origin.js.map