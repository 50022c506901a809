// The e-mail sink: one mail per part of an edition, only to readers who agreed and never to a suppressed address.
import { createHash } from 'node:crypto';
import { DeliveryError, reasonOf } from '../../domain/errors.js';
import { plainCommands } from '../../render/commands.js';
import { textsFor } from '../../render/language/index.js';
import { fixOf, renderNotice } from '../../render/notice.js';
import { domainOf, parseAddress, parseMailbox } from './address.js';
import { createBounces, startMaildir } from './bounces.js';
import { composeDataRequest, composeEdition, composeNotice, readMailbox } from './compose.js';
import { createConfirmations } from './confirmations.js';
import { createDataRequests } from './data-requests.js';
import { createFailures } from './failures.js';
import { createStoredPauses, createStreamHealth } from './health.js';
import { createObstacle } from './obstacle.js';
import { packBySize } from './pack.js';
import { confirmSnsSubscription, readRelay } from './relay-reports.js';
import { readReport, reportToken, unsubscribeToken } from './reports.js';
import { createSuppression } from './suppression.js';
import { createMailTransport } from './transport.js';
import { createUnsubscribes } from './unsubscribes.js';
export function createEmailSink(options) {
    const { settings, templates, table, keys, links, source, clock, log, onAlert } = options;
    const from = settings.from;
    const sender = parseMailbox(from).address;
    const suppression = createSuppression({ table, keys, clock });
    const unsubscribes = createUnsubscribes(table, clock);
    const pauses = createStoredPauses({ table, keys, clock });
    // Other processes read the stored pauses; this process uses the ones in memory.
    let storing = Promise.resolve();
    const store = (work) => {
        storing = storing
            .then(work)
            .catch((error) => log.warn({ reason: reasonOf(error) }, 'pause of mails not stored'));
    };
    const health = createStreamHealth(clock, (pause) => store(() => pauses.keep(pause)));
    const failures = createFailures({ table, suppression, health, clock, onAlert });
    const applyReport = createBounces({ suppression, health, log, onAlert });
    const transport = createMailTransport({
        smtpUrl: settings.smtpUrl,
        dkim: settings.dkim,
        bounce: settings.bounceAddress ?? sender,
        token: suppression.token,
    });
    const { epoch, weeks } = options;
    const composing = { templates, from, links, epoch, weeks, mailbox: readMailbox(settings) };
    const ownId = (name) => `<${name}@${domainOf(sender)}>`;
    const questions = createConfirmations({ ...options, links, from, suppression, failures, transport });
    const { consent } = questions;
    const obstacle = createObstacle({
        unsubscribes,
        consent,
        suppression,
        accounts: options.accounts,
        pausedFor: health.pausedFor,
    });
    const dataRequests = createDataRequests({
        table,
        clock,
        async send({ what, locale }, to, token) {
            if (!links)
                throw new Error('no public pages to link to');
            // Not the token itself: relays write the Message-ID into their logs.
            const messageId = ownId(`data.${createHash('sha256').update(`Message-ID\n${token}`).digest('hex').slice(0, 24)}`);
            const url = links.confirm(token);
            await transport.send(composeDataRequest({ what, locale, to, url }, { templates, from, source, messageId }));
        },
    });
    async function deliver(delivery, target, context) {
        const address = parseAddress(target);
        const { account, subscription, destination } = delivery;
        const found = await obstacle({ account, subscription, destination });
        if (found?.fix === 'mailUnconfirmed')
            throw await questions.before(delivery, address);
        if (found?.until !== undefined)
            throw new DeliveryError('outage', found.why, { retryAfterMs: found.until - clock.now() });
        if (found)
            throw new DeliveryError('target', found.why, fixOf(found.fix));
        const message = await composeEdition(delivery, { ...composing, guard: context.guard });
        try {
            await transport.send(message, context.signal);
        }
        catch (error) {
            // We stopped it: this says nothing about the relay or the recipient, so the next attempt need not wait.
            if (context.signal.aborted)
                throw new DeliveryError('outage', 'stopped while sending');
            throw await failures.explain(error, address, message.messageId);
        }
        await failures.arrived(address, message.messageId);
    }
    // One after the other, so that several subscriptions to one address send one confirm mail.
    let asking = Promise.resolve();
    let isClosed = false;
    let isAlone = false;
    const begin = ({ account, subscription, destination, tags, locale }) => {
        asking = asking.then(async () => {
            try {
                const address = parseAddress(destination.target);
                if (isClosed || !links)
                    return;
                if ((await obstacle({ account, subscription, destination }))?.fix !== 'mailUnconfirmed')
                    return;
                await questions.before({ account, tags, locale }, address);
            }
            catch (error) {
                log.warn({ subscription, reason: reasonOf(error) }, 'confirm mail not sent');
            }
        });
    };
    let stopMaildir;
    return {
        name: 'email',
        parseTarget: parseAddress,
        pack: packBySize,
        deliver,
        begin,
        obstacle,
        consent,
        suppression,
        unsubscribes,
        dataRequests,
        question: questions.ask,
        verify: transport.verify,
        send: (message) => transport.send(message),
        pauses: health.pauses,
        async takeBounce(body, contentType) {
            const read = readRelay(body, contentType);
            if ('refused' in read)
                return { taken: 0, refused: read.refused };
            if ('confirm' in read)
                return confirmSnsSubscription(read.confirm, log);
            await take(read.reports);
            return { taken: read.reports.length };
        },
        async messenger(notice) {
            const account = await options.accounts.get(notice.account);
            const { email, locale = 'en' } = account ?? {};
            if (email?.confirmedAt === undefined || (await suppression.find(email.address)))
                return false;
            // A notice that mails do not arrive or are not wanted is not sent by mail.
            const aboutMail = notice.kind === 'destination' && notice.data?.sink === 'email';
            if (aboutMail || (await unsubscribes.any(notice.account)))
                return false;
            const epoch = (await options.epoch?.(notice.account)) ?? 0;
            const { subscription } = notice;
            const text = plainCommands(renderNotice(notice, locale), textsFor(locale));
            const about = {
                account: notice.account,
                epoch,
                now: clock.now(),
                ...(subscription ? { subscription } : {}),
            };
            const url = subscription ? links?.preferences(about) : undefined;
            const messageId = ownId(`notice.${clock.now().toString(36)}.${suppression.token(notice.subject)}`);
            const to = email.address;
            await transport.send(composeNotice({ locale, text, to, ...(url ? { url } : {}) }, { templates, from, source, messageId }));
            return true;
        },
        async start(role) {
            // Other processes that share the store have pauses of their own. Those of one that died end after an hour.
            isAlone = role === undefined || role === 'all';
            if (isAlone)
                store(pauses.clear);
            if (!settings.bounceMaildir || role === 'worker')
                return;
            stopMaildir = startMaildir(settings.bounceMaildir, log, async (mail) => {
                const token = unsubscribeToken(mail);
                if (token)
                    await options.onUnsubscribe?.(token);
                // Anyone can write to that mailbox. Only the token of the envelope sender shows that a mail is about one of
                // ours; a mail without it is not read.
                else if (reportToken(mail))
                    await take(readReport(mail));
            });
        },
        async close() {
            isClosed = true;
            await asking;
            if (isAlone && health.pauses().length > 0)
                store(pauses.clear);
            await storing;
            await stopMaildir?.();
            transport.close();
        },
    };
    async function take(reports) {
        for (const report of reports)
            await applyReport(report);
    }
}
//# sourceMappingURL=sink.js.map