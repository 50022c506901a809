// The kinds of settings that only the environment has, as schemas of text. Their messages say what is wanted, so that all
// faults are reported in the same form.
import { createPrivateKey } from 'node:crypto';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import * as v from 'valibot';
import { contrast, TEXT_CONTRAST } from '../domain/color.js';
import { discordId } from '../domain/discord-id.js';
import { text } from '../domain/input.js';
import { usableLink } from '../domain/posting.js';
import { CRON } from '../domain/schedule.js';
import { secret } from '../domain/secret.js';
import { readPostgresUrl } from '../store/postgres/url.js';

/** Text of a pattern. */
function like(pattern: RegExp, wanted: string) {
  return v.pipe(v.string(), v.regex(pattern, wanted));
}

/** A control character in a setting is a paste error, and would allow injection in a header. */
export function line(wanted: string) {
  return like(/^\P{Cc}*$/u, wanted);
}

export function hidden(wanted: string) {
  return v.pipe(like(/^[^\s\p{Cc}]+$/u, wanted), v.transform(secret));
}

export const FLAG = v.pipe(
  v.string(),
  v.parseBoolean({ truthy: ['true', 'yes', 'on', '1'], falsy: ['false', 'no', 'off', '0'] }, 'true or false'),
);

function listOf(isItem: (item: string) => boolean, wanted: string) {
  return v.pipe(
    v.string(),
    v.transform((given) => given.split(',').map((item) => item.trim())),
    v.everyItem(isItem, wanted),
  );
}

export const MODULES = listOf((item) => item !== '', 'a comma list of module paths or package names');

/** IP addresses and networks in CIDR notation. IPv4 addresses must have their own form, not be mapped into IPv6. */
export const NETWORKS = listOf((item) => {
  const [, address = '', bits] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/iu.exec(item) ?? [];
  const version = isIP(address);
  if (version === 0 || Number(bits ?? 0) > (version === 4 ? 32 : 128)) return false;
  return version === 4 || !ipaddr.IPv6.parse(address).isIPv4MappedAddress();
}, 'a comma list of IP addresses or networks');

function parsedUrl(given: string, protocols: readonly string[]): URL | undefined {
  if (/\s/u.test(given) || !URL.canParse(given)) return undefined;
  const url = new URL(given);
  return protocols.includes(url.protocol) ? url : undefined;
}

function isWebAddress(given: string): boolean {
  const url = parsedUrl(given, ['http:', 'https:']);
  return (
    url !== undefined && !url.username && !url.password && !url.search && !url.hash && url.hostname !== ''
  );
}

/**
 * An http(s) address without credentials, query and fragment; returned without a slash at the end. An address with the
 * `ending` that requests add to it is refused.
 */
export function webAddress(wanted = 'an http or https address without query and password', ending?: RegExp) {
  return v.pipe(
    v.string(),
    v.check(isWebAddress, wanted),
    v.transform((given) => given.replace(/\/+$/u, '')),
    v.check((address) => !ending?.test(address), wanted),
  );
}

/** A page that people open. A button of Discord holds an address of at most 512 characters. */
export const LINK = v.pipe(
  v.string(),
  v.check(
    (given) => usableLink(given) && given.length <= 512,
    'an http or https address of at most 512 characters, without user and password',
  ),
);

export const SMTP_URL = v.pipe(
  v.string(),
  v.check(
    (given) => Boolean(parsedUrl(given, ['smtp:', 'smtps:'])?.hostname),
    'an address that begins with smtp:// or smtps://; characters such as @ and / in a password as %40, %2F',
  ),
  v.transform(secret),
);

export const QUEUE_URL = v.pipe(
  v.string(),
  v.check(
    (given) => parsedUrl(given, ['redis:', 'rediss:', 'valkey:', 'valkeys:']) !== undefined,
    'an address that begins with redis:// or rediss://',
  ),
);

