// Delivery reports (RFC 3464) and complaints (RFC 5965) as mails. Anyone can send one, so a mail is read in one pass:
// its lines once, the fields of each block once, and of a report with very many recipients only the first ones.
import { parseAddress, verpToken } from './address.js';

/** One recipient's fate. `status` as in RFC 3463; a complaint has none. */
export interface BounceReport {
  readonly who: { readonly token: string } | { readonly address: string };
  readonly status?: string;
  readonly complaint?: true;
  /** The far side goes on trying: nothing has come to an end yet. */
  readonly delayed?: true;
  /** Message-ID of the mail it is about, where it is named. */
  readonly message?: string;
}

/** A report is some 10 KB, 60 KB with the mail that it quotes. Bytes. */
export const LARGEST_REPORT = 256 * 1024;

/** Our mails have one recipient each, so a report names one; some servers put several of their reports together. */
const MOST_BLOCKS = 50;
/** Lines that quote a server's answer, looked at for a more precise status. */
const MOST_ANSWERS = 50;
const LONGEST_ANSWER = 1000;

type Fields = ReadonlyMap<string, string>;

/** Header fields by name in lower case, unfolded; of several with one name the first. */
function fieldsOf(lines: readonly string[]): Fields {
  const parts = new Map<string, string[]>();
  let current: string[] | undefined;
  for (const line of lines) {
    if (/^[ \t]/u.test(line)) {
      current?.push(line.trim());
      continue;
    }
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    current = name !== '' && !parts.has(name) ? [line.slice(colon + 1).trim()] : undefined;
    if (current) parts.set(name, current);
  }
  return new Map([...parts].map(([name, texts]) => [name, texts.join(' ').trim()]));
}

/** Runs of lines between empty ones; the first is the mail's own header. */
function blocksOf(lines: readonly string[]): readonly (readonly string[])[] {
  const blocks: string[][] = [[]];
  for (const line of lines) {
    if (line.trim() !== '') blocks.at(-1)?.push(line);
    else if (blocks.length === 1 || blocks.at(-1)?.length !== 0) blocks.push([]);
  }
  return blocks;
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

function bare(address: string | undefined): string | undefined {
  return address?.replace(/[<>]/gu, '');
}

/** The header of a mail. The first empty line ends it. */
function headOf(mail: string): Fields {
  const end = /\n\r?\n/u.exec(mail)?.index ?? mail.length;
  return fieldsOf(linesOf(mail.slice(0, end)));
}

function tokenIn(head: Fields): string | undefined {
  const receivers = ['delivered-to', 'x-original-to', 'to', 'x-envelope-to'];
  return receivers.map((name) => verpToken(bare(head.get(name)) ?? '')).find(Boolean);
}

/** The token in a mail's header that says which mail of ours came back; nothing behind the header is looked at. */
export function reportToken(mail: string): string | undefined {
  return tokenIn(headOf(mail));
}

/** The link token of a mail that asks to unsubscribe (the mailto of List-Unsubscribe). */
export function unsubscribeToken(mail: string): string | undefined {
  return /^unsubscribe[ +]([\w-]+\.[\w-]+)$/iu.exec(headOf(mail).get('subject') ?? '')?.[1];
}

/** Whom a report is about: the token where there is one, else the address. Undefined for what is neither. */
export function person(
  token: string | undefined,
  address: string | undefined,
): BounceReport['who'] | undefined {
  if (token) return { token };
  try {
    return address ? { address: parseAddress(address) } : undefined;
  } catch {
    return undefined;
  }
}

const ANSWER = /\b[45]\d\d[ -]([45]\.\d{1,3}\.\d{1,3})\b/u;

/** The enhanced status code in what a server answered, such as 5.1.1 in `550 5.1.1 no such user`. */
function statusIn(text: string | undefined): string | undefined {
  return ANSWER.exec((text ?? '').slice(0, LONGEST_ANSWER))?.[1];
}

/** Reads a delivery report or a complaint as it lies in a mailbox; none for any other mail, or one that is too large. */
export function readReport(mail: string): readonly BounceReport[] {
  if (mail.length > LARGEST_REPORT) return [];
  const lines = linesOf(mail);
  const [head = [], ...rest] = blocksOf(lines);
  const token = tokenIn(fieldsOf(head));
  const blocks = rest.map(fieldsOf);
  const original = blocks.find((fields) => fields.has('message-id'))?.get('message-id');
  const message = original ? { message: original } : {};
  const complaint = blocks.find((fields) => /^abuse\b/iu.test(fields.get('feedback-type') ?? ''));
  if (complaint) {
    const who = person(token, bare(complaint.get('original-rcpt-to')));
    return who ? [{ who, complaint: true, ...message }] : [];
  }
  const answers = lines.filter((line) => statusIn(line) !== undefined).slice(0, MOST_ANSWERS);
  const statuses = blocks.filter((fields) => fields.has('status')).slice(0, MOST_BLOCKS);
  const reports = statuses.flatMap((fields): readonly BounceReport[] => {
    const status = /^([45]\.\d{1,3}\.\d{1,3})/u.exec(fields.get('status') ?? '')?.[1];
    const [action] = /^(?:failed|delayed)/iu.exec(fields.get('action') ?? '') ?? [];
    // "relayed", "delivered" and "expanded" are no failure, and a status of 2.x.x is none either.
    if (!status || !action) return [];
    const address = (fields.get('original-recipient') ?? fields.get('final-recipient'))?.replace(
      /^[\w-]+;[ \t]*/u,
      '',
    );
    const who = person(token, address);
    if (!who) return [];
    if (action.toLowerCase() === 'delayed') return [{ who, status, delayed: true, ...message }];
    return [{ who, status: precise(status, fields, answers, address), ...message }];
  });
  // The token stands for one mail to one reader: however often the report says it, it failed once.
  return token
    ? reports
        .filter(({ delayed }) => !delayed)
        .concat(reports)
        .slice(0, 1)
    : reports;
}

/** Some servers say 5.0.0 where they know better: what the far side answered stands in the words for people. */
function precise(
  status: string,
  fields: Fields,
  answers: readonly string[],
  address: string | undefined,
): string {
  if (!status.endsWith('.0.0')) return status;
  const quoted = answers.filter((line) => address !== undefined && line.includes(address));
  for (const text of [fields.get('diagnostic-code'), ...quoted]) {
    const found = statusIn(text);
    if (found?.startsWith(status.slice(0, 1))) return found;
  }
  return status;
}
