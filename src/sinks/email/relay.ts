// What the address of the relay says about the line to it. A password never goes over a readable one to another
// machine, unless whoever wrote the address says that it may.

/** Only this machine hears what is said to such a host. `host` as in a URL: IPv6 in brackets. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/iu.test(host);
}

/**
 * Whether the line must be encrypted before the login: smtp:// with a user, to another machine. `?requireTLS=false` or
 * `?ignoreTLS=true` in the address says that it need not be.
 */
export function mustEncrypt({ protocol, username, hostname, searchParams }: URL): boolean {
  const waived = searchParams.get('requireTLS') === 'false' || searchParams.get('ignoreTLS') === 'true';
  return protocol === 'smtp:' && username !== '' && !isLoopback(hostname) && !waived;
}
