// Every commit within a turn carries the turn, so a process that has lost the lane writes nothing: one that was suspended
// or disconnected for longer than it holds lanes.
import { AsyncLocalStorage } from 'node:async_hooks';
const turns = new AsyncLocalStorage();
export const withinTurn = (turn, work) => {
    const present = { turn };
    return turns.run(present, async () => {
        try {
            return await work();
        }
        finally {
            // Work that is still running after the turn, such as writing history, is not part of it.
            present.turn = undefined;
        }
    });
};
export function presentTurn() {
    return turns.getStore()?.turn;
}
//# sourceMappingURL=turn-fence.js.map