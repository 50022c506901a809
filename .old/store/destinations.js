import { isEnvelope } from './sealing.js';
/**
 * Seals a target. `before` is the stored form of the same destination. The destination's id is derived from its target,
 * so a target that is empty because its key was missing is still the stored one, which is kept.
 */
export function packDestination(destination, place, sealer, before) {
    const { target } = destination;
    if (target === '' && isEnvelope(before?.target))
        return { ...destination, target: before.target };
    return /^\d*$/u.test(target) ? destination : { ...destination, target: sealer.seal(target, place) };
}
/** Opens a target. An unreadable one becomes empty, which no sink accepts when it needs a target. */
export function unpackDestination(stored, place, sealer) {
    const { target } = stored;
    return { ...stored, target: typeof target === 'string' ? target : (sealer.open(target, place) ?? '') };
}
//# sourceMappingURL=destinations.js.map