// Reads the address of a PostgreSQL store as libpq does (PostgreSQL manual, "Connection URIs"): several hosts, and
// parameters by their PostgreSQL names. Unsupported settings are refused, not ignored.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type ConnectionOptions, createSecureContext } from 'node:tls';
import { defined } from '../../domain/defined.js';

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type SslMode = (typeof SSL_MODES)[number];

export interface PostgresAddress {
  /** At least one. A host that begins with a slash is the folder of a Unix socket; '' is the driver's default. */
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  readonly applicationName: string;
  /** The most connections open at the same time. */
  readonly connections: number;
  /** How long connecting to one host may take, in milliseconds. */
  readonly connectMs: number;
  /** How long the server may work on one statement, in milliseconds. */
  readonly statementMs: number;
  /** Command line options for the server, such as `-c search_path=…`. */
  readonly options?: string;
  readonly ssl: {
    readonly mode: SslMode;
    /** Paths. `system` stands for the certificates that Node trusts. */
    readonly rootcert?: string;
    readonly cert?: string;
    readonly key?: string;
  };
}

const DEFAULT_CONNECTIONS = 10;
const PARAMETERS = [
  'application_name',
  'channel_binding',
  'connect_timeout',
  'connection_limit',
  'dbname',
  'host',
  'options',
  'password',
  'port',
  'ssl',
  'sslcert',
  'sslkey',
  'sslmode',
  'sslrootcert',
  'statement_timeout',
  'target_session_attrs',
  'user',
] as const;
type Parameter = (typeof PARAMETERS)[number];

/**
 * Returns the address, or all its faults: sentences that name the part and what is wanted, and never contain a password.
 */
