// Reads delivery reports (RFC 3464) and complaints (RFC 5965) that arrive as mails. Anyone can send one, so a mail is
// read in one pass: each line once, the fields of each block once, and only the first recipients of a long report.
import { parseAddress, verpToken } from './address.js';
/** Bytes. A report has about 10 KB, or 60 KB with the mail that it quotes. */
export const LARGEST_REPORT = 256 * 1024;
/** Our mails have one recipient each, so a report names one. Some servers combine several reports. */
const MOST_BLOCKS = 50;
/** The most lines with a server's answer that are searched for a more precise status. */
const MOST_ANSWERS = 50;
const LONGEST_ANSWER = 1000;
/** Header fields, unfolded, by name in lower case. If a name repeats, the first field counts. */
function fieldsOf(lines) {
    const parts = new Map();
    let current;
    for (const line of lines) {
        if (/^[ \t]/u.test(line)) {
            current?.push(line.trim());
            continue;
        }
        const colon = line.indexOf(':');
        const name = line.slice(0, Math.max(0, colon)).toLowerCase();
        current = name !== '' && !parts.has(name) ? [line.slice(colon + 1).trim()] : undefined;
        if (current)
            parts.set(name, current);
    }
    return new Map([...parts].map(([name, texts]) => [name, texts.join(' ').trim()]));
}
/** Blocks of lines between empty lines. The first block is the header of the mail. */
function blocksOf(lines) {
    const blocks = [[]];
    for (const line of lines) {
        if (line.trim() !== '')
            blocks.at(-1)?.push(line);
        else if (blocks.length === 1 || blocks.at(-1)?.length !== 0)
            blocks.push([]);
    }
    return blocks;
}
function linesOf(text) {
    return text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}
function bare(address) {
    return address?.replace(/[<>]/gu, '');
}
/** The header of a mail. The first empty line ends it. */
function headOf(mail) {
    const end = /\n\r?\n/u.exec(mail)?.index ?? mail.length;
    return fieldsOf(linesOf(mail.slice(0, end)));
}
function tokenIn(head) {
    const receivers = ['delivered-to', 'x-original-to', 'to', 'x-envelope-to'];
    return receivers.map((name) => verpToken(bare(head.get(name)) ?? '')).find(Boolean);
}
/** The token in a mail's header that shows whose mail came back; undefined without one. Only the header is read. */
export function reportToken(mail) {
    return tokenIn(headOf(mail));
}
/** The link token of a mail that asks to unsubscribe (the mailto of List-Unsubscribe); undefined for other mails. */
export function unsubscribeToken(mail) {
    return /^unsubscribe[ +]([\w-]+\.[\w-]+)$/iu.exec(headOf(mail).get('subject') ?? '')?.[1];
}
/** Whom a report is about: the token if there is one, else the address. Undefined without a token or a valid address. */
export function person(token, address) {
    if (token)
        return { token };
    try {
        return address ? { address: parseAddress(address) } : undefined;
    }
    catch {
        return undefined;
    }
}
const ANSWER = /\b[45]\d\d[ -]([45]\.\d{1,3}\.\d{1,3})\b/u;
/** The enhanced status code in a server's answer, such as 5.1.1 in `550 5.1.1 no such user`. */
function statusIn(text) {
    return ANSWER.exec((text ?? '').slice(0, LONGEST_ANSWER))?.[1];
}
/** Reads a delivery report or a complaint. Returns nothing for any other mail, or for one that is too large. */
export function readReport(mail) {
    if (mail.length > LARGEST_REPORT)
        return [];
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
    const reports = statuses.flatMap((fields) => {
        const status = /^([45]\.\d{1,3}\.\d{1,3})/u.exec(fields.get('status') ?? '')?.[1];
        const [action] = /^(?:failed|delayed)/iu.exec(fields.get('action') ?? '') ?? [];
        // "relayed", "delivered" and "expanded" are not failures, and neither is a status of 2.x.x.
        if (!status || !action)
            return [];
        const address = (fields.get('original-recipient') ?? fields.get('final-recipient'))?.replace(/^[\w-]+;[ \t]*/u, '');
        const who = person(token, address);
        if (!who)
            return [];
        if (action.toLowerCase() === 'delayed')
            return [{ who, status, delayed: true, ...message }];
        return [{ who, status: precise(status, fields, answers, address), ...message }];
    });
    // A token stands for one mail to one reader, so the report counts once: as a failure, or else as a delay.
    return token
        ? reports
            .filter(({ delayed }) => !delayed)
            .concat(reports)
            .slice(0, 1)
        : reports;
}
/** Some servers report x.0.0 although the recipient's server gave a precise code. The text for people has it. */
function precise(status, fields, answers, address) {
    if (!status.endsWith('.0.0'))
        return status;
    const quoted = answers.filter((line) => address !== undefined && line.includes(address));
    for (const text of [fields.get('diagnostic-code'), ...quoted]) {
        const found = statusIn(text);
        if (found?.startsWith(status.slice(0, 1)))
            return found;
    }
    return status;
}
//# sourceMappingURL=reports.js.map