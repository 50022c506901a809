// The input and output of commands: text for people, JSON for programs, tables and a spinner that adapt to a terminal.
// Data goes to standard output, everything else to standard error.
import { createSpinner } from 'nanospinner';
import colors from 'picocolors';

interface Spinner {
  /** Changes the text. */
  update(text: string): void;
  success(text: string): void;
  error(text: string): void;
}

export interface Io {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Whether standard output is a terminal. */
  readonly isTTY: boolean;
  /** Writes a line of data to standard output. */
  print(line: string): void;
  /** Writes a line for people to standard error. */
  say(line: string): void;
  /** Writes one JSON document: indented on a terminal, else on one line. */
  json(data: unknown): void;
  /** Writes rows with the same fields; the field names are the heading. `none` is printed when there are no rows. */
  table(rows: readonly Readonly<Record<string, string>>[], none: string): void;
  /** Shows a spinner during long work; without a terminal it prints nothing. */
  spinner(text: string): Spinner;
}

/** Replaces control characters, which data may hold and which could move the terminal's cursor. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, ' ');
}

/** Returns a number with its noun: "1 entry", "2 entries". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function createIo(process: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr'>): Io {
  const { stdin, stdout, stderr } = process;
  const isTTY = stdout.isTTY === true;
  const print = (line: string) => void stdout.write(`${line}\n`);
  return {
    stdin,
    stdout,
    stderr,
    isTTY,
    print,
    say: (line) => void stderr.write(`${line}\n`),
    json: (data) => print(JSON.stringify(data, undefined, isTTY ? 2 : undefined)),
    table: (rows, none) => {
      if (rows.length === 0) stderr.write(`${none}\n`);
      for (const line of aligned(rows, isTTY)) print(line);
    },
    spinner: (text) => {
      // On a pseudo-terminal without a width the library would clear lines without end.
      if (!stderr.isTTY || !stderr.columns) return { update() {}, success() {}, error() {} };
      const spinner = createSpinner(text, { stream: stderr }).start();
      return {
        update: (text) => void spinner.update({ text }),
        success: (done) => void spinner.success({ text: done }),
        error: (failed) => void spinner.error({ text: failed }),
      };
    },
  };
}

function aligned(rows: readonly Readonly<Record<string, string>>[], heading: boolean): string[] {
  const names = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => names.map((name) => printable(row[name] ?? '')));
  const widths = names.map((name, column) =>
    Math.max(name.length, ...cells.map((row) => (row[column] as string).length)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] as number))
      .join('  ')
      .trimEnd();
  const head = rows.length > 0 ? [line(names.map((name) => name.toUpperCase()))] : [];
  return [...head.map((text) => (heading ? colors.dim(text) : text)), ...cells.map(line)];
}
