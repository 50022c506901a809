// Every commit within a turn carries the turn, so a process that has lost the lane writes nothing: one that was suspended
// or disconnected for longer than it holds lanes.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { LaneStore, Turn } from '../ports/lanes.js';

const turns = new AsyncLocalStorage<{ turn: Turn | undefined }>();

export const withinTurn: LaneStore['within'] = (turn, work) => {
  const present: { turn: Turn | undefined } = { turn };
  return turns.run(present, async () => {
    try {
      return await work();
    } finally {
      // Work that is still running after the turn, such as writing history, is not part of it.
      present.turn = undefined;
    }
  });
};

export function presentTurn(): Turn | undefined {
  return turns.getStore()?.turn;
}
