// A proxy between a client and its server that can break like a network: by falling silent, or at an exact moment.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * How a network is cut. `reset`: connections end at once, and so does every new one. `late`: what is sent arrives when the cut
 * is over. `lost`: what is sent never arrives, and the connections of that time stay open and dead. Both ends see open
 * connections in the last two.
 */
export type Cut = 'reset' | 'late' | 'lost';

export interface TcpProxy {
  readonly port: number;
  /** Connections made so far. */
  readonly made: number;
  /** The current connections stay open, and nothing passes through them any more; new ones work. */
  silence(): void;
  /**
   * Breaks the next connection over which `text` is sent: `before` it reaches the server, or `after` the server has answered
   * it. Resolves after it has happened.
   */
  breakAt(text: string, when: 'before' | 'after'): Promise<void>;
  /**
   * Holds `text` back when it is sent the next time. `leave` ends the connection for the client only. `forward` lets the text
   * arrive at the server, also after that.
   */
  holdAt(text: string): Promise<{ leave(): void; forward(): void }>;
  /** New connections end immediately until the returned function is called. */
  refuse(): () => void;
  /** Cuts the way until the function that it gives is called. */
  cut(how: Cut): () => void;
  close(): Promise<void>;
}

export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const pairs = new Set<{ near: Socket; far: Socket; silent: boolean }>();
  /** Connections made while what is sent was lost. */
  const strays = new Set<Socket>();
  let made = 0;
  let refused = false;
  let cut: Cut | undefined;
  let trap: { text: string; when: 'before' | 'after'; sprung(): void } | undefined;
  let hold: { text: string; held(one: { leave(): void; forward(): void }): void } | undefined;

  const server = createServer((near) => {
    near.on('error', () => undefined);
    if (refused) return void near.destroy();
    if (cut === 'reset') return void near.resetAndDestroy();
    if (cut === 'lost') {
      strays.add(near);
      return void near.resume().on('close', () => strays.delete(near));
    }
    made++;
    const far = connect(target, '127.0.0.1');
    const pair = { near, far, silent: false };
    pairs.add(pair);
    let isLast = false;
    const end = () => {
      near.destroy();
      far.destroy();
      pairs.delete(pair);
    };
    near.on('data', (data) => {
      if (pair.silent) return;
      if (hold && data.includes(hold.text)) {
        const { held } = hold;
        hold = undefined;
        const leave = () => {
          pair.silent = true;
          near.destroy();
        };
        return held({ leave, forward: () => void far.write(data) });
      }
      if (trap && data.includes(trap.text)) {
        const { when, sprung } = trap;
        trap = undefined;
        if (when === 'before') {
          end();
          return sprung();
        }
        isLast = true;
        far.once('data', () => {
          end();
          sprung();
        });
      }
      far.write(data);
    });
    far.on('data', (data) => {
      if (!pair.silent && !isLast) near.write(data);
    });
    for (const socket of [near, far]) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        if (!pair.silent) end();
      });
      if (cut === 'late') socket.pause();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    get made() {
      return made;
    },
    silence() {
      for (const pair of pairs) pair.silent = true;
    },
    breakAt: (text, when) =>
      new Promise((resolve) => {
        trap = { text, when, sprung: resolve };
      }),
    holdAt: (text) =>
      new Promise((resolve) => {
        hold = { text, held: resolve };
      }),
    refuse() {
      refused = true;
      return () => {
        refused = false;
      };
    },
    cut(how) {
      cut = how;
      for (const pair of pairs) {
        const { near, far } = pair;
        if (how === 'lost') pair.silent = true;
        else if (how === 'late') for (const socket of [near, far]) socket.pause();
        else {
          near.resetAndDestroy();
          far.resetAndDestroy();
        }
      }
      return () => {
        cut = undefined;
        for (const pair of pairs) {
          const { near, far } = pair;
          if (how === 'late') for (const socket of [near, far]) socket.resume();
          // The server has found out by now, as with its own probes.
          if (!pair.silent || !near.destroyed) continue;
          far.destroy();
          pairs.delete(pair);
        }
      };
    },
    async close() {
      for (const near of strays) near.destroy();
      for (const { near, far } of pairs) {
        near.destroy();
        far.destroy();
      }
      server.close();
      await once(server, 'close');
    },
  };
}
