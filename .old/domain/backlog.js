function earlier(one, other) {
    return one === undefined ? other : Math.min(one, other);
}
/** Returns the backlog of a ledger; undefined if nothing is waiting and nothing is parked. */
export function backlogOf({ outbox, editions, parked }) {
    const places = new Map();
    const at = (destination) => places.get(destination) ?? { destination, postings: 0 };
    let oldest;
    for (const owed of outbox) {
        oldest = earlier(oldest, owed.at);
        for (const id of owed.to) {
            const place = at(id);
            places.set(id, {
                ...place,
                postings: place.postings + 1,
                oldest: earlier(place.oldest, owed.at),
            });
        }
    }
    for (const { destination, cutAt, lastFault, nextAt } of editions) {
        const place = at(destination);
        places.set(destination, {
            ...place,
            cutAt: earlier(place.cutAt, cutAt),
            // The first edition of a destination is sent next.
            ...(lastFault && place.cutAt === undefined ? { retryAt: nextAt } : {}),
        });
    }
    for (const [destination, { resumedAt }] of Object.entries(parked))
        places.set(destination, {
            ...at(destination),
            parked: resumedAt === undefined ? {} : { resumedAt },
        });
    if (places.size === 0)
        return undefined;
    return {
        postings: outbox.length,
        places: [...places.values()],
        ...(oldest === undefined ? {} : { oldest }),
    };
}
//# sourceMappingURL=backlog.js.map