/** Bytes of HTML for the postings of a mail: 60 KB in total, less the frame. */
const ROOM = 60_000 - 9_000;
const MOST = 60;
/** Bytes that a posting takes besides its own text: tags and styles. */
const FRAME = 620;
function size(posting) {
    const words = [
        posting.title?.slice(0, 200),
        posting.company?.slice(0, 100),
        posting.location?.slice(0, 120),
    ];
    const bytes = words.reduce((sum, word) => sum + Buffer.byteLength(word ?? ''), 0);
    // `&` and quotes become entities.
    const link = posting.applyUrl ?? '';
    return FRAME + bytes + Buffer.byteLength(link) + 4 * (link.match(/[&'"]/gu)?.length ?? 0);
}
/** Splits postings into mails, in order. */
export function packBySize(postings) {
    const mails = [];
    let room = 0;
    for (const posting of postings) {
        const bytes = size(posting);
        const last = mails.at(-1);
        if (last && bytes <= room && last.length < MOST)
            last.push(posting);
        else {
            mails.push([posting]);
            room = ROOM;
        }
        room -= bytes;
    }
    return mails;
}
//# sourceMappingURL=pack.js.map