/** What is wrong with the address of a store; undefined for one that can be used. */
function storeFault(given: string): string | undefined {
  if (/^sqlite:\/\/(?!:memory:)[^\s?#]+$/u.test(given)) return undefined;
  if (/^postgres(?:ql)?:\/\//iu.test(given)) {
    const read = readPostgresUrl(given);
    return 'faults' in read ? read.faults.join(' ') : undefined;
  }
  // Redis was a store in 0.1, so the message says how to keep what is in it.
  if (/^rediss?:/iu.test(given))
    return 'Redis is no longer a store. Stop the service, move what is in it by `jobcrier store copy --to URL` (sqlite:// or postgres://), and set STORE_URL to that address.';
  return 'an address that begins with sqlite:// or postgres://';
}

export const STORE_URL = v.pipe(
  v.string(),
  v.check(
    (given) => storeFault(given) === undefined,
    ({ input }) => storeFault(input) ?? '',
  ),
);

/** True for the address of a Redis store, which version 0.1 had and which can still be copied from. */
export function isFormerStore(given: string): boolean {
  return /^rediss?:\/\//iu.test(given);
}

/** One or more keys of 32 bytes in base64, separated by commas. */
export const KEYS = v.pipe(
  listOf((key) => decodedLength(key) === 32, '32 bytes in base64, or a comma list of such keys'),
  v.transform((keys) => secret(keys.join(','))),
);

/** The number of bytes that a base64 text encodes; undefined when it is not base64. */
function decodedLength(base64: string): number | undefined {
  return /^[A-Za-z0-9+/_-]+={0,2}$/u.test(base64) ? Buffer.from(base64, 'base64').length : undefined;
}

/** Standard Webhooks, "Signature scheme": padded base64, usually after `whsec_`. Its libraries accept no other form. */
export const WEBHOOK_SECRET = v.pipe(
  like(
    /^(?:whsec_)?(?=.)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u,
    'base64, with or without whsec_ in front',
  ),
  v.transform(secret),
);

/**
 * An RSA private key in PEM; a literal `\n`, as in a one-line environment variable, becomes a line end. The mail library
 * accepts other keys too, but then silently sends every mail unsigned.
 */
export const RSA_KEY = text((given) => {
  const pem = `${given.replaceAll('\\n', '\n').trim()}\n`;
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
    return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= 1024
      ? secret(pem)
      : undefined;
  } catch {
    return undefined;
  }
}, 'an RSA private key in PEM, of 1024 bits or more and without a password; DKIM_KEY_FILE is the easy way');

export const SERVER_ID = text(discordId, 'the id of a server, 17 to 20 digits');

const HOST_NAME =
  /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9])?\.)*[a-z0-9_](?:[a-z0-9_-]*[a-z0-9])?$/iu;

export function hostName(wanted: string) {
  return like(HOST_NAME, wanted);
}

/** What a server listens on: an IP address or a host name. Refuses a name that ends in a number: it reads as an address. */
export const LISTEN_HOST = v.pipe(
  v.string(),
  v.check(
    (given) => isIP(given) !== 0 || (HOST_NAME.test(given) && !/(?:^|\.)\d+\.?$/u.test(given)),
    'a host name or an IP address',
  ),
);

/** `someone@example.org` or `Name <someone@example.org>`. */
export const MAILBOX = v.pipe(
  v.string(),
  v.check((given) => {
    const address = /^[^<>]*<([^<>]+)>$/u.exec(given)?.[1] ?? given;
    return !/\p{Cc}/u.test(given) && /^[^\s@<>",]+@[^\s@<>",]+$/u.test(address);
  }, 'a mail address, with or without a name'),
);

/** `#rrggbb` in small letters. Buttons have white text on it, so its contrast with white is checked. */
export const COLOR = v.pipe(
  like(/^#[\da-f]{6}$/iu, 'a colour as # and six hexadecimal digits'),
  v.toLowerCase(),
  v.check(
    (color) => contrast('#ffffff', color) >= TEXT_CONTRAST,
    ({ input }) =>
      `a darker colour: white text on it has a contrast of ${contrast('#ffffff', input).toFixed(1)}, and needs ${TEXT_CONTRAST}`,
  ),
);

export const SCHEDULE = v.pipe(
  v.string(),
  v.check((given) => v.is(CRON, given), 'a cron expression of 5 or 6 fields'),
);

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
