// An apply_url belongs to the owner of the token it is served to. A jobs file may therefore have `{partner}` in it,
// which becomes the `partner` of the token. For a token without one the link is served as it is in the file.
import { randomUUID } from 'node:crypto';
const PLACEHOLDER = '{partner}';
// Marks the place of the name while a job is rendered. No job can contain it, because it is new in every process.
const MARK = randomUUID().replaceAll('-', '');
/** True for a job whose link depends on the token it is served to. */
export function namesOwner(job) {
    return typeof job.apply_url === 'string' && job.apply_url.includes(PLACEHOLDER);
}
/** Renders a job once for all tokens: the text, split at each placeholder of its apply_url. */
export function ownerSlots(job, render) {
    if (!namesOwner(job))
        return [render(job)];
    return render({ ...job, apply_url: String(job.apply_url).replaceAll(PLACEHOLDER, MARK) }).split(MARK);
}
/** The text for one token's owner. */
export function fillOwner(slots, partner) {
    return slots.length === 1 ? (slots[0] ?? '') : slots.join(partner ?? PLACEHOLDER);
}
//# sourceMappingURL=owner-link.js.map