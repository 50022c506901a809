// Reads a secret without showing it: from a pipe or, at a terminal, from a prompt that echoes nothing. It never reads it
// from an argument, which every user of the machine could see.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { UserError } from '../domain/errors.js';
import { type Secret, secret } from '../domain/secret.js';
import type { Io } from './io.js';

const LONGEST = 512;

/** Reads one line. Throws a {@link UserError} (exit 2) when it can't be an API token (jobs API, Authentication 1). */
export async function readToken(io: Io): Promise<Secret> {
  const given = (io.stdin.isTTY ? await prompted(io) : await text(io.stdin)).trim();
  if (given === '')
    throw new UserError(
      'No token was given; pipe it in, for example: jobcrier token set --account operator < token.txt',
      2,
    );
  if (given.length > LONGEST || /[^\x21-\x7e]/u.test(given))
    throw new UserError(
      'That is not an API token: wanted one line without spaces, as the token page of the jobs API shows it.',
      2,
    );
  return secret(given);
}

async function prompted(io: Io): Promise<string> {
  io.stderr.write('API token (not shown): ');
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: io.stdin, output: nowhere, terminal: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      reader.once('SIGINT', () => reject(new UserError('Nothing was stored.')));
      reader.question('').then(resolve, reject);
    });
  } finally {
    reader.close();
    io.stderr.write('\n');
  }
}
