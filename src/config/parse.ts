// Parsers that turn the text of a setting into a value. Each returns undefined for a text it can't use. The table in
// settings.ts says what is wanted, so that all faults are reported in the same form.
import { createPrivateKey } from 'node:crypto';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { scheduleFaults } from '../domain/schedule.js';
import { type Secret, secret } from '../domain/secret.js';
import { readPostgresUrl } from '../store/postgres/url.js';

export function text(given: string): string | undefined {
  // A control character in a setting is a paste error, and would allow injection in a header.
  return /\p{Cc}/u.test(given) ? undefined : given;
}

function word(given: string): string | undefined {
  return /^[^\s\p{Cc}]+$/u.test(given) ? given : undefined;
}

export function hidden(given: string): Secret | undefined {
  return word(given) === undefined ? undefined : secret(given);
}

export function whole(min: number, max: number): (given: string) => number | undefined {
  return (given) => {
    const number = /^\d{1,12}$/u.test(given) ? Number(given) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  };
}

export function flag(given: string): boolean | undefined {
  if (/^(?:true|yes|on|1)$/iu.test(given)) return true;
  if (/^(?:false|no|off|0)$/iu.test(given)) return false;
  return undefined;
}

export function oneOf<T extends string>(...values: readonly T[]): (given: string) => T | undefined {
  return (given) => values.find((value) => value === given.toLowerCase());
}

export function list(given: string): readonly string[] | undefined {
  const items = given.split(',').map((item) => item.trim());
  return items.some((item) => item === '') ? undefined : items;
}

/** IP addresses and networks in CIDR notation. IPv4 addresses must have their own form, not be mapped into IPv6. */
export function networks(given: string): readonly string[] | undefined {
  const items = list(given);
  return items?.every((item) => {
    const [, address = '', bits] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/iu.exec(item) ?? [];
    const version = isIP(address);
    if (version === 0 || Number(bits ?? 0) > (version === 4 ? 32 : 128)) return false;
    return version === 4 || !ipaddr.IPv6.parse(address).isIPv4MappedAddress();
  })
    ? items
    : undefined;
}

function parsedUrl(given: string, protocols: readonly string[]): URL | undefined {
  if (/\s/u.test(given) || !URL.canParse(given)) return undefined;
  const url = new URL(given);
  return protocols.includes(url.protocol) ? url : undefined;
}

/** An http(s) address without credentials, query and fragment; returned without a slash at the end. */
export function webAddress(given: string): string | undefined {
  const url = parsedUrl(given, ['http:', 'https:']);
  if (!url || url.username || url.password || url.search || url.hash || url.hostname === '') return undefined;
  return given.replace(/\/+$/u, '');
}

/** The base address of an API: requests add the version and path, so an address that already ends in them is refused. */
export function baseAddress(ending: RegExp): (given: string) => string | undefined {
  return (given) => {
    const address = webAddress(given);
    return address !== undefined && !ending.test(address) ? address : undefined;
  };
}

export function smtpUrl(given: string): Secret | undefined {
  const url = parsedUrl(given, ['smtp:', 'smtps:']);
  return url && url.hostname !== '' ? secret(given) : undefined;
}

export function queueUrl(given: string): string | undefined {
  return parsedUrl(given, ['redis:', 'rediss:', 'valkey:', 'valkeys:']) ? given : undefined;
}

export function storeUrl(given: string): string | undefined {
  if (/^sqlite:\/\/(?!:memory:)[^\s?#]+$/u.test(given)) return given;
  const read = isPostgres(given) && readPostgresUrl(given);
  return read && 'address' in read ? given : undefined;
}

function isPostgres(given: string): boolean {
  return /^postgres(?:ql)?:\/\//iu.test(given);
}

/**
 * A specific message for a store address that can't be used; undefined when the general one is enough. Redis was a store
 * in 0.1, so the message says how to keep the data of such a store.
 */
export function refusedStore(given: string): string | undefined {
  const read = isPostgres(given) && readPostgresUrl(given);
  if (read && 'faults' in read) return read.faults.join(' ');
  if (!/^rediss?:/iu.test(given)) return undefined;
  return 'Redis is no longer a store. Stop the service, move what is in it by `jobcrier store copy --to URL` (sqlite:// or postgres://), and set STORE_URL to that address.';
}

/** An address of a Redis store, which version 0.1 had and which can still be copied from. */
export function formerStore(given: string): string | undefined {
  return /^rediss?:\/\//iu.test(given) ? given : undefined;
}

/** One or more keys of 32 bytes in base64, separated by commas. */
export function keyList(given: string): Secret | undefined {
  const keys = given.split(',').map((key) => key.trim());
  const sound = keys.every((key) => decodedLength(key) === 32);
  return sound ? secret(keys.join(',')) : undefined;
}

/** The number of bytes that a base64 text encodes; undefined when it is not base64. */
function decodedLength(base64: string): number | undefined {
  return /^[A-Za-z0-9+/_-]+={0,2}$/u.test(base64) ? Buffer.from(base64, 'base64').length : undefined;
}

/** Standard Webhooks, "Signature scheme": padded base64, usually after `whsec_`. Its libraries accept no other form. */
export function webhookSecret(given: string): Secret | undefined {
  const base64 = given.replace(/^whsec_/u, '');
  const isSound = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u.test(base64);
  return isSound && base64 !== '' ? secret(given) : undefined;
}

/**
 * An RSA private key in PEM; a literal `\n`, as in a one-line environment variable, becomes a line end. The mail library
 * accepts other keys too, but then silently sends every mail unsigned.
 */
export function rsaKey(given: string): Secret | undefined {
  const pem = `${given.replaceAll('\\n', '\n').trim()}\n`;
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
    return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= 1024
      ? secret(pem)
      : undefined;
  } catch {
    return undefined;
  }
}

export function hostName(given: string): string | undefined {
  return /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9])?\.)*[a-z0-9_](?:[a-z0-9_-]*[a-z0-9])?$/iu.test(
    given,
  )
    ? given
    : undefined;
}

/** What a server listens on: an IP address or a host name. Refuses a name that ends in a number: it reads as an address. */
export function listenHost(given: string): string | undefined {
  if (isIP(given) !== 0) return given;
  return /(?:^|\.)\d+\.?$/u.test(given) ? undefined : hostName(given);
}

/** `someone@example.org` or `Name <someone@example.org>`. */
export function mailbox(given: string): string | undefined {
  if (text(given) === undefined) return undefined;
  const address = /^[^<>]*<([^<>]+)>$/u.exec(given)?.[1] ?? given;
  return /^[^\s@<>",]+@[^\s@<>",]+$/u.test(address) ? given : undefined;
}

export function cron(given: string): string | undefined {
  return scheduleFaults(given, 'UTC').length === 0 ? given : undefined;
}

/**
 * The address for display, without its password and the values of its query. A password that is not encoded may hold a
 * slash or an "@", so everything before the last "@" is the login. If that holds a "?", only the scheme is shown.
 */
export function withoutPassword(given: string): string {
  if (/^sqlite:/iu.test(given)) return given;
  const [, scheme = '', login, rest = ''] =
    /^((?:[a-z][\w+.-]*:(?=\/))?\/*)(?:(.*)@)?(.*)$/isu.exec(given) ?? [];
  if (login?.includes('?')) return `${scheme}***`;
  const user = login?.includes(':') ? login.slice(0, login.indexOf(':')) : '';
  const shown = login === undefined ? given : `${scheme}${user}:***@${rest}`;
  return shown.replace(/(?<=[?&][^=&]*=)[^&#]*/gu, '***');
}
