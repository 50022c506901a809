// What is kept about a company: its postings, their pay, and what a person did with them. A person can follow a company,
// which is a subscription to it, and mute it, which keeps it out of their own messages.
import { defined } from '../domain/defined.js';
import type { EditionPosting } from '../domain/edition.js';
import { isSameFilter, parseFilter } from '../domain/filter.js';
import { paySpan } from '../domain/pay.js';
import { isSameCompany } from '../domain/rules/company.js';
import { type Term, withoutTerm, withTerm } from '../domain/rules/index.js';
import type { Subscription } from '../domain/subscription.js';
import type { Pipeline } from '../pipeline/context.js';
import { followSubscription } from '../pipeline/subscription-sync.js';
import type { Services } from '../ports/services.js';

/** How far back postings are counted. */
const DAYS = 90;

/** Everything that has one of the companies. */
const EMPTY = parseFilter({});

type CompanyService = Pick<Services, 'company' | 'followCompany' | 'unfollowCompany'>;

export function createCompanyService(
  p: Pipeline,
  { subscribe, remove }: Pick<Services, 'subscribe' | 'remove'>,
): CompanyService {
  const { subscriptions, ledgers, marks } = p.stores;

  /** The subscriptions that follow companies and nothing else. */
  async function lists(account: string): Promise<readonly Subscription[]> {
    return (await subscriptions.byAccount(account)).filter(
      ({ filter: { terms = [], ...rest }, origin }) =>
        origin !== 'file' &&
        isSameFilter({ ...rest, terms: [] }, EMPTY) &&
        terms.length === 1 &&
        terms[0]?.term === 'company' &&
        terms[0].mode === 'require',
    );
  }

  const follows = ({ filter }: Subscription, name: string): Term | undefined => {
    const [term] = filter.terms ?? [];
    const values = term?.values.filter((value) => isSameCompany(value, name)) ?? [];
    return values.length > 0 ? companyTerm(values) : undefined;
  };

  return {
    async company(account, record, name) {
      const now = p.clock.now();
      const isOf = (posting: Pick<EditionPosting, 'company'>) =>
        posting.company !== undefined && isSameCompany(posting.company, name);
      // A reader of a channel sees only what its subscription found, not what its owner keeps besides.
      const found = (await p.history.archived(record.account, DAYS, now))
        .filter((one) => record.account === account || one.subscription === record.subscription)
        .map(({ posting }) => posting)
        .filter(isOf);
      const seenBy =
        record.account === account
          ? (await subscriptions.byAccount(account)).map(({ id }) => id)
          : [record.subscription];
      const open = new Set<string>();
      for (const id of seenBy)
        for (const key of Object.values((await ledgers.owed(id))?.recent ?? {}).flat()) open.add(key);
      const own = await marks.get(account);
      const marked = Object.values(own?.postings ?? {}).filter(({ posting }) => isOf(posting));
      return {
        name,
        listed: found.length,
        open: found.filter(({ key }) => open.has(key)).length,
        ...defined({ pay: paySpan(found.map(({ pay }) => pay)) }),
        marks: marked.map(({ mark, at }) => ({ mark, at })).sort((a, b) => b.at - a.at),
        isFollowed: (await lists(account)).some((one) => follows(one, name) !== undefined),
        isMuted: own?.hiddenCompanies.some((one) => one.toLowerCase() === name.toLowerCase()) ?? false,
      };
    },
    async followCompany(caller, name, destination) {
      const [list] = await lists(caller.account);
      const term = companyTerm([name]);
      if (!list) {
        await subscribe(caller, { filter: { terms: [term] }, destination });
        return;
      }
      if (follows(list, name)) return;
      await change(list.id, (terms) => withTerm(terms, term));
    },
    async unfollowCompany(caller, name) {
      for (const list of await lists(caller.account)) {
        const term = follows(list, name);
        if (term === undefined) continue;
        if (term.values.length === list.filter.terms?.[0]?.values.length) await remove(caller, list.id);
        else await change(list.id, (terms) => withoutTerm(terms, term));
      }
    },
  };

  /** Changes the companies as they are stored now. A list that was removed meanwhile stays removed. */
  async function change(id: string, edit: (terms: readonly Term[]) => readonly Term[]): Promise<void> {
    await subscriptions.update(
      id,
      (former) =>
        former && {
          ...former,
          filter: parseFilter({ ...former.filter, terms: edit(former.filter.terms ?? []) }),
        },
    );
    await followSubscription(p, id);
  }
}

function companyTerm(values: readonly string[]): Term {
  return { term: 'company', values, mode: 'require' };
}
