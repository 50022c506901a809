// Verifies a DKIM signature only by the text of RFC 6376, so that the signing library does not check its own
// signature: relaxed/relaxed with RSA and SHA-256, the only form that this program sends.
import { createHash, createVerify, type KeyObject } from 'node:crypto';

/** A header field unchanged, name and value, without the line break at its end. */
interface Field {
  readonly name: string;
  readonly raw: string;
}

function split(mail: Buffer): { fields: Field[]; body: string } {
  const text = mail.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const fields = text
    .slice(0, end)
    .split(/\r\n(?![ \t])/u)
    .map((raw) => ({ name: raw.slice(0, raw.indexOf(':')).trim().toLowerCase(), raw }));
  return { fields, body: text.slice(end + 4) };
}

/** RFC 6376, 3.4.2. */
function relaxedHeader(raw: string): string {
  const at = raw.indexOf(':');
  const value = raw
    .slice(at + 1)
    .replace(/\r\n/gu, '')
    .replace(/[ \t]+/gu, ' ')
    .trim();
  return `${raw.slice(0, at).trim().toLowerCase()}:${value}`;
}

/** RFC 6376, 3.4.4. */
function relaxedBody(body: string): string {
  const lines = body.split('\r\n').map((line) => line.replace(/[ \t]+/gu, ' ').replace(/ $/u, ''));
  while (lines.at(-1) === '') lines.pop();
  return lines.length === 0 ? '' : `${lines.join('\r\n')}\r\n`;
}

export interface DkimVerdict {
  readonly valid: boolean;
  readonly domain: string;
  readonly selector: string;
  /** Names of the signed fields, lower case. */
  readonly signed: readonly string[];
}

/** Checks the first signature of a mail with the public key that its selector would publish. */
export function verifyDkim(mail: Buffer, publicKey: KeyObject): DkimVerdict {
  const { fields, body } = split(mail);
  const signature = fields.find((field) => field.name === 'dkim-signature');
  if (!signature) throw new Error('the mail is not signed');
  const tags = new Map(
    signature.raw
      .slice(signature.raw.indexOf(':') + 1)
      .replace(/\s+/gu, '')
      .split(';')
      .filter(Boolean)
      .map((tag) => [tag.slice(0, tag.indexOf('=')), tag.slice(tag.indexOf('=') + 1)] as const),
  );
  if (tags.get('a') !== 'rsa-sha256' || tags.get('c') !== 'relaxed/relaxed')
    throw new Error('another algorithm than this helper knows');
  const bodyHash = createHash('sha256')
    .update(Buffer.from(relaxedBody(body), 'latin1'))
    .digest('base64');
  const signed = (tags.get('h') ?? '').toLowerCase().split(':');
  // Each name takes the lowest field that is not taken yet (RFC 6376, 5.4.2).
  const left = [...fields];
  const lines: string[] = [];
  for (const name of signed) {
    const at = left.findLastIndex((field) => field.name === name);
    if (at >= 0) lines.push(`${relaxedHeader((left.splice(at, 1)[0] as Field).raw)}\r\n`);
  }
  const own = relaxedHeader(signature.raw).replace(/(\bb=)[^;]*/u, '$1');
  const data = Buffer.from(lines.join('') + own, 'latin1');
  const proof = Buffer.from(tags.get('b') ?? '', 'base64');
  return {
    valid: bodyHash === tags.get('bh') && createVerify('RSA-SHA256').update(data).verify(publicKey, proof),
    domain: tags.get('d') ?? '',
    selector: tags.get('s') ?? '',
    signed,
  };
}
