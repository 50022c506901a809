// A real receiver of webhooks: it keeps what came, answers as scripted, and checks nothing.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Received {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  readonly body: {
    data: {
      edition: string;
      subscription: string;
      postings: {
        key: string;
        title?: string;
        company?: string;
        location?: string;
        applyUrl?: string;
        matched: string[];
      }[];
    };
  };
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Status codes for the next requests, first to last; 204 when there is none. The body is kept only when it is 2xx. */
  readonly answers: number[];
  /** Requests are accepted, and answered only after the returned function is called. */
  hold(): () => void;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const answers: number[] = [];
  let held = Promise.resolve();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString();
      const status = answers.shift() ?? 204;
      if (status < 300)
        received.push({
          id: String(request.headers['webhook-id']),
          headers: request.headers,
          raw,
          body: JSON.parse(raw),
        });
      void held.then(() => response.writeHead(status).end());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answers,
    hold() {
      let release = () => {};
      held = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
