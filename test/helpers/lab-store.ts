// The store of a lab: SQLite in a separate folder. Opening one takes longer than most tests of the pipeline, so the next
// lab of the process gets the same file and connections, emptied.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secret } from '../../src/domain/secret.js';
import type { Clock, Log } from '../../src/ports/system.js';
import type { Backend } from '../../src/store/backend.js';
import { assembleStores, type OpenStores, openBackend } from '../../src/store/index.js';
import { loadSecretKeys } from '../../src/store/secret-keys.js';
import { openConnection, type SqliteConnection } from '../../src/store/sqlite/connection.js';

interface Opened {
  readonly dir: string;
  readonly url: string;
  readonly backend: Backend;
  /** For emptying only. */
  readonly connection: SqliteConnection;
  /** The clock of the lab that has it now. */
  clock: Clock;
}

export interface LabStore {
  readonly stores: OpenStores;
  /** In the form of STORE_URL. A test that reads it may change the file, so no other lab gets this store. */
  readonly url: string;
  close(): Promise<void>;
}

const FILE = 'lab.sqlite';
const KEY = secret(Buffer.alloc(32, 7).toString('base64'));
const free: Opened[] = [];

async function open(clock: Clock): Promise<Opened> {
  const dir = await mkdtemp(join(tmpdir(), 'jobcrier-lab-'));
  const url = `sqlite://${join(dir, FILE)}`;
  const opened: Opened = {
    dir,
    url,
    clock,
    backend: await openBackend({
      url,
      dataDir: dir,
      clock: { now: () => opened.clock.now() },
      gathers: false,
    }),
    connection: await openConnection(join(dir, FILE), 'meta'),
  };
  return opened;
}

/** Deletes every row of every table, and the write-ahead log. */
async function empty({ connection, backend }: Opened): Promise<void> {
  const tables = await connection.query("SELECT name FROM sqlite_master WHERE type = 'table'");
  await connection.query('BEGIN IMMEDIATE');
  for (const { name } of tables) await connection.query(`DELETE FROM ${name}`);
  await connection.query('COMMIT');
  await backend.wipe?.();
}

async function remove({ connection, backend, dir }: Opened): Promise<void> {
  await connection.close();
  await backend.close();
  await rm(dir, { recursive: true, force: true });
}

/** What a lab may do with the store until it is closed. */
interface Gate {
  isClosed: boolean;
  readonly running: Set<Promise<unknown>>;
  readonly parts: WeakMap<object, object>;
}

/** The same object. After the end of the lab, every call fails as on a store that is closed. */
function gated<T extends object>(target: T, gate: Gate): T {
  const known = gate.parts.get(target);
  if (known) return known as T;
  const proxy = new Proxy(target, {
    get(inner, name) {
      const value: unknown = Reflect.get(inner, name);
      if (typeof value === 'object' && value !== null) return gated(value, gate);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (gate.isClosed) return Promise.reject(new Error('the lab of this store is closed'));
        const result: unknown = value.apply(inner, args);
        if (!(result instanceof Promise)) return result;
        gate.running.add(result);
        const ended = () => void gate.running.delete(result);
        result.then(ended, ended);
        return result;
      };
    },
  });
  gate.parts.set(target, proxy);
  return proxy;
}

export async function openLabStore({ clock, log }: { clock: Clock; log: Log }): Promise<LabStore> {
  const opened = free.pop() ?? (await open(clock));
  opened.clock = clock;
  const gate: Gate = { isClosed: false, running: new Set(), parts: new WeakMap() };
  const keys = await loadSecretKeys({ value: KEY, dataDir: opened.dir, log });
  const stores = await assembleStores(gated(opened.backend, gate), { keys, log, clock });
  let isKnown = false;
  return {
    stores,
    get url() {
      isKnown = true;
      return opened.url;
    },
    async close() {
      gate.isClosed = true;
      while (gate.running.size > 0) await Promise.allSettled(gate.running);
      const others = (await readdir(opened.dir)).filter((name) => !name.startsWith(FILE));
      if (isKnown || others.length > 0) return remove(opened);
      await empty(opened);
      free.push(opened);
    },
  };
}
