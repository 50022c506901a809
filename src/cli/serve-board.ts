// Runs `jobcrier board` as a command like the others. Its log goes to standard error, because scripts read the address
// from the first line of its output.
import { read, whole } from '../domain/input.js';
import { type BoardCommandOptions, boardCommand } from './board.js';
import type { CommandContext } from './context.js';

interface BoardOptions extends Omit<BoardCommandOptions, 'port'> {
  readonly port: string;
}

export async function serveBoardCommand(options: BoardOptions, context: CommandContext): Promise<void> {
  const port = read(whole(0, 65_535), options.port, '--port');
  await boardCommand(
    { ...options, port },
    { print: context.io.print, log: context.log('stderr'), signal: context.signal },
  );
}
