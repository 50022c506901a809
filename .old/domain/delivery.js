/** Returns the queue of everything a sink delivers. */
export const deliveryQueue = (sink) => `deliver:${sink}`;
/** Returns the plan of a delivery. `at`: the earliest time something may be due, in milliseconds since the epoch. */
export function deliveryPlan({ id }, destination, at) {
    return {
        queue: deliveryQueue(destination.sink),
        lane: destination.id,
        unit: `${id}\n${destination.id}`,
        at,
    };
}
//# sourceMappingURL=delivery.js.map