// A server before the board: it passes requests on, or answers in the board's place as scripted.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer in the board's place; reset: the connection breaks instead; hang: no answer ever comes. */
export type Answer =
  | {
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: string;
      /** Content-Length is larger than what comes before the connection breaks. */
      readonly cut?: true;
    }
  | 'reset'
  | 'hang';

export interface Front {
  readonly url: string;
  /** Query strings of the requests so far, without the token; `token` beside it. */
  readonly asked: { readonly token: string; readonly query: Record<string, string> }[];
  /** Leaves only title, link and description in the items of the RSS form, as some feeds do. */
  isBare: boolean;
  /** Answers every request (with one token, tag or path, when given) until it is called with undefined. */
  answer(answer: Answer | undefined, only?: string): void;
  /** Makes requests (of one path, when given) wait until the returned function is called. */
  hold(only?: string): () => void;
  close(): Promise<void>;
}

export async function startFront(target: string): Promise<Front> {
  const asked: Front['asked'] = [];
  const answers = new Map<string, Answer>();
  let held = Promise.resolve();
  let heldPath = '';
  const front = { isBare: false };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', target);
    const { token = '', ...query } = Object.fromEntries(url.searchParams);
    asked.push({ token, query });
    (heldPath === '' || heldPath === url.pathname ? held : Promise.resolve())
      .then(() => {
        const answer = [token, query.tag ?? '', url.pathname, '']
          .map((one) => answers.get(one))
          .find((one) => one !== undefined);
        return answer
          ? give(response, answer)
          : handOn(url, request.headers['if-none-match'], response, front.isBare);
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(front, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answer(answer: Answer | undefined, only = '') {
      if (answer) answers.set(only, answer);
      else answers.delete(only);
    },
    hold(only = '') {
      heldPath = only;
      let release = () => {};
      held = new Promise<void>((resolve) => {
        release = resolve;
      });
      return () => release();
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

function give(response: ServerResponse, answer: Answer): void {
  if (answer === 'hang') return;
  if (answer === 'reset') return void response.destroy();
  const { status, headers, body = '', cut } = answer;
  if (!cut) return void response.writeHead(status, headers).end(body);
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) + 1000 });
  response.write(body, () => response.destroy());
}

async function handOn(
  url: URL,
  etag: string | undefined,
  response: ServerResponse,
  isBare: boolean,
): Promise<void> {
  const answer = await fetch(url, { redirect: 'manual', headers: etag ? { 'if-none-match': etag } : {} });
  const headers = ['content-type', 'etag', 'last-modified', 'retry-after', 'location'].flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const body = Buffer.from(await answer.arrayBuffer());
  const isFeed = isBare && url.pathname.endsWith('.xml');
  response.writeHead(answer.status, Object.fromEntries(headers)).end(isFeed ? bare(body.toString()) : body);
}

/** The feed without the elements of an item that not every feed has. */
function bare(xml: string): string {
  return xml.replace(/<(guid|pubDate|category|job:[\w.-]+)\b[^>]*>.*?<\/\1>/gsu, '');
}
