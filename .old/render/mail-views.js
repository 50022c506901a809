// The views of the two mails that carry no postings: the question whether mails are wanted, and a word to an owner.
import { oneLine } from '../domain/text.js';
import { textsFor } from './language/index.js';
/** `url`: the confirm page; `hours`: how long it works. Holds no link to a posting (mail rules, confirmation). */
export function confirmView(of) {
    const texts = textsFor(of.locale);
    const { confirm } = texts.mail;
    return {
        lang: texts.intl,
        subject: confirm.subject(of.source),
        preheader: confirm.preheader,
        title: confirm.title,
        intro: confirm.intro(of.source),
        about: of.about ? confirm.about(oneLine(of.about)) : null,
        url: of.url,
        button: confirm.button,
        hours: confirm.hours(of.hours),
        ignore: confirm.ignore,
    };
}
/** The same mail for another question: whether all that is stored shall be handed out, or deleted. */
export function dataRequestView(of) {
    const texts = textsFor(of.locale);
    const words = texts.mail.dataRequest;
    const { subject, title, intro, button } = words[of.what];
    return {
        lang: texts.intl,
        subject: subject(of.source),
        preheader: words.preheader,
        title,
        intro: intro(of.source),
        about: null,
        url: of.url,
        button,
        hours: words.hours(of.hours),
        ignore: words.ignore,
    };
}
/** `text`: one sentence with the fix; `about`: the subscription in words. */
export function noticeView(of) {
    const texts = textsFor(of.locale);
    const { notice } = texts.mail;
    return {
        lang: texts.intl,
        subject: notice.subject(of.source),
        preheader: notice.preheader,
        title: notice.title,
        about: of.about ? oneLine(of.about) : null,
        text: oneLine(of.text),
        url: of.url ?? null,
    };
}
//# sourceMappingURL=mail-views.js.map