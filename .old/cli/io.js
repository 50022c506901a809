// The input and output of commands: text for people, JSON for programs, tables and a spinner that adapt to a terminal.
// Data goes to standard output, everything else to standard error.
import { createSpinner } from 'nanospinner';
import colors from 'picocolors';
/** Replaces control characters, which data may hold and which could move the terminal's cursor. */
export function printable(text) {
    return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, ' ');
}
/** Returns a number with its noun: "1 entry", "2 entries". */
export function counted(count, one, many = `${one}s`) {
    return `${count} ${count === 1 ? one : many}`;
}
export function createIo(process) {
    const { stdin, stdout, stderr } = process;
    const isTTY = stdout.isTTY === true;
    const print = (line) => void stdout.write(`${line}\n`);
    return {
        stdin,
        stdout,
        stderr,
        isTTY,
        print,
        say: (line) => void stderr.write(`${line}\n`),
        json: (data) => print(JSON.stringify(data, undefined, isTTY ? 2 : undefined)),
        table: (rows, none) => {
            if (rows.length === 0)
                stderr.write(`${none}\n`);
            for (const line of aligned(rows, isTTY))
                print(line);
        },
        spinner: (text) => {
            // On a pseudo-terminal without a width the library would clear lines without end.
            if (!stderr.isTTY || !stderr.columns)
                return { update() { }, success() { }, error() { } };
            const spinner = createSpinner(text, { stream: stderr }).start();
            return {
                update: (text) => void spinner.update({ text }),
                success: (done) => void spinner.success({ text: done }),
                error: (failed) => void spinner.error({ text: failed }),
            };
        },
    };
}
function aligned(rows, heading) {
    const names = Object.keys(rows[0] ?? {});
    const cells = rows.map((row) => names.map((name) => printable(row[name] ?? '')));
    const widths = names.map((name, column) => Math.max(name.length, ...cells.map((row) => row[column].length)));
    const line = (row) => row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd();
    const head = rows.length > 0 ? [line(names.map((name) => name.toUpperCase()))] : [];
    return [...head.map((text) => (heading ? colors.dim(text) : text)), ...cells.map(line)];
}
//# sourceMappingURL=io.js.map