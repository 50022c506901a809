import { textsFor } from './language/index.js';
/** Makes a page in the reader's language; `say` picks its words. */
export function messageView(locale, source, say) {
    const texts = textsFor(locale);
    const { title, texts: sentences, actions = [] } = say(texts.page);
    return {
        lang: texts.intl,
        title,
        service: texts.page.service(source),
        texts: sentences.filter((sentence) => sentence !== undefined),
        actions,
    };
}
export function button(label, url) {
    return { label, url, post: true, quiet: false };
}
export function quietLink(label, url) {
    return { label, url, post: false, quiet: true };
}
//# sourceMappingURL=page-views.js.map