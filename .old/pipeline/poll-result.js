// How a poll of a whole subscription ends, in the words of logs, commands and people.
import { requestsOf, requestUnit } from '../domain/request.js';
/** The stored states of requests, in their order. */
export async function requestStates({ lanes }, requests) {
    const states = await lanes.states(requests.map(requestUnit));
    return states.map(({ state }) => (state ?? {}));
}
export async function pollStatus(stores, { account, filter }) {
    const states = await requestStates(stores, requestsOf({ account, filter }));
    const times = states.flatMap(({ answeredAt }) => answeredAt ?? []);
    const bad = states.filter(({ outcome }) => outcome !== undefined);
    const [worst] = bad;
    const outcome = !worst ? 'recorded' : bad.length < states.length ? 'partial' : worst.outcome;
    return {
        failures: Math.max(0, ...states.map(({ failures = 0 }) => failures)),
        ...(times.length > 0 ? { polledAt: Math.max(...times) } : {}),
        ...(outcome && (worst || times.length > 0) ? { outcome } : {}),
    };
}
//# sourceMappingURL=poll-result.js.map