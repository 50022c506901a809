// A real SMTP server in the test's process with scripted answers, so that a test can cause every refusal. It keeps
// what it accepted as raw bytes.
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** An answer to one command: code and text; after the final dot `drop` keeps the mail and breaks the connection, `hang` never answers. */
export type SmtpAnswer = { readonly code: number; readonly text: string } | 'accept' | 'drop' | 'hang';

interface AcceptedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: Buffer;
}

export interface SmtpStand {
  readonly url: string;
  readonly mails: AcceptedMail[];
  /** Everything whose body was read to the end, accepted or not. */
  readonly seen: AcceptedMail[];
  /** Answers to the next commands of that kind, in order; accepted when there are none left. */
  readonly script: { mail: SmtpAnswer[]; rcpt: SmtpAnswer[]; data: SmtpAnswer[]; auth: SmtpAnswer[] };
  /** Addresses that have no mailbox here: each mail to one is refused with 550 5.1.1. */
  readonly unknown: Set<string>;
  connections: number;
  /** The only password that is accepted; any if it is not set. */
  password?: string;
  close(): Promise<void>;
}

const NO_MAILBOX: SmtpAnswer = { code: 550, text: '5.1.1 no such user here' };

function refusal(answer: { code: number; text: string }): Error {
  return Object.assign(new Error(answer.text), { responseCode: answer.code });
}

function socketOf(connection: unknown): { destroy(): void } {
  return (connection as { _socket: { destroy(): void } })._socket;
}

/**
 * `login`: the server requires one (user `crier`, password `secret`). `tls`: it encrypts, with a certificate that no one
 * trusts, from the start or after STARTTLS.
 */
export async function startSmtp(
  options: { login?: boolean; tls?: 'start' | 'starttls' } = {},
): Promise<SmtpStand> {
  const disabledCommands: string[] = [];
  if (!options.login) disabledCommands.push('AUTH');
  if (options.tls !== 'starttls') disabledCommands.push('STARTTLS');
  const mails: AcceptedMail[] = [];
  const seen: AcceptedMail[] = [];
  const script: SmtpStand['script'] = { mail: [], rcpt: [], data: [], auth: [] };
  const settle = (answer: SmtpAnswer | undefined, done: (error?: Error | null) => void) =>
    typeof answer === 'object' ? done(refusal(answer)) : done();
  const server = new SMTPServer({
    authOptional: !options.login,
    allowInsecureAuth: true,
    disabledCommands,
    secure: options.tls === 'start',
    logger: false,
    onConnect(_session, done) {
      stand.connections++;
      done();
    },
    onAuth(auth, _session, done) {
      const answer = script.auth.shift();
      if (typeof answer === 'object') return done(refusal(answer));
      if (auth.password !== (stand.password ?? auth.password))
        return done(refusal({ code: 535, text: '5.7.8 not that password' }));
      done(null, { user: auth.username });
    },
    onMailFrom: (_address, _session, done) => settle(script.mail.shift(), done),
    onRcptTo: ({ address }, _session, done) =>
      settle(stand.unknown.has(address) ? NO_MAILBOX : script.rcpt.shift(), done),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const mail = {
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map((one) => one.address),
          raw: Buffer.concat(chunks),
        };
        seen.push(mail);
        const answer = script.data.shift();
        if (answer === 'hang') return;
        if (answer === 'drop') {
          mails.push(mail);
          for (const connection of server.connections) socketOf(connection).destroy();
          return;
        }
        if (typeof answer !== 'object') mails.push(mail);
        settle(answer, done);
      });
    },
  });
  server.on('error', () => undefined);
  const stand: SmtpStand = {
    url: '',
    mails,
    seen,
    script,
    unknown: new Set(),
    connections: 0,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        // A connection that hangs would block the server for half a minute.
        for (const connection of server.connections) socketOf(connection).destroy();
      }),
  };
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
  const { port } = server.server.address() as AddressInfo;
  const login = options.login ? 'crier:secret@' : '';
  const scheme = options.tls === 'start' ? 'smtps' : 'smtp';
  return Object.assign(stand, { url: `${scheme}://${login}127.0.0.1:${port}` });
}
