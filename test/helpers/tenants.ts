// A house with several accounts, each with a token and a subscription beside the operator's, all delivered to one
// webhook, so that a test can compare a fault of one account with what the others get meanwhile.
import { type FaultHouse, faultHouse, faultJob } from './fault-house.js';
import { giveTokens, HOUSE_KEY, inStore } from './house-store.js';
import { type MovedClock, movedClock, pollsToDo } from './moved-clock.js';
import type { Program } from './process.js';
import { until } from './until.js';

const OPERATOR_TOKEN = 'operator-token-1';

/** The id of a tenant's subscription: `sub-` and the account's name, without characters that an id can't contain. */
const subscriptionOf = (account: string) => `sub-${account.replaceAll(/\W/gu, '-')}`;

export interface Tenants {
  readonly house: FaultHouse;
  readonly clock: MovedClock;
  readonly tokens: Readonly<Record<string, string>>;
  run(env?: Record<string, string>): Program;
  /** Titles that an account (the operator when left out) got; a repeat under the same id counts once. */
  got(account?: string): string[];
  /** Requests with the account's first token. */
  asked(account: string): number;
  /** Every subscription has had its first poll. */
  settled(program: Program): Promise<void>;
  /** Posts a job and waits until the operator has it: by then every other account has had a turn. */
  post(program: Program, id: number): Promise<void>;
}

/** Each account's schedule, in cron (the operator's is every second), and more destinations beside the webhook. */
export async function tenants(
  schedules: Readonly<Record<string, string>>,
  env: Record<string, string> = {},
  more: Readonly<Record<string, string>> = {},
): Promise<Tenants> {
  const house = await faultHouse({ token: OPERATOR_TOKEN, env: { SECRET_KEY: HOUSE_KEY, ...env } });
  const accounts = Object.keys(schedules);
  const tokens = Object.fromEntries(accounts.map((account, n) => [account, `tenant-token-${n}-0001`]));
  await house.board.setTokens([OPERATOR_TOKEN, ...Object.values(tokens)].map((token) => ({ token })));
  await giveTokens(house.dir, tokens);
  const destination = `{ sink: webhook, target: "${house.receiver.url}", cadence: immediate }`;
  const entries = Object.entries({ operator: '* * * * * *', ...schedules }).map(
    ([account, schedule]) => `- id: ${subscriptionOf(account)}
  account: "${account}"
  schedule: "${schedule}"
  destinations: [${[destination, more[account]].filter(Boolean)}]`,
  );
  await house.subscriptions(`${entries.join('\n')}\n`);
  const clock = movedClock(house.dir);
  function got(account = 'operator'): string[] {
    const mine = house.receiver.received.filter(
      ({ body }) => body.data.subscription === subscriptionOf(account),
    );
    const ids = new Map(mine.map((one) => [one.id, one]));
    return [...ids.values()].flatMap(({ body }) => body.data.postings.map(({ title = '' }) => title));
  }
  return {
    house,
    clock,
    tokens,
    got,
    run: (more = {}) => house.run({ ...clock.env, ...more }),
    asked: (account) => house.front.asked.filter(({ token }) => token === tokens[account]).length,
    async settled(program) {
      await program.until(
        'the first polls',
        () => program.json().filter(({ baseline }) => baseline === true).length > accounts.length,
        40_000,
      );
      // A new token makes every request of its account once more.
      await until(
        async () => (await inStore(house.dir, ({ accounts }) => accounts.withNewToken())).length === 0,
        { what: 'the new tokens to be followed' },
      );
      await until(async () => (await pollsToDo(house.dir, clock.now())) === 0, {
        what: 'what was planned by then to be asked',
      });
    },
    async post(program, id) {
      await house.board.addJob(faultJob(id));
      await program.until(`posting ${id}`, () => got().includes(`Position ${id}`));
    },
  };
}
