// The processes of a house that end and start again, and what must be true of what they recorded.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openStores } from '../../src/store/index.js';
import { parseSecretKeys } from '../../src/store/secret-keys.js';
import { HOUSE_KEY } from '../helpers/house-store.js';
import { later } from '../helpers/later.js';
import type { Program } from '../helpers/process.js';
import type { Role, SharedHouse } from './shared-house.js';

interface Line {
  readonly msg?: string;
  readonly subscription?: string;
  readonly baseline?: boolean;
  readonly new?: number;
}

export interface Crew {
  /** Everyone that ever ran. */
  readonly all: readonly Program[];
  /** Who runs now, in the order of the roles. */
  readonly now: readonly Program[];
  /** Processes that ended by themselves, with their last words. */
  readonly ended: readonly { readonly role: Role; readonly says: string }[];
  /** Ends one and starts another in its place: at once, or with `SIGTERM` when it has handed over its work. */
  replace(at: number, signal?: NodeJS.Signals): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a process for each role, and another for one that ends by itself. */
export function createCrew(roles: readonly Role[], launch: (role: Role, at: number) => Program): Crew {
  const all: Program[] = [];
  const now: Program[] = [];
  const ended: { role: Role; says: string }[] = [];
  const expected = new Set<Program>();
  function start(at: number): void {
    const role = roles[at] as Role;
    const program = launch(role, at);
    all.push(program);
    now[at] = program;
    void program.ended.then((code) => {
      if (expected.has(program)) return;
      const lines = [...program.stdout.slice(-3), ...program.stderr.slice(-5)];
      ended.push({ role, says: `ended with ${code}: ${lines.join('\n')}` });
      // As whatever runs it would.
      expected.add(program);
      start(at);
    });
  }
  for (const at of roles.keys()) start(at);
  return {
    all,
    now,
    ended,
    async replace(at, signal = 'SIGKILL') {
      const program = now[at] as Program;
      expected.add(program);
      program.kill(signal);
      await program.ended;
      start(at);
    },
    async stop() {
      for (const one of now) {
        expected.add(one);
        one.kill();
      }
      await Promise.all(now.map((one) => one.ended));
    },
  };
}

/** A webhook receiver: the ids under which each subscription announced a posting. The end of the test closes it. */
export async function startReceiver() {
  const told = new Map<string, Set<string>>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { data } = JSON.parse(Buffer.concat(chunks).toString());
      for (const { title } of data.postings) {
        const key = `${data.subscription} ${title}`;
        told.set(key, (told.get(key) ?? new Set()).add(String(request.headers['webhook-id'])));
      }
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  later(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, told };
}

/** How often each subscription says it recorded new postings; a process that was killed may have said too little. */
export function recordedBy(programs: readonly Program[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const lines = programs.flatMap((one) => one.json() as Line[]);
  for (const { msg, subscription = '', baseline, new: fresh = 0 } of lines)
    if (msg === 'poll recorded' && !baseline)
      counts.set(subscription, (counts.get(subscription) ?? 0) + fresh);
  return counts;
}

/** How many turns of a process were refused, because another one had taken the lane. */
export function tookOver(program: Program): number {
  return (program.json() as Line[]).filter(({ msg }) => msg === 'another process took over a job').length;
}

/** What the ledger of a subscription must hold: numbers of postings. */
export interface Expected {
  readonly id: string;
  readonly seen: number;
  readonly done: number;
  readonly owed: number;
}

/** What is wrong with the ledgers in the store of a house. */
export async function faultsIn(
  { storeUrl, dir }: Pick<SharedHouse, 'storeUrl' | 'dir'>,
  all: readonly Expected[],
): Promise<readonly string[]> {
  const stores = await openStores({
    url: storeUrl,
    dataDir: dir,
    keys: parseSecretKeys(HOUSE_KEY, 'SECRET_KEY'),
    log: { debug() {}, info() {}, warn() {}, error() {} },
    clock: { now: Date.now },
  });
  const faults: string[] = [];
  for (const { id, seen, done, owed } of all) {
    const ledger = await stores.ledgers.read(id);
    const titles = ledger?.outbox.map(({ posting }) => posting.title) ?? [];
    const outcomes = Object.values(ledger?.done ?? {}).flatMap((one) => Object.values(one));
    if (ledger?.seenCount !== seen) faults.push(`${id}: saw ${ledger?.seenCount} of ${seen}`);
    if (outcomes.length !== done) faults.push(`${id}: ${outcomes.length} of ${done} done`);
    if (titles.length !== owed || new Set(titles).size !== owed)
      faults.push(`${id}: owes ${titles.length} instead of ${owed}`);
  }
  await stores.close();
  return faults;
}
