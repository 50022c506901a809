/** `full`: with the first words of the description and why it matched, for the few postings of an immediate mail. */
export function cardView(view, full, texts) {
    const more = view.moreTags > 0 ? [`+${view.moreTags}`] : [];
    const tags = joined([...view.tags, ...(view.tags.length > 0 ? more : [])]);
    const when = view.age ?? null;
    const estimated = view.payEstimated ?? false;
    const link = view.applyUrl ?? null;
    const pay = view.pay ?? null;
    const meta = joined([view.company, view.place]);
    const details = joined([tags, when]);
    const snippet = (full && view.snippet) || null;
    const why = full && view.why ? texts.card.matched(view.why) : null;
    const remark = joined([why, view.seenBefore, view.noLink]);
    const plain = [view.title, meta, pay, details, snippet, remark, link].filter(Boolean).join('\n');
    return {
        title: view.title,
        link,
        company: view.company ?? null,
        place: view.place ?? null,
        meta,
        pay,
        estimated,
        tags,
        when,
        details,
        snippet,
        remark,
        more: snippet !== null || remark !== null,
        plain,
    };
}
function joined(parts) {
    return parts.filter(Boolean).join(' · ') || null;
}
//# sourceMappingURL=card-view.js.map