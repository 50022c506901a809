// What a mail server's refusal means. The reply code shows whether to try again, the enhanced code (RFC 3463) whose
// fault it is, and the command which of the two addresses, or the message, was refused.

/**
 * address: no such mailbox, suppress it immediately; mailbox: full or out of order, suppress it if that lasts;
 * greylisted: try later, our fault if it lasts; ours: the relay or the receiver does not trust us, suppress no
 * address; content: this message is refused as it is; busy: the server is away or overloaded.
 */
type ReplyKind = 'address' | 'mailbox' | 'greylisted' | 'ours' | 'content' | 'busy';

/** `summary` is safe to log: it contains codes only, because the server's text may contain the address. */
export interface SmtpReply {
  readonly kind: ReplyKind;
  readonly permanent: boolean;
  /** The relay refuses everything from us, not only this message. */
  readonly login: boolean;
  readonly summary: string;
}

/** True for an answer about the mailbox, not about the relay or us. */
export function aboutRecipient({ kind }: SmtpReply): boolean {
  return kind === 'address' || kind === 'mailbox' || kind === 'greylisted';
}

type Stage = 'recipient' | 'data' | 'login' | 'other';

interface Rule {
  readonly code: RegExp;
  readonly stage?: readonly Stage[];
  readonly kind: ReplyKind;
}

const ADDRESSED: readonly Stage[] = ['recipient', 'data'];

/** By enhanced code, first match wins. */
const ENHANCED: readonly Rule[] = [
  // About the sender's address, although X.1 is the group for addresses (RFC 3463, 3.2).
  { code: /^[45]\.1\.[789]$/u, kind: 'ours' },
  { code: /^5\.1\.\d+$|^5\.2\.1$/u, stage: ADDRESSED, kind: 'address' },
  { code: /^5\.2\.3$|^5\.3\.4$|^5\.6\.\d+$/u, kind: 'content' },
  { code: /^5\.0\.0$|^5\.[234]\.\d+$/u, stage: ADDRESSED, kind: 'mailbox' },
  { code: /^5\./u, kind: 'ours' },
  { code: /^4\.7\.\d+$/u, stage: ADDRESSED, kind: 'greylisted' },
  { code: /^4\.[34]\.\d+$/u, kind: 'busy' },
  { code: /^4\./u, stage: ADDRESSED, kind: 'mailbox' },
];

/** By reply code, for servers that give no enhanced one. */
const PLAIN: readonly Rule[] = [
  { code: /^5(?:11|50|51|53)$/u, stage: ['recipient'], kind: 'address' },
  { code: /^552$/u, stage: ['recipient'], kind: 'mailbox' },
  { code: /^552$/u, stage: ['data'], kind: 'content' },
  { code: /^5/u, kind: 'ours' },
  { code: /^421$/u, kind: 'busy' },
  { code: /^45[01]$/u, stage: ['recipient'], kind: 'greylisted' },
  { code: /^4/u, stage: ADDRESSED, kind: 'mailbox' },
];

function kindOf(code: string, stage: Stage, rules: readonly Rule[]): ReplyKind | undefined {
  return rules.find((rule) => rule.code.test(code) && (rule.stage?.includes(stage) ?? true))?.kind;
}

function stageOf(command: string, code: string | undefined): Stage {
  if (/^AUTH/iu.test(command) || code === 'EAUTH') return 'login';
  if (/^RCPT/iu.test(command)) return 'recipient';
  return /^(?:DATA|BDAT)/iu.test(command) ? 'data' : 'other';
}

/** What an SMTP reply means. `enhanced`: the enhanced code such as 5.1.1, if the server gave one. */
export function readReply(code: number, enhanced: string | undefined, stage: Stage): SmtpReply {
  const permanent = code >= 500;
  // 421 means that the connection is closed, whatever else is in the reply.
  const rules = code === 421 || !enhanced ? undefined : kindOf(enhanced, stage, ENHANCED);
  const kind = rules ?? kindOf(String(code), stage, PLAIN) ?? 'busy';
  const at = stage === 'recipient' ? 'to the recipient' : stage === 'data' ? 'to the message' : 'to us';
  return {
    kind: stage === 'login' && permanent ? 'ours' : kind,
    permanent,
    login: kind === 'ours' && (stage === 'login' || stage === 'other'),
    summary: `SMTP ${code}${enhanced ? ` ${enhanced}` : ''} ${at}`,
  };
}

/** What the status in a delivery report means for its recipient. The relay had accepted the message before. */
export function readStatus(status: string): SmtpReply {
  const code = status.startsWith('4') ? 450 : 550;
  const answer = readReply(code, status, 'recipient');
  // A report with 4.x.x is final: the mailbox could not be reached for days.
  const kind = answer.kind === 'busy' || answer.kind === 'greylisted' ? 'mailbox' : answer.kind;
  return { ...answer, kind, summary: `status ${status}` };
}

/** A mail was not accepted. The library's error may quote the server, which quotes the address; this one does not. */
export class MailError extends Error {
  override readonly name = 'MailError';
  readonly answer: SmtpReply;
  constructor(answer: SmtpReply) {
    super(answer.summary);
    this.answer = answer;
  }
}

interface Failure {
  readonly code?: string;
  /** The code of the connection error, where the library replaced it with its own code. */
  readonly originalCode?: string;
  readonly responseCode?: number;
  readonly response?: string;
  readonly command?: string;
}

/** Codes for an invalid certificate or a server without TLS. The next attempt fails in the same way. */
export const UNTRUSTED =
  /^(?:ERR_TLS_CERT_\w+|(?:\w+_)?CERT(?:_\w+)?|\w*UNABLE_TO_VERIFY\w*|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|ERR_SSL_(?:WRONG_VERSION_NUMBER|UNSUPPORTED_PROTOCOL))$/u;

/** Reads an error of the mail library. Connection errors have no reply code; they mean that the relay is away. */
export function readFailure(error: unknown): SmtpReply {
  const { code, originalCode = '', responseCode, response = '', command = '' } = error as Failure;
  const stage = stageOf(command, code);
  if (responseCode !== undefined && responseCode >= 400) {
    const enhanced = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/u.exec(response)?.[1];
    return readReply(responseCode, enhanced, stage);
  }
  if (UNTRUSTED.test(originalCode))
    return { kind: 'ours', permanent: false, login: true, summary: `SMTP TLS failed (${originalCode})` };
  const login = code === 'EAUTH' || code === 'ENOAUTH' || code === 'EOAUTH2';
  const ours = login || code === 'ETLS' || code === 'EREQUIRETLS' || code === 'ECONFIG';
  const kind = ours ? 'ours' : code === 'EMESSAGE' || code === 'EENVELOPE' ? 'content' : 'busy';
  return { kind, permanent: false, login: ours, summary: `SMTP ${code ?? 'connection'} failed` };
}
