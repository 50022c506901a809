// What the feed leaves out of a posting. A feed may have only title, link and description where the JSON form of the
// same listing has company, place and pay. They are added to what waits to be sent, never to what was decided: not to
// the key, the link, the seen set or the verdict of the filter.
import { defined } from './defined.js';
import { subjectOf } from './filter.js';
import { nameOf, type Posting, postingKeys, type ReadPosting } from './posting.js';
import { baseOf } from './seen.js';

/** For how long after a posting is recorded its fields are requested. An immediate delivery waits no longer. Milliseconds. */
export const ENRICH_MS = 60_000;

/** The request whose JSON form may have the fields, by its subject, and until when it is made. Milliseconds since the epoch. */
export interface Awaited {
  readonly subject: string;
  readonly until: number;
}

/**
 * Returns what to request for a new posting; undefined if it lacks nothing, or without `until`. Every job has a company, so
 * a feed that names none leaves fields out. Place and pay say less: a job may have neither. `by`: the questions it answers.
 */
export function awaitedFrom(
  posting: Posting,
  by: readonly string[],
  until: number | undefined,
): Awaited | undefined {
  const [question] = by;
  if (until === undefined || question === undefined || posting.company !== undefined) return undefined;
  return { subject: subjectOf(question), until };
}

/**
 * Returns the posting with the fields of the one among `found` that is the same: it has a key in common and the same title.
 * Fields that the posting has stay as they are. Returns the same object when none is the same, or more than one.
 */
export function enriched(posting: Posting, found: readonly ReadPosting[]): Posting {
  const { key, id, url, applyUrl: link, title } = posting;
  const keys = new Set([baseOf(key), ...((id ?? url ?? link) ? postingKeys({ id, url, link }) : [])]);
  const name = nameOf({ key, ...defined({ title }) });
  const isSame = (one: ReadPosting) =>
    one.keys.some((own) => keys.has(own)) &&
    (name === undefined || name === nameOf({ key, ...defined({ title: one.posting.title }) }));
  const [same, ...others] = found.filter(isSame);
  if (!same || others.length > 0) return posting;
  const {
    company,
    location,
    country,
    remote,
    description,
    tags,
    salary,
    pay,
    estimatedPay,
    postedAt,
    applyBy,
  } = same.posting;
  const isPayNamed = posting.salary !== undefined || posting.pay !== undefined;
  const fields = defined({
    company,
    location,
    country,
    remote,
    description,
    tags,
    ...(isPayNamed ? {} : { salary, pay }),
    estimatedPay,
    postedAt,
    applyBy,
  });
  const missing = Object.entries(fields).filter(([name]) => !(name in posting));
  return missing.length === 0 ? posting : { ...posting, ...Object.fromEntries(missing) };
}
