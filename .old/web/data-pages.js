import { button, messageView } from '../render/page-views.js';
import { rightsOf } from '../render/preferences-view.js';
import { showPage, wrongLink } from './context.js';
/** Mails the link and returns a page that says so. */
export async function askForData(c, w, request) {
    const asked = (await w.services.mail?.askForData(request)) ?? 'nowhere';
    const { locale } = request;
    const view = messageView(locale, w.source, ({ preferences: { asked: words } }) => ({
        title: { sent: words.title, later: words.later, nowhere: words.nowhere }[asked],
        texts: [{ sent: words.text, later: words.laterText, nowhere: words.nowhereText }[asked]],
    }));
    return showPage(c, w, 'message', locale, view);
}
/** The page behind a mailed link, with a button. Undefined if the link is not for a data request. */
export async function showDataRequest(c, w, token) {
    const request = await w.services.mail?.peekDataRequest(token);
    if (!request)
        return undefined;
    const { locale, what } = request;
    const url = w.links.local.confirm(token);
    const view = messageView(locale, w.source, ({ preferences: words }) => ({
        title: what === 'erase' ? words.eraseTitle : words.exportTitle,
        texts: [what === 'erase' ? words.eraseText : words.exportText],
        actions: [button(what === 'erase' ? words.eraseButton : words.export, url)],
    }));
    return showPage(c, w, what === 'erase' ? 'erase' : 'message', locale, view);
}
/** Does what a mailed link is for and uses it up. Undefined if the link is not for a data request. */
export async function doDataRequest(c, w, token) {
    const request = await w.services.mail?.takeDataRequest(token);
    if (!request)
        return undefined;
    return request.what === 'erase' ? erased(c, w, request) : exported(c, w, request);
}
async function erased(c, w, { account, locale }) {
    await w.services.eraseAccount(account);
    w.log.info({}, 'reader had everything deleted');
    const view = messageView(locale, w.source, ({ preferences: words }) => ({
        title: words.erasedTitle,
        texts: [words.erasedText],
    }));
    return showPage(c, w, 'message', locale, view);
}
/** Exports all data of the account; for a shared account, only what belongs to the stream. */
async function exported(c, { services, ...w }, { account, subscription: id, destination: place }) {
    const report = await services.subscription({ account }, id).catch(() => undefined);
    if (!report)
        return wrongLink(c, { services, ...w });
    const { subscription } = report;
    const data = rightsOf(subscription).erase
        ? await services.exportAccount(account)
        : {
            subscription: {
                ...subscription,
                destinations: subscription.destinations.filter((one) => one.id === place),
            },
            editions: (await services.editions(account, 1000)).filter((one) => one.subscription === id && one.destination.id === place),
        };
    return new Response(JSON.stringify(data, null, 2), {
        headers: {
            'Content-Type': 'application/json; charset=utf-8',
            'Content-Disposition': 'attachment; filename="jobcrier-data.json"',
        },
    });
}
//# sourceMappingURL=data-pages.js.map