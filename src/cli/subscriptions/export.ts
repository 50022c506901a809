// `jobcrier subscriptions export`: writes subscriptions in the form of import and config/subscriptions.yaml.
import type { Subscription } from '../../domain/subscription.js';
import { renderSubscriptions, subscriptionEntry } from '../../subscriptions-file.js';
import type { CommandContext } from '../context.js';
import { noStoreYet, withStores } from '../session.js';

export interface ExportOptions {
  readonly account?: string;
  readonly json?: boolean;
}

export async function exportCommand(
  { account, json }: ExportOptions,
  context: CommandContext,
): Promise<void> {
  await withStores(context, 'read', async ({ stores }) => {
    const found: Subscription[] = [];
    for await (const subscription of stores.subscriptions.list())
      if (account === undefined || subscription.account === account) found.push(subscription);
    // Sorted by id, so that two exports can be compared.
    found.sort((a, b) => (a.id < b.id ? -1 : 1));
    const noStore = noStoreYet(stores);
    if (noStore) context.io.say(noStore);
    if (json) context.io.json(found.map(subscriptionEntry));
    else context.io.stdout.write(renderSubscriptions(found));
  });
}
