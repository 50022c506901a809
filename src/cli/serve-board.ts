// `jobcrier board` behind the same door as the other commands: its log goes to standard error, because its
// first line of output tells scripts the address.
import { type BoardCommandOptions, boardCommand } from './board.js';
import type { CommandContext } from './context.js';

export function serveBoardCommand(options: BoardCommandOptions, context: CommandContext): Promise<void> {
  return boardCommand(options, {
    print: context.io.print,
    log: context.log('stderr'),
    signal: context.signal,
  });
}
