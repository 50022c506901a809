// The console sink, for a person at a terminal and for a program behind a pipe. The reader is a real process at the
// other end of a real pipe, which reports a terminal where a test needs one.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { getEventListeners } from 'node:events';
import type { Socket } from 'node:net';
import { type Readable, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import type { Output } from '../../src/domain/attribution.js';
import type { Delivery } from '../../src/ports/sink.js';
import { columnsOf } from '../../src/render/terminal-edition.js';
import { en, textsFor } from '../../src/render/texts.js';
import { createConsoleSink } from '../../src/sinks/console/sink.js';
import { until } from '../helpers/until.js';
import { type FarSide, sinkContract } from './contract.js';
import { contractDelivery, contractPosting, realGuard } from './contract-data.js';

const NOW = Date.parse('2026-01-06T10:00:00Z');

interface Reader extends FarSide {
  readonly stdin: Socket;
  /** Everything the process has read so far. */
  text(): Promise<string>;
}

async function openReader(terminal?: { columns?: number; color?: boolean }): Promise<Reader> {
  // cat copies its input, so its output is what came through the pipe.
  const child = spawn('cat', [], { stdio: ['pipe', 'pipe', 'ignore'] }) as ChildProcessByStdio<
    Socket,
    Readable,
    null
  >;
  const { stdin } = child;
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  if (terminal) Object.assign(stdin, { isTTY: true, columns: terminal.columns ?? 80 });
  const sink = createConsoleSink({
    stdout: stdin,
    clock: { now: () => NOW },
    color: terminal?.color ?? true,
  });

  async function text(): Promise<string> {
    await until(() => Buffer.concat(chunks).length === stdin.bytesWritten, { what: 'the pipe to be read' });
    return Buffer.concat(chunks).toString();
  }

  async function received(): Promise<Output[]> {
    const all = await text();
    if (terminal) return all === '' ? [] : [{ format: 'text', body: all, note: en.card.note }];
    const lines = all.split('\n').filter(Boolean);
    return lines.map((body) => ({ format: 'json', body, note: en.card.note }));
  }

  return {
    sink,
    target: undefined,
    stdin,
    text,
    received,
    ...(terminal
      ? {}
      : { ids: async () => (await received()).map(({ body }) => JSON.parse(body).edition as string) }),
    fail() {
      // The reader ends, as in `jobcrier run | head`.
      stdin.destroy();
    },
    hang() {
      child.kill('SIGSTOP');
      stdin.write(Buffer.alloc(1 << 20, ' '));
    },
    async close() {
      stdin.destroy();
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null)
        await new Promise((resolve) => child.once('exit', resolve));
    },
  };
}

