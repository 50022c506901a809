import { renderSubscriptions, subscriptionEntry } from '../../subscriptions-file.js';
import { noStoreYet, withStores } from '../session.js';
export async function exportCommand({ account, json }, context) {
    await withStores(context, 'read', async ({ stores }) => {
        const found = [];
        for await (const subscription of stores.subscriptions.list())
            if (account === undefined || subscription.account === account)
                found.push(subscription);
        // Sorted by id, so that two exports can be compared.
        found.sort((a, b) => (a.id < b.id ? -1 : 1));
        const noStore = noStoreYet(stores);
        if (noStore)
            context.io.say(noStore);
        if (json)
            context.io.json(found.map(subscriptionEntry));
        else
            context.io.stdout.write(renderSubscriptions(found));
    });
}
//# sourceMappingURL=export.js.map