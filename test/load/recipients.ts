// The services around the long run: a board process whose listing moves on request, and a receiver that keeps little
// of what it gets and sometimes fails.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProgram } from '../helpers/process.js';

const SAMPLE = fileURLToPath(new URL('../../config/sample-jobs.json', import.meta.url));
/** The size of the board's listing: enough for the longest listing of a tag. */
const KEPT = 1_200;

/** The parts of a round of news: postings with the tag `rare`, and others. */
export interface Round {
  readonly rare: number;
  readonly others: number;
}

export interface MovingBoard {
  readonly url: string;
  /** Numbers of the postings published after the first listing, oldest first. */
  readonly news: readonly { readonly number: number; readonly isRare: boolean }[];
  publish(round: Round): Promise<void>;
  stop(): Promise<unknown>;
}

/** The board as a separate process, so that its work does not count for the service. */
export async function startMovingBoard(
  dir: string,
  { tokens, rare, first }: { tokens: readonly string[]; rare: string; first: Round },
): Promise<MovingBoard> {
  const sample: Record<string, unknown>[] = JSON.parse(await readFile(SAMPLE, 'utf8'));
  const jobsFile = join(dir, 'jobs.json');
  const tokensFile = join(dir, 'tokens.json');
  const news: { number: number; isRare: boolean }[] = [];
  let jobs: Record<string, unknown>[] = [];
  let last = 0;

  function jobOf(number: number, isRare: boolean): Record<string, unknown> {
    const template = sample[number % sample.length];
    return {
      ...template,
      // Long enough to be cut, short enough that reading listings is not the main work of the run.
      description: String(template?.description).slice(0, 500),
      id: String(number),
      title: `Position ${number}`,
      tags: [isRare ? rare : 'other'],
      url: `https://jobs.example/x/${number}`,
      apply_url: `https://jobs.example/r/x${number}?a=1&b=${number}`,
      postedAt: '2026-11-20',
    };
  }

  async function publish({ rare: few, others }: Round): Promise<void> {
    const fresh = Array.from({ length: few + others }, (_, index) => ({
      number: ++last,
      isRare: index < few,
    }));
    news.push(...fresh);
    jobs = [...fresh.map((one) => jobOf(one.number, one.isRare)).reverse(), ...jobs].slice(0, KEPT);
    // In one step, because the board must never read half a file.
    await writeFile(`${jobsFile}.new`, JSON.stringify(jobs));
    await rename(`${jobsFile}.new`, jobsFile);
  }

  await publish(first);
  news.length = 0;
  await writeFile(tokensFile, JSON.stringify(tokens.map((token) => ({ token, permissions: ['jobs:read'] }))));
  const program = startProgram(['board', '--json', '--jobs', jobsFile, '--tokens', tokensFile], { cwd: dir });
  const listening = () => program.json().find(({ event }) => event === 'listening');
  await program.until('the board', () => listening() !== undefined);
  return {
    url: String(listening()?.url),
    news,
    publish,
    stop() {
      program.kill();
      return program.ended;
    },
  };
}

export interface ForgetfulReceiver {
  readonly url: string;
  /** Numbers of the postings that each subscription got, in order; a repeat under the same id is left out. */
  of(subscription: string): readonly number[];
  readonly asked: number;
  /** Requests answered with 503, and accepted requests whose answer was lost. */
  readonly refused: number;
  readonly dropped: number;
  close(): Promise<unknown>;
}

/** Every so many requests. */
const REFUSES = 97;
const DROPS = 211;

/** The last part of a target's path names the subscription. */
export async function startForgetfulReceiver(): Promise<ForgetfulReceiver> {
  const mailboxes = new Map<string, { numbers: number[]; ids: Set<string> }>();
  const counts = { asked: 0, refused: 0, dropped: 0 };

  function take(path: string, id: string, raw: string): void {
    const name = path.split('/').at(-1) ?? '';
    const box = mailboxes.get(name) ?? { numbers: [], ids: new Set() };
    mailboxes.set(name, box);
    if (box.ids.has(id)) return;
    box.ids.add(id);
    const { data } = JSON.parse(raw) as { data: { postings: { title: string }[] } };
    box.numbers.push(...data.postings.map(({ title }) => Number(title.split(' ')[1])));
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      counts.asked++;
      if (counts.asked % REFUSES === 0) {
        counts.refused++;
        response.writeHead(503, { 'retry-after': '1' }).end();
        return;
      }
      take(request.url ?? '', String(request.headers['webhook-id']), Buffer.concat(chunks).toString());
      if (counts.asked % DROPS !== 0) return void response.writeHead(204).end();
      counts.dropped++;
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    of: (subscription) => mailboxes.get(subscription)?.numbers ?? [],
    get asked() {
      return counts.asked;
    },
    get refused() {
      return counts.refused;
    },
    get dropped() {
      return counts.dropped;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
