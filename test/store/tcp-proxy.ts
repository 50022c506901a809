// A proxy between a client and its server that can break like a network: by falling silent, or at an exact moment.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

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
  /** New connections end immediately until the returned function is called. */
  refuse(): () => void;
  close(): Promise<void>;
}

export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const pairs = new Set<{ near: Socket; far: Socket; silent: boolean }>();
  let made = 0;
  let refused = false;
  let trap: { text: string; when: 'before' | 'after'; sprung(): void } | undefined;

  const server = createServer((near) => {
    near.on('error', () => undefined);
    if (refused) return void near.destroy();
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
    refuse() {
      refused = true;
      return () => {
        refused = false;
      };
    },
    async close() {
      for (const { near, far } of pairs) {
        near.destroy();
        far.destroy();
      }
      server.close();
      await once(server, 'close');
    },
  };
}
