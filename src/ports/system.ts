// What the process gives to all floors: the time, the log and the counters. Handed in, never reached for, so that a
// test decides what time it is and reads what was said.

/** The time of day in milliseconds since the epoch. */
export interface Clock {
  now(): number;
}

/** What a line has of itself can't be a field as well: JSON would hold the name twice. */
type Fields = Readonly<Record<string, unknown>> & {
  readonly [name in 'level' | 'time' | 'msg' | 'version']?: never;
};

/** pino's calling convention: fields first, a static message second. */
export interface Log {
  debug(fields: Fields, message: string): void;
  info(fields: Fields, message: string): void;
  warn(fields: Fields, message: string): void;
  error(fields: Fields, message: string): void;
}

/** A line of the log that told of trouble, as it was written: searched for secrets already. */
export interface LogLine {
  /** ISO 8601. */
  readonly at: string;
  readonly level: 'warn' | 'error' | 'fatal';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What can be asked of the log while it runs; a log without either can still be written to. */
export interface LogControl {
  level?: string;
  /** Newest first. */
  recent?(): readonly LogLine[];
}

/** Counters and histograms by name (without the `jobcrier_` prefix); labels never name a person. */
export interface Metrics {
  count(name: string, labels?: Readonly<Record<string, string>>, by?: number): void;
  /** Seconds. */
  observe(name: string, seconds: number, labels?: Readonly<Record<string, string>>): void;
}
