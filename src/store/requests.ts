// What is known of requests, a row each. One writer: the turn that asks. Subscriptions that change reset it (subscriptions.ts).
import type { RequestRef } from '../domain/request.js';
import type { RequestState, RequestStore } from '../ports/stores.js';
import type { Shelf } from './backend.js';
import { key } from './keys.js';

export function requestKey({ lane, subject }: RequestRef): string {
  return key('request', lane, subject);
}

export function createRequestStore(shelf: Shelf): RequestStore {
  return {
    async open(request) {
      const row = requestKey(request);
      const { entry, version } = await shelf.read(row);
      return {
        state: (entry?.value as RequestState | undefined) ?? {},
        save: (next) => shelf.replace(row, version, { value: next }),
      };
    },
    async many(requests) {
      const keys = requests.map(requestKey);
      const rows = await shelf.readMany(keys);
      return keys.map((row) => (rows.get(row)?.entry?.value as RequestState | undefined) ?? {});
    },
    reset: (request) => shelf.set(requestKey(request), { value: {} }),
    remove: (request) => shelf.delete(requestKey(request)),
  };
}
