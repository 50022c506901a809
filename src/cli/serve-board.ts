// Runs `jobcrier board` as a command like the others. Its log goes to standard error, because scripts read the address
// from the first line of its output.
import { type BoardCommandOptions, boardCommand } from './board.js';
import type { CommandContext } from './context.js';

export function serveBoardCommand(options: BoardCommandOptions, context: CommandContext): Promise<void> {
  return boardCommand(options, {
    print: context.io.print,
    log: context.log('stderr'),
    signal: context.signal,
  });
}
