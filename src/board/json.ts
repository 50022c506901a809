// The JSON form of the listing. The envelope is the current shape of the jobs API: a root array of
// a status word, a version word and the jobs.

import type { Job } from './job.js';
import { ownerSlots } from './owner-link.js';

const HEAD = '["ok","v1",[';
const TAIL = ']]';

/** One job as JSON text with all its fields, split where the token owner's name goes into the link. */
export function renderJobJson(job: Job, withDescription: boolean): string[] {
  const { description: _omitted, ...bare } = job;
  return ownerSlots(withDescription ? job : bare, JSON.stringify);
}

/** The whole response body. */
export function renderEnvelope(jobs: readonly string[]): string {
  return HEAD + jobs.join(',') + TAIL;
}
