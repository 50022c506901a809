// What the process provides to all layers: the time, the log and the counters. They are passed in, never imported, so
// a test can set the time and read the log.

/** The time of day in milliseconds since the epoch. */
export interface Clock {
  now(): number;
}

/** Names that a log line already has can't be used as fields, because the JSON would contain the name twice. */
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

/** A line of the log that reports a problem, as it was written, with secrets already removed. */
export interface LogLine {
  /** ISO 8601. */
  readonly at: string;
  readonly level: 'warn' | 'error' | 'fatal';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What you can read or change of the log at run time. Both members are optional. */
export interface LogControl {
  level?: string;
  /** Newest first. */
  recent?(): readonly LogLine[];
}

/** Counters and histograms by name (without the `jobcrier_` prefix). Labels never name a person. */
export interface Metrics {
  count(name: string, labels?: Readonly<Record<string, string>>, by?: number): void;
  /** Seconds. */
  observe(name: string, seconds: number, labels?: Readonly<Record<string, string>>): void;
}
