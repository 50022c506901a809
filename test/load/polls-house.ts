// 150 subscriptions of 15 accounts on one moving listing, polled as often as possible, each with a webhook.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Program, startProgram, workFolder } from '../helpers/process.js';
import { INSPECTED } from './probe.js';
import {
  type ForgetfulReceiver,
  type MovingBoard,
  startForgetfulReceiver,
  startMovingBoard,
} from './recipients.js';

const RARE = 'rust';
const ACCOUNTS = 15;
const EACH = 10;

interface Entry {
  readonly id: string;
  readonly account: string;
  /** Sees all postings; the others see the rare ones. */
  readonly isBusy: boolean;
  readonly limit: number;
}

/** Each makes a different request, so that no poll is answered from the request of another one. */
export const SUBSCRIPTIONS: readonly Entry[] = Array.from({ length: ACCOUNTS * EACH }, (_, index) => {
  const isBusy = index < EACH;
  return {
    id: `s${index}`,
    account: `account-${Math.floor(index / EACH)}`,
    isBusy,
    limit: (isBusy ? 100 : 60) - (index % EACH),
  };
});

export interface PollsHouse {
  readonly dir: string;
  readonly store: string;
  readonly board: MovingBoard;
  readonly receiver: ForgetfulReceiver;
  readonly program: Program;
}

/** `later` takes the functions that close each part, newest last. */
export async function openPollsHouse(later: (undo: () => Promise<unknown>) => void): Promise<PollsHouse> {
  const { dir, remove } = await workFolder();
  later(remove);
  const tokens = [...new Set(SUBSCRIPTIONS.map(({ account }) => account))];
  const board = await startMovingBoard(dir, { tokens, rare: RARE, first: { rare: 60, others: 100 } });
  later(() => board.stop());
  const receiver = await startForgetfulReceiver();
  later(() => receiver.close());
  const entries = SUBSCRIPTIONS.map(({ id, account, isBusy, limit }) => ({
    id,
    account,
    filter: isBusy ? { limit } : { tags: [RARE], limit },
    schedule: '* * * * * *',
    destinations: [{ sink: 'webhook', target: `${receiver.url}/${id}`, cadence: 'immediate' }],
  }));
  await mkdir(join(dir, 'config'));
  // JSON is YAML.
  await writeFile(join(dir, 'config', 'subscriptions.yaml'), JSON.stringify(entries));
  const env = {
    JOBS_API_URL: board.url,
    MIN_POLL_SECONDS: '1',
    API_SPACING_MS: '1',
    HTTP_PORT: '0',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  };
  for (const token of tokens) {
    const command = startProgram(['token', 'set', '--account', token], { cwd: dir, env, input: token });
    if ((await command.ended) !== 0) throw new Error(command.stderr.join('\n'));
  }
  const program = startProgram(['run'], { cwd: dir, env: { ...env, ...INSPECTED } });
  later(async () => {
    program.kill('SIGKILL');
    await program.ended;
  });
  return { dir, store: join(dir, 'data', 'jobcrier.sqlite'), board, receiver, program };
}

/** Numbers of the postings that a subscription must get, oldest first. */
export function dueTo({ isBusy }: Entry, { news }: MovingBoard): number[] {
  return news.filter(({ isRare }) => isBusy || isRare).map(({ number }) => number);
}
