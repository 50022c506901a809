// The rules for an IDENTIFY: the right token, intents that exist and are granted, a possible shard.
import type { Json, State } from './types.js';

const PRIVILEGED = (1 << 1) | (1 << 8) | (1 << 15);
const KNOWN_INTENTS = 0x3_31_ff_ff;

export function identityOf(d: Json): { wanted: number; shard: [number, number] } {
  const [id = 0, count = 1] = Array.isArray(d.shard) ? d.shard.map(Number) : [];
  return { wanted: Number(d.intents), shard: [id, count] };
}

/** The close code and reason that Discord would give, or null. */
export function identifyProblem(state: State, d: Json): [number, string] | null {
  if (d.token !== state.token) return [4004, 'wrong token'];
  const { wanted, shard } = identityOf(d);
  if (!Number.isInteger(wanted) || (wanted & ~KNOWN_INTENTS) !== 0)
    return [4013, `invalid intents ${String(d.intents)}`];
  if (wanted & PRIVILEGED & ~state.settings.grantedIntents) return [4014, `intents ${wanted} need a grant`];
  const [id, count] = shard;
  return id >= 0 && id < count ? null : [4010, `invalid shard ${id}/${count}`];
}