const badTargets = ['stdout', 3, {}];
sinkContract('console behind a pipe', { open: () => openReader(), badTargets, faults: ['outage'] });
sinkContract('console on a terminal', {
  open: () => openReader({}),
  badTargets,
  faults: ['outage'],
  harmless(received) {
    for (const { body } of received) {
      // Colours are the only escape sequences, and none of them comes from a posting.
      const plain = stripVTControlCharacters(body);
      expect(plain).not.toMatch(/[^\P{Cc}\n]/u);
      expect(body.replaceAll(/\p{Cc}\[\d+m/gu, '')).toBe(plain);
    }
  },
});

let open: Reader[] = [];
afterEach(async () => {
  for (const reader of open) {
    await reader.sink.close?.();
    await reader.close();
  }
  open = [];
});

async function shown(
  terminal: { columns?: number; color?: boolean } | undefined,
  fields: Partial<Delivery> = {},
): Promise<string> {
  const reader = await openReader(terminal);
  open.push(reader);
  const delivery = contractDelivery(reader.sink, '', fields);
  await reader.sink.deliver(delivery, '', realGuard(delivery.postings));
  return reader.text();
}

describe('for programs', () => {
  test('writes one line per edition, in the documented form', async () => {
    const text = await shown(undefined, {
      edition: 'edition-1',
      postings: [contractPosting(1), { key: 'id:2', title: 'Dev', matched: [] }],
    });
    expect(text.endsWith('\n')).toBe(true);
    expect(text.trimEnd()).not.toContain('\n');
    expect(JSON.parse(text)).toEqual({
      event: 'edition',
      edition: 'edition-1',
      subscription: 'rust',
      postings: [
        {
          key: 'id:1',
          title: 'Senior Rust Engineer 1',
          company: 'Acme Labs',
          location: 'Berlin, Germany',
          remote: true,
          tags: ['rust', 'zero-knowledge'],
          salary: '$80k - 120k',
          postedAt: '2026-01-05',
          applyUrl: 'https://board.example/r/1__me?ref=a&x=1',
          matched: ['rust'],
          source: 'Example Board',
        },
        { key: 'id:2', title: 'Dev', matched: [], source: 'Example Board' },
      ],
      note: en.card.note,
    });
  });

  test('line separators in a posting do not start another line', async () => {
    const text = await shown(undefined, { postings: [contractPosting(1, { title: 'a\nb\r\nc\u2028d' })] });
    expect(text.trimEnd().split(/[\n\r\u2028]/u)).toHaveLength(1);
  });

  test('writes the note in the language of the reader', async () =>
    expect(JSON.parse(await shown(undefined, { locale: 'de-AT' })).note).toBe(textsFor('de').card.note));
});

describe('for people', () => {
  const wordy = contractPosting(1, {
    title: 'Principal Zero-Knowledge Proving Engineer, Distributed Systems and Cryptography 求人',
    description: 'word '.repeat(200),
    tags: ['rust', 'zero-knowledge', 'backend', 'layer-2', 'evm', 'cryptography', 'open-source', 'defi'],
    applyUrl: `https://board.example/r/${'x'.repeat(150)}?a=(1)`,
    seenBefore: '2025-12-01',
  });

  test('shows title, company, place, pay, tags, age, reason and link, and the source and the note once', async () => {
    const text = await shown({ color: false });
    expect(text).toBe(
      [
        '── 1 new posting via Example Board ────────────────────────────────────────────',
        'Rust, remote',
        '',
        '│ Senior Rust Engineer 1',
        '│ Acme Labs · Berlin, Germany · Remote · $80k - 120k',
        '│ #Rust #ZK',
        '│ Build zero-knowledge provers with a small team.',
        '│ posted yesterday · matches: Rust; names its pay',
        '│ https://board.example/r/1__me?ref=a&x=1',
        '',
        en.card.note,
        '',
        '',
      ].join('\n'),
    );
  });

  test.each([0, 40, 60, 80, 100, 120, 300])(
    'no line but the link is wider than %i columns',
    async (columns) => {
      const text = stripVTControlCharacters(
        await shown({ columns }, { postings: [wordy, contractPosting(2)] }),
      );
      const lines = text.split('\n');
      expect(lines).toContain(`│ ${wordy.applyUrl}`);
      for (const line of lines.filter((one) => !one.includes('https://')))
        expect(columnsOf(line)).toBeLessThan(columns || 80);
    },
  );

  test('leaves no gap for what a posting lacks', async () => {
    const text = await shown({ color: false }, { postings: [{ key: 'id:1', badLink: true, matched: [] }] });
    expect(text).toContain(`\n│ ${en.card.noTitle}\n│ ${en.card.linkWithheld}\n`);
    expect(text).not.toMatch(/undefined|null|│ *\n/u);
  });

  test('uses colours only when wanted', async () => {
    expect(await shown({ color: true })).toContain('\u001b[');
    expect(await shown({ color: false })).not.toContain('\u001b');
    expect(await shown(undefined)).not.toContain('\u001b');
  });

  test.each([
    ['NO_COLOR', '1', false],
    ['TERM', 'dumb', false],
    ['TERM', 'xterm', true],
  ])('if nothing is set, %s=%s decides about colours: %s', async (name, value, isColored) => {
    const before = { NO_COLOR: process.env.NO_COLOR, TERM: process.env.TERM };
    delete process.env.NO_COLOR;
    Object.assign(process.env, { TERM: 'xterm', [name]: value });
    try {
      const reader = await openReader();
      open.push(reader);
      Object.assign(reader.stdin, { isTTY: true, columns: 80 });
      const sink = createConsoleSink({ stdout: reader.stdin, clock: { now: () => NOW } });
      await sink.deliver(contractDelivery(sink, ''), '', realGuard([contractPosting(1)]));
      await sink.close?.();
      expect((await reader.text()).includes('\u001b')).toBe(isColored);
    } finally {
      for (const [key, text] of Object.entries(before))
        if (text === undefined) delete process.env[key];
        else process.env[key] = text;
    }
  });
});

describe('the stream', () => {
  /** A sink for a stream that does this with what is written. */
  function sinkInto(write: (done: (error?: Error) => void) => void) {
    const stdout = new Writable({ write: (_chunk, _encoding, done) => write(done) });
    const sink = createConsoleSink({ stdout, clock: { now: () => NOW } });
    const delivery = contractDelivery(sink, '');
    const context = realGuard(delivery.postings);
    return {
      stdout,
      sink,
      context,
      deliver: (more = {}) => sink.deliver(delivery, '', { ...context, ...more }),
    };
  }
  const forOwner = 'The standard output of the service is closed or not read.';

  test('keeps nothing of a delivery, or of the sink after it is closed', async () => {
    const { stdout, sink, deliver } = sinkInto((done) => done());
    const { signal } = new AbortController();
    await deliver({ signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(stdout.listenerCount('error')).toBe(1);
    await sink.close?.();
    expect(stdout.listenerCount('error')).toBe(0);
  });

  test('that fails without a code is not writable', async () => {
    const { deliver } = sinkInto((done) => done(new Error('canary')));
    await expect(deliver()).rejects.toMatchObject({
      fault: 'outage',
      message: 'standard output: not writable',
      forOwner,
    });
  });

  test('that is not read in time is an outage, also if the time was over before', async () => {
    const controller = new AbortController();
    let written = 0;
    const { deliver } = sinkInto(() => {
      written++;
      controller.abort();
    });
    const late = { fault: 'outage', message: 'standard output: not read in time', forOwner };
    await expect(deliver({ signal: controller.signal })).rejects.toMatchObject(late);
    await expect(deliver({ signal: controller.signal })).rejects.toMatchObject(late);
    expect(written).toBe(1);
  });

  test.each([
    [false, 'json'],
    [true, 'text'],
  ])('gets nothing that the guard refuses (terminal: %s, checked as %s)', async (isTTY, format) => {
    let written = 0;
    const { stdout, context, deliver } = sinkInto((done) => {
      written++;
      done();
    });
    Object.assign(stdout, { isTTY, columns: 80 });
    const formats: string[] = [];
    const guard: typeof context.guard = (output) => {
      formats.push(output.format);
      throw new Error('refused');
    };
    await expect(deliver({ guard })).rejects.toThrow('refused');
    expect([formats, written]).toEqual([[format], 0]);
  });

  test.each([undefined, null, ''])('needs no target: %j', (target) => {
    const { sink } = sinkInto((done) => done());
    expect(sink.parseTarget(target)).toBe('');
    expect(() => sink.parseTarget('stdout')).toThrow(
      'console target: the console takes no target; leave it out.',
    );
  });
});

test('reports an outage and does not crash when the reader has closed its end', async () => {
  const child = spawn('sh', ['-c', 'exec <&-; echo closed; exec sleep 60'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  try {
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const sink = createConsoleSink({ stdout: child.stdin, clock: { now: () => NOW } });
    const delivery = contractDelivery(sink, '');
    for (const why of ['EPIPE', 'ERR_STREAM_DESTROYED'])
      await expect(sink.deliver(delivery, '', realGuard(delivery.postings))).rejects.toMatchObject({
        name: 'DeliveryError',
        fault: 'outage',
        message: `standard output: ${why}`,
      });
  } finally {
    child.kill('SIGKILL');
  }
});
