// What a person does with a posting: the stages of an application, or "not for me". Each change of a mark is kept with its
// time. Records of earlier versions have no changes, and are read as they are.
import { defined } from './defined.js';

/** The stages of an application, in their order. */
export const STAGES = ['saved', 'applied', 'interview', 'offer', 'closed'] as const;
type Stage = (typeof STAGES)[number];
export type Mark = Stage | 'dismissed';
export const MARKS = [...STAGES, 'dismissed'] as const satisfies readonly Mark[];

/** A mark, and since when; milliseconds since the epoch. */
export interface MarkChange {
  readonly mark: Mark;
  readonly at: number;
}

/** The mark of a posting, with those before it, oldest first. */
export interface Marked extends MarkChange {
  readonly before?: readonly MarkChange[];
  /** When the person was reminded of the posting at this stage. Milliseconds since the epoch. */
  readonly remindedAt?: number;
  /** When the person wants to be asked again. Milliseconds since the epoch. */
  readonly remindAt?: number;
}

/** Former marks kept per posting; the oldest go first. */
const MOST = 20;

/** All marks that a posting had, oldest first, the present one last. */
export function changesOf({ mark, at, before = [] }: Marked): readonly MarkChange[] {
  return [...before, { mark, at }];
}

/** Returns the next mark of a posting. The mark that it has already keeps its time. */
export function moved(former: Marked | undefined, mark: Mark, now: number): Marked {
  if (!former) return { mark, at: now };
  const { before, remindedAt, remindAt } = former;
  if (former.mark === mark) return { mark, at: former.at, ...defined({ before, remindedAt, remindAt }) };
  return { mark, at: now, before: changesOf(former).slice(-MOST) };
}

/** Undoes the last change: returns the mark before it, or undefined if there was none. */
export function undone({ before = [] }: Marked): Marked | undefined {
  const last = before.at(-1);
  return last && { ...last, ...(before.length > 1 ? { before: before.slice(0, -1) } : {}) };
}

/** When the person applied; undefined if they did not. Who had an interview or an offer must have applied by then. */
export function appliedAt(marked: Marked): number | undefined {
  const changes = changesOf(marked);
  const isIn = (...marks: readonly Mark[]) => changes.findLast(({ mark }) => marks.includes(mark))?.at;
  return marked.mark === 'saved' || marked.mark === 'dismissed'
    ? undefined
    : (isIn('applied') ?? isIn('interview', 'offer'));
}