export function readPostgresUrl(
  url: string,
): { readonly address: PostgresAddress } | { readonly faults: readonly string[] } {
  const [, authority, path = '', query = ''] =
    /^postgres(?:ql)?:\/\/([^/?#\s]*)(?:\/([^?#\s]*))?(?:\?([^#\s]*))?$/iu.exec(url) ?? [];
  if (authority === undefined)
    return {
      faults: [
        'wanted postgres://user:password@host:port/database, with what is special in it percent-encoded.',
      ],
    };
  const faults: string[] = [];
  const decoded = (part: string, text: string): string => {
    try {
      return decodeURIComponent(text);
    } catch {
      faults.push(`${part}: wanted percent-encoded text; a "%" itself is written %25.`);
      return '';
    }
  };
  const given = parametersOf(query, decoded, faults);
  const oneOf = <T extends string>(name: Parameter, wanted: readonly T[], otherwise: T): T => {
    const value = given.get(name) ?? otherwise;
    const found = wanted.find((one) => one === value);
    if (!found) faults.push(`${name}: given ${brief(value)}; wanted ${wanted.join(', ')}.`);
    return found ?? otherwise;
  };
  const number = (name: Parameter, min: number, max: number, otherwise: number): number => {
    const value = given.get(name) ?? String(otherwise);
    const found = /^\d{1,6}$/u.test(value) ? Number(value) : Number.NaN;
    if (found >= min && found <= max) return found;
    faults.push(`${name}: given ${brief(value)}; wanted a whole number from ${min} to ${max}.`);
    return otherwise;
  };

  const at = authority.lastIndexOf('@');
  const [user = '', ...password] = at < 0 ? [] : authority.slice(0, at).split(':');
  const login = {
    user: given.get('user') ?? decoded('user', user),
    password: given.get('password') ?? decoded('password', password.join(':')),
    database: given.get('dbname') ?? decoded('database', path),
    options: given.get('options') ?? '',
  };
  const hosts = hostsOf(decoded('host', authority.slice(at + 1)), given, faults);
  // The store writes, so it can't use any other kind of session.
  oneOf('target_session_attrs', ['read-write', 'primary'], 'read-write');
  // The driver binds a login to its TLS channel when the server offers it, but can't require it.
  oneOf('channel_binding', ['prefer', 'disable'], 'prefer');
  const plain = oneOf('ssl', ['true', 'false'], 'false') === 'true' ? 'require' : 'prefer';
  const address: PostgresAddress = {
    hosts,
    ...Object.fromEntries(Object.entries(login).filter(([, value]) => value !== '')),
    applicationName: given.get('application_name') ?? 'jobcrier',
    connections: number('connection_limit', 2, 1000, DEFAULT_CONNECTIONS),
    connectMs: 1000 * number('connect_timeout', 1, 20, 5),
    statementMs: number('statement_timeout', 1000, 15_000, 15_000),
    ssl: {
      mode: oneOf('sslmode', SSL_MODES, plain),
      ...pathsOf(given),
    },
  };
  faults.push(...sslFaults(address.ssl));
  return faults.length > 0 ? { faults } : { address };
}

function parametersOf(
  query: string,
  decoded: (part: string, text: string) => string,
  faults: string[],
): ReadonlyMap<Parameter, string> {
  const given = new Map<Parameter, string>();
  for (const pair of query.split('&').filter((one) => one !== '')) {
    const [, text = '', value = ''] = /^([^=]*)=?(.*)$/u.exec(pair) ?? [];
    const name = PARAMETERS.find((one) => one === text);
    if (!name) faults.push(`${brief(text)}: not a known parameter; wanted ${PARAMETERS.join(', ')}.`);
    else if (given.has(name)) faults.push(`${name}: given twice; wanted once.`);
    else given.set(name, decoded(name, value));
  }
  return given;
}

function hostsOf(
  listed: string,
  given: ReadonlyMap<Parameter, string>,
  faults: string[],
): PostgresAddress['hosts'] {
  const ports = given.get('port')?.split(',') ?? [];
  const names = (given.get('host') ?? listed).split(',');
  if (ports.length > 1 && ports.length !== names.length)
    faults.push(
      `port: given ${ports.length}; wanted one for all hosts or one for each of the ${names.length}.`,
    );
  return names.map((text, index) => {
    const which = names.length > 1 ? `host ${index + 1}` : 'host';
    const socket = /^(\/[^:]*)(?::(\d+))?$/u.exec(text);
    const [, name = '', port] = socket ?? /^(\[[\da-f:.]+\]|[^:[\]@]*)(?::([^:]*))?$/iu.exec(text) ?? [];
    if (name === '' && (names.length > 1 || text !== ''))
      faults.push(`${which}: wanted a name or an address, for example db1.example.org:5432 or [::1]:5432.`);
    const wanted = port || ports[index] || ports[0] || '5432';
    const number = /^\d{1,5}$/u.test(wanted) ? Number(wanted) : 0;
    if (number < 1 || number > 65_535)
      faults.push(`${which}: given port ${brief(wanted)}; wanted a whole number from 1 to 65535.`);
    return { host: name.replace(/^\[(.*)\]$/u, '$1'), port: number };
  });
}

function pathsOf(given: ReadonlyMap<Parameter, string>): Omit<PostgresAddress['ssl'], 'mode'> {
  const path = (name: Parameter) => given.get(name) || undefined;
  const [rootcert, cert, key] = [path('sslrootcert'), path('sslcert'), path('sslkey')];
  return defined({ rootcert, cert, key });
}

/** As in libpq, a setting that would verify nothing is a fault, because it looks as if it did. */
function sslFaults({ mode, rootcert, cert, key }: PostgresAddress['ssl']): readonly string[] {
  const faults: string[] = [];
  if (mode === 'verify-ca' && !rootcert)
    faults.push(
      'sslmode: verify-ca needs sslrootcert, the file of the certificate to trust; or use verify-full.',
    );
  if (rootcert === 'system' && mode !== 'verify-full')
    faults.push(
      'sslrootcert: system needs sslmode=verify-full, because anyone can get a certificate that it trusts.',
    );
  if ((cert === undefined) !== (key === undefined))
    faults.push(`${cert ? 'sslkey' : 'sslcert'}: not given; wanted both sslcert and sslkey, or neither.`);
  return faults;
}

/**
 * Returns how to encrypt: false, or options for Node's TLS. `faults`: files that can't be read or are not PEM. As in
 * libpq, `require` with a root certificate verifies like `verify-ca`; without one, `prefer` and `require` verify nothing.
 */
export function tlsOf({ mode, rootcert, cert, key }: PostgresAddress['ssl']): {
  readonly tls: false | ConnectionOptions;
  readonly faults: readonly string[];
} {
  const faults: string[] = [];
  if (mode === 'disable') return { tls: false, faults };
  const read = (name: string, path: string | undefined) => {
    if (path === undefined) return undefined;
    try {
      return readFileSync(resolve(path), 'utf8');
    } catch (error) {
      faults.push(`${name}: the file can't be read (${(error as NodeJS.ErrnoException).code}).`);
      return undefined;
    }
  };
  const files = {
    ca: rootcert === 'system' ? undefined : read('sslrootcert', rootcert),
    cert: read('sslcert', cert),
    key: read('sslkey', key),
  };
  const options: ConnectionOptions = defined(files);
  if (faults.length === 0)
    try {
      if (files.ca !== undefined && !files.ca.includes('-----BEGIN CERTIFICATE-----'))
        throw new Error('no PEM');
      createSecureContext(options);
    } catch {
      faults.push(
        'sslrootcert, sslcert, sslkey: wanted PEM files: certificates, and the key of sslcert without a password.',
      );
    }
  if (mode === 'verify-full') return { tls: options, faults };
  if (mode === 'prefer' || !rootcert) return { tls: { ...options, rejectUnauthorized: false }, faults };
  return { tls: { ...options, checkServerIdentity: () => undefined }, faults };
}

/** Returns short, simple values only. Any part of the address may contain a password by mistake. */
function brief(text: string): string {
  return /^[\w.-]{1,24}$/u.test(text) ? text : 'something else';
}
