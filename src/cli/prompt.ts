// Asks questions in a terminal. Questions go to standard error; the answer to a hidden one is not echoed.
import { on } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { UserError } from '../domain/errors.js';
import type { Io } from './io.js';

export interface Prompt {
  /** The answer without spaces around it. Throws a {@link UserError} after Ctrl-C and Ctrl-D. */
  ask(question: string): Promise<string>;
  /** The same, but what is typed is not shown. */
  askHidden(question: string): Promise<string>;
  /** Asks again until `read` accepts the answer. `read` throws a UserError that says what is wrong. */
  askFor<T>(question: string, read: (answer: string) => T | Promise<T>): Promise<T>;
  /** True for y and yes, and for no answer if `standard` is `yes`. */
  confirm(question: string, standard: 'yes' | 'no'): Promise<boolean>;
  close(): void;
}

export function openPrompt({ stdin, stderr }: Pick<Io, 'stdin' | 'stderr'>): Prompt {
  // What is typed before a question is not shown either: it may be a secret.
  let isShown = false;
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (isShown) stderr.write(chunk);
      done();
    },
  });
  // Without a history, because the arrow keys would bring a hidden answer back.
  const reader = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
  reader.on('SIGINT', () => reader.close());
  const lines = on(reader, 'line', { close: ['close'] });

  async function answer(): Promise<string> {
    const { value, done } = await lines.next();
    if (done) throw new UserError('Cancelled. Nothing was stored.');
    return String(value[0]).trim();
  }

  async function ask(question: string): Promise<string> {
    isShown = true;
    try {
      reader.setPrompt(question);
      reader.prompt();
      return await answer();
    } finally {
      isShown = false;
    }
  }

  return {
    ask,
    async askHidden(question) {
      reader.setPrompt('');
      stderr.write(question);
      const given = await answer();
      stderr.write('\n');
      return given;
    },
    async askFor(question, read) {
      for (;;) {
        const given = await ask(question);
        try {
          return await read(given);
        } catch (error) {
          if (!(error instanceof UserError)) throw error;
          stderr.write(`${error.message}\n`);
        }
      }
    },
    async confirm(question, standard) {
      const given = await ask(`${question} [${standard === 'yes' ? 'Y/n' : 'y/N'}] `);
      return given === '' ? standard === 'yes' : /^y(?:es)?$/iu.test(given);
    },
    close: () => reader.close(),
  };
}
