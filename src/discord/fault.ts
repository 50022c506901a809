// The error for failed requests to Discord. Callers decide by its kind and code, never by its text.

/**
 * refused: Discord refused this request (status, code); busy: rate limited for longer than a request waits; token:
 * the bot token is not accepted; away: no answer, a 5xx, or an answer that is not Discord's.
 */
type DiscordFaultKind = 'refused' | 'busy' | 'token' | 'away';

/** A failed request. `message` has no URL, token or message text. `code` is Discord's JSON error code, 0 for none. */
export class DiscordFault extends Error {
  override readonly name = 'DiscordFault';
  readonly kind: DiscordFaultKind;
  readonly status: number;
  readonly code: number;
  /** Paths of the fields a 50035 complains about, e.g. `embeds.0.url`. */
  readonly fields: readonly string[];
  readonly retryAfterMs: number | undefined;
  constructor(
    kind: DiscordFaultKind,
    message: string,
    more: { status?: number; code?: number; fields?: readonly string[]; retryAfterMs?: number } = {},
  ) {
    super(message);
    this.kind = kind;
    this.status = more.status ?? 0;
    this.code = more.code ?? 0;
    this.fields = more.fields ?? [];
    this.retryAfterMs = more.retryAfterMs;
  }
}

/** {@link DiscordFault} as a value. */
export function discordFault(...args: ConstructorParameters<typeof DiscordFault>): DiscordFault {
  return new DiscordFault(...args);
}

/** The fault for a pause of `ms` that is too long to wait for. */
export function busy(ms: number): DiscordFault {
  return discordFault('busy', 'Discord asks for a pause', { status: 429, retryAfterMs: Math.ceil(ms) });
}

/** True when Discord refuses a request about a server because the bot is not in it. */
export function isOutside(error: unknown): boolean {
  return error instanceof DiscordFault && error.kind === 'refused' && [403, 404].includes(error.status);
}

/** The paths of the fields in Discord's tree of form errors. */
export function faultyFields(errors: unknown, path: readonly string[] = []): string[] {
  if (typeof errors !== 'object' || errors === null) return [];
  return Object.entries(errors).flatMap(([key, value]) =>
    key === '_errors' ? [path.join('.')] : faultyFields(value, [...path, key]),
  );
}
