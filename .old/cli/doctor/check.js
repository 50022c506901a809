export function ok(says) {
    return { state: 'ok', says };
}
export function off(says) {
    return { state: 'off', says };
}
export function warn(says, fix) {
    return { state: 'warn', says, fix };
}
export function fail(says, fix) {
    return { state: 'fail', says, fix };
}
/** An error's code or name. Its message is not used: it may hold an address or a path with a secret in it. */
export function codeOf(error) {
    const { code, name } = error;
    if (typeof code === 'string')
        return code;
    return typeof name === 'string' ? name : 'unknown error';
}
//# sourceMappingURL=check.js.map