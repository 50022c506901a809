// Notes of a story about secrets: everything that could be seen of the program, and how its commands ended.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Place } from './canaries.js';
import { SECRETS } from './canary-secrets.js';
import type { FullHouse } from './full-house.js';
import { childrenOf, commandLineOf } from './proc.js';
import type { Program } from './process.js';

type Task = () => Promise<unknown>;

export interface Notes {
  readonly places: Place[];
  /** Exit codes of commands by their line or name, and statuses of requests. */
  readonly ends: Record<string, number | string>;
  note(place: string, text: string): void;
  /** Runs a command to its end. */
  command(line: string, more?: Parameters<FullHouse['command']>[1], name?: string): Promise<void>;
  /** Command lines and other work, a few at a time: the machine has few processors. */
  commands(...tasks: readonly (string | Task)[]): Promise<void>;
  /** Everything visible of the running service: process, pages, files. */
  lookAround(program: Program, when: string): Promise<void>;
  /** Everything that is left after it has ended. */
  lookBack(): Promise<void>;
}

export function takeNotes(house: FullHouse): Notes {
  const places: Place[] = [];
  const ends: Notes['ends'] = {};
  const note: Notes['note'] = (name, text) => void places.push({ name, text });

  async function files(when: string): Promise<void> {
    const entries = await readdir(house.dir, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((one) => one.isFile())) {
      const path = join(entry.parentPath, entry.name);
      note(`file ${path.slice(house.dir.length + 1)} ${when}`, await readFile(path, 'latin1'));
    }
  }

  const command: Notes['command'] = async (line, more = {}, name = line) => {
    ends[name] = (await house.command(line.split(' '), more)).code;
  };

  return {
    places,
    ends,
    note,
    command,
    async commands(...tasks) {
      const waiting = [...tasks];
      const worker = async () => {
        for (let task = waiting.shift(); task; task = waiting.shift())
          await (typeof task === 'string' ? command(task) : task());
      };
      await Promise.all([worker(), worker(), worker()]);
    },
    async lookAround(program, when) {
      const { pid = 0 } = program.child;
      note(`command line of the service ${when}`, commandLineOf(pid));
      for (const child of childrenOf(pid)) note('a child', `${child.commandLine} ${child.environment}`);
      for (const path of ['/metrics', '/healthz', '/readyz', '/nowhere'])
        note(`page ${path} ${when}`, await (await house.visit(program, path)).text());
      const pages = await house.adminPages(program, SECRETS.admin.value);
      for (const [index, page] of pages.entries()) note(`admin page ${index} ${when}`, page);
      await files(when);
    },
    async lookBack() {
      const { discord, smtp, receiver, started } = house;
      await files('at the end');
      for (const [index, { args, program }] of started.entries()) {
        note(`output of ${index}, ${args.join(' ')}`, program.stdout.join('\n'));
        note(`errors of ${index}, ${args.join(' ')}`, program.stderr.join('\n'));
      }
      for (const { raw } of smtp.seen) note('a mail', raw.toString('latin1'));
      for (const mail of await house.mails()) note('a mail, decoded', JSON.stringify(mail));
      for (const { raw, headers } of receiver.received) note('a webhook call', JSON.stringify(headers) + raw);
      note('requests to Discord', JSON.stringify(discord.requests));
      note('messages on Discord', JSON.stringify(discord.allMessages()));
      for (const file of discord.allMessages().flatMap((message) => message.files))
        note(`file ${file.name} on Discord`, file.data.toString('latin1'));
    },
  };
}
