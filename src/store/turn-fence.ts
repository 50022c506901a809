// Within a turn every commit carries the turn, so nothing is written by a process that has lost the lane: one that was
// suspended, or cut off, for longer than it holds lanes.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { LaneStore, Turn } from '../ports/lanes.js';

const turns = new AsyncLocalStorage<{ turn: Turn | undefined }>();

export const withinTurn: LaneStore['within'] = (turn, work) => {
  const present: { turn: Turn | undefined } = { turn };
  return turns.run(present, async () => {
    try {
      return await work();
    } finally {
      // What the work left running, such as a line of history, is not part of the turn.
      present.turn = undefined;
    }
  });
};

export function presentTurn(): Turn | undefined {
  return turns.getStore()?.turn;
}
