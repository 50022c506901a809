// What the relay's URL says about encryption. A password never goes unencrypted to another machine, unless the
// operator allows that in the URL.

/** True for a host that is this machine. `host` as in a URL: IPv6 in brackets. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/iu.test(host);
}

/**
 * True if the connection must be encrypted before the login: smtp:// with a user, to another machine.
 * `?requireTLS=false` or `?ignoreTLS=true` in the URL turns that off.
 */
export function mustEncrypt({ protocol, username, hostname, searchParams }: URL): boolean {
  const waived = searchParams.get('requireTLS') === 'false' || searchParams.get('ignoreTLS') === 'true';
  return protocol === 'smtp:' && username !== '' && !isLoopback(hostname) && !waived;
}
