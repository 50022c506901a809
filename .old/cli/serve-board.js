// Runs `jobcrier board` as a command like the others. Its log goes to standard error, because scripts read the address
// from the first line of its output.
import { boardCommand } from './board.js';
export function serveBoardCommand(options, context) {
    return boardCommand(options, {
        print: context.io.print,
        log: context.log('stderr'),
        signal: context.signal,
    });
}
//# sourceMappingURL=serve-board.js.map