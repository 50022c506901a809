// A change to a record is a read, a change and a write. Two at the same time would undo each other, so they run one
// by one.
export function createKeyedMutex() {
    const tails = new Map();
    return (key, run) => {
        const turn = (tails.get(key) ?? Promise.resolve()).then(run);
        const tail = turn
            .catch(() => undefined)
            .then(() => {
            if (tails.get(key) === tail)
                tails.delete(key);
        });
        tails.set(key, tail);
        return turn;
    };
}
//# sourceMappingURL=keyed-mutex.js.map