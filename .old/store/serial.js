// Runs things one after the other, such as the SQLite writes of one process.
export function createMutex() {
    let tail = Promise.resolve();
    function line(work) {
        const turn = tail.then(work);
        tail = turn.catch(() => undefined);
        return turn;
    }
    line.idle = async () => {
        // Running work may add more.
        for (let seen; seen !== tail;) {
            seen = tail;
            await tail;
        }
    };
    return line;
}
/**
 * Gathers items while the line is busy, and handles those that wait together when their turn comes: at most `most`, in
 * order. `handle` returns one result for each item; if it fails, it fails for all of them. `everyMs`: after a batch of
 * several items, the next batch starts at least this much later, so batches grow under load; single items do not wait.
 * `flush` handles waiting items now.
 */
export function createBatches(line, most, handle, everyMs = 0) {
    const waiting = [];
    let due = false;
    let next = 0;
    let timer;
    function schedule() {
        if (due || waiting.length === 0)
            return;
        due = true;
        const waitMs = next - performance.now();
        if (waitMs > 0)
            timer = setTimeout(begin, waitMs);
        else
            begin();
    }
    function begin() {
        timer = undefined;
        void line(async () => {
            due = false;
            const batch = waiting.splice(0, most);
            next = batch.length > 1 ? performance.now() + everyMs : 0;
            schedule();
            try {
                const results = await handle(batch.map(({ item }) => item));
                for (const [index, one] of batch.entries())
                    one.resolve(results[index]);
            }
            catch (error) {
                for (const one of batch)
                    one.reject(error);
            }
        });
    }
    return {
        add: (item) => new Promise((resolve, reject) => {
            waiting.push({ item, resolve, reject });
            schedule();
        }),
        flush() {
            if (!timer)
                return;
            clearTimeout(timer);
            begin();
        },
    };
}
//# sourceMappingURL=serial.js.map