// The kinds of failure the program distinguishes. Each error has one sentence for the log and, if a person will read
// it, one sentence for that person. Unknown errors are bugs and are not converted.
/** A fault a person can fix. `message` is written for that person. `exitCode` is the exit code of a command. */
export class UserError extends Error {
    name = 'UserError';
    exitCode;
    /** For adapters that show it in another language than `message`. */
    fault;
    constructor(message, exitCode = 1, fault) {
        super(message);
        this.exitCode = exitCode;
        this.fault = fault;
    }
}
/** Returns a {@link UserError} with a fault name. `count` is the number that its text mentions. */
export function refusal(name, message, count) {
    return new UserError(message, 1, count === undefined ? { name } : { name, count });
}
/** Throws one {@link UserError} that lists all faults; returns if there are none. */
export function throwFaults(faults, exitCode = 2) {
    if (faults.length > 0)
        throw new UserError(faults.join('\n'), exitCode);
}
/**
 * A failed request to the jobs API. `message` never contains an address or a token. `retryAfterMs` in milliseconds.
 */
export class FeedError extends Error {
    name = 'FeedError';
    fault;
    status;
    retryAfterMs;
    constructor(fault, message, more = {}) {
        super(message);
        this.fault = fault;
        this.status = more.status;
        this.retryAfterMs = more.retryAfterMs;
    }
}
/** The group of a job takes no turn for `ms` milliseconds, which is longer than the caller would wait. */
export class GroupRests extends Error {
    ms;
    constructor(ms) {
        super(`the group rests for ${Math.ceil(ms / 1000)} s`);
        this.name = 'GroupRests';
        this.ms = ms;
    }
}
/**
 * A failed delivery. `message` goes into the log, `forOwner` to the owner. Neither contains a secret or an e-mail
 * address.
 */
export class DeliveryError extends Error {
    name = 'DeliveryError';
    fault;
    forOwner;
    fix;
    retryAfterMs;
    constructor(fault, message, more = {}) {
        super(message);
        this.fault = fault;
        this.forOwner = more.forOwner ?? message;
        this.fix = more.fix;
        this.retryAfterMs = more.retryAfterMs;
    }
}
const DELIVERY_FAULTS = new Set(['target', 'content', 'outage']);
/**
 * Returns an error as a {@link DeliveryError}, recognised by its name and fault, because a sink from outside can't
 * use this program's classes. Undefined for any other error.
 */
export function asDeliveryError(error) {
    if (error instanceof DeliveryError)
        return error;
    const { name, fault, message, forOwner, retryAfterMs } = Object(error);
    if (name !== 'DeliveryError' || !DELIVERY_FAULTS.has(fault))
        return undefined;
    return new DeliveryError(fault, String(message), {
        ...(typeof forOwner === 'string' ? { forOwner } : {}),
        ...(typeof retryAfterMs === 'number' ? { retryAfterMs } : {}),
    });
}
/**
 * A failed operation of the store. `message` is one or two sentences with the fix. It contains no address and no
 * value.
 */
export class StoreError extends Error {
    name = 'StoreError';
    fault;
    constructor(fault, message) {
        super(message);
        this.fault = fault;
    }
}
/** Returns one line for a log: the message, without stack, cause or fields that a library added. */
export function reasonOf(error) {
    return error instanceof Error ? error.message : String(error);
}
//# sourceMappingURL=errors.js.map