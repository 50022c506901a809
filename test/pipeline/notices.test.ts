// An owner gets a notice once, through the first messenger that reaches them, and again only after it was settled.
import { expect, test } from 'vitest';
import { createNotices } from '../../src/pipeline/notices.js';
import type { Messenger, Notice } from '../../src/ports/notice.js';
import { memoryTable, testClock } from '../helpers/memory-table.js';

const notice: Notice = { kind: 'gap', subject: 's', account: 'alice', subscription: 's', text: 'Something.' };

function open(...messengers: Messenger[]) {
  const clock = testClock();
  const logged: object[] = [];
  const lines: string[] = [];
  const log = {
    debug() {},
    info() {},
    error() {},
    warn(fields: object, message: string) {
      logged.push(fields);
      lines.push(message);
    },
  };
  const table = memoryTable(clock);
  const notices = createNotices({ table: table as never, messengers, clock, log });
  return { notices, logged, lines, table, clock };
}

test('stops at the first messenger that reaches the owner', async () => {
  const asked: string[] = [];
  const messenger =
    (name: string, reached: boolean): Messenger =>
    async () => {
      asked.push(name);
      return reached;
    };
  const broken: Messenger = async () => {
    throw new Error('no way');
  };
  const { notices, logged, lines, table, clock } = open(
    messenger('a', false),
    broken,
    messenger('b', true),
    messenger('c', true),
  );
  await notices.tell(notice);
  await notices.tell(notice);
  expect(lines).toEqual(['notice failed', 'owner notice']);
  expect(logged[0]).toEqual({ kind: 'gap', reason: 'no way' });
  expect(await table.get('gap:s')).toEqual({ ...notice, toldAt: clock.now() });
  expect(asked).toEqual(['a', 'b']);
  expect(logged.at(-1)).toMatchObject({ reached: true, notice: 'Something.' });
});

test('logs a notice once when no messenger reaches the owner', async () => {
  const { notices, logged } = open();
  await notices.tell(notice);
  await notices.tell(notice);
  expect(logged).toMatchObject([{ reached: false }]);
});

test('repeats a notice after its lifetime', async () => {
  const { notices, logged, clock } = open();
  await notices.tell({ ...notice, forMs: 60_000 });
  clock.advance(59_000);
  await notices.tell({ ...notice, forMs: 60_000 });
  expect(logged).toHaveLength(1);
  clock.advance(2_000);
  await notices.tell({ ...notice, forMs: 60_000 });
  expect(logged).toHaveLength(2);
});

test('repeats a notice after it was settled, and always for another subject or kind', async () => {
  const { notices, logged } = open();
  await notices.clear('gap', 's');
  await notices.tell(notice);
  await notices.tell({ ...notice, subject: 't' });
  await notices.tell({ ...notice, kind: 'silence' });
  expect(logged).toHaveLength(3);
  await notices.clear('gap', 's');
  await notices.clear('gap', 's');
  await notices.tell(notice);
  expect(logged).toHaveLength(4);
});

test('does not repeat a notice that another process sent earlier', async () => {
  const { notices, table, logged } = open();
  await notices.tell(notice);
  const clock = testClock();
  const next = createNotices({
    table: table as never,
    messengers: [],
    clock,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  await next.clear('gap', 'other');
  await next.tell(notice);
  await next.clear('gap', 's');
  await notices.tell(notice);
  expect(logged).toHaveLength(2);
});

/** Two processes over one store and one log. */
function twoProcesses() {
  const { notices, table, logged, clock } = open();
  const log = { debug() {}, info() {}, error() {}, warn: (fields: object) => void logged.push(fields) };
  const other = createNotices({ table: table as never, messengers: [], clock, log });
  return { notices, other, logged };
}

test('repeats a notice that another process cleared', async () => {
  const { notices, other, logged } = twoProcesses();
  await notices.clear('gap', 's');
  await other.tell(notice);
  await notices.clear('gap', 's');
  await other.tell(notice);
  expect(logged).toHaveLength(2);
});

test('sends one notice when two processes find the same thing together', async () => {
  const { notices, other, logged } = twoProcesses();
  await Promise.all([notices.tell(notice), other.tell(notice)]);
  expect(logged).toHaveLength(1);
});
