// Webhook receivers on loopback that keep what came and answer as scripted, and sinks that call them.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import type { Output } from '../../src/domain/attribution.js';
import type { DeliveryError } from '../../src/domain/errors.js';
import { secret } from '../../src/domain/secret.js';
import type { Sink } from '../../src/ports/sink.js';
import type { Log } from '../../src/ports/system.js';
import { en } from '../../src/render/texts.js';
import { createWebhookSink } from '../../src/sinks/webhook/sink.js';
import { contractDelivery, realGuard } from './contract-data.js';

export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLwSw';
/** The address of a receiver often holds its key. */
export const PATH = '/services/T0/B0/canary-path?key=canary-query';

export interface Call {
  readonly method: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly calls: Call[];
  readonly taken: Call[];
  /** Answers to the next requests, first to last; 204 when there are none left. */
  readonly answers: ((response: ServerResponse) => void)[];
  close(): Promise<void>;
}

export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

export async function startReceiver(): Promise<Receiver> {
  const calls: Call[] = [];
  const taken: Call[] = [];
  const answers: Receiver['answers'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const call = {
        method: request.method,
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      calls.push(call);
      const answer = answers.shift();
      if (answer) return answer(response);
      taken.push(call);
      response.writeHead(204).end();
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}${PATH}`,
    calls,
    taken,
    answers,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const status =
  (code: number, headers: Record<string, string> = {}, body = 'canary-body') =>
  (response: ServerResponse) =>
    response.writeHead(code, headers).end(body);

/** What the receiver reads after it has checked the signature. */
export function verified(call: Call): Output {
  const body = new Webhook(SECRET).verify(call.body, call.headers as Record<string, string>);
  return { format: 'json', body: JSON.stringify(body), note: en.card.note };
}

export const undo: (() => Promise<unknown>)[] = [];
/** Closes what was opened, for afterEach. */
export async function closeAll(): Promise<void> {
  for (const step of undo.splice(0).reverse()) await step();
}

const logged: string[] = [];
const keep = (fields: object, message: string) => {
  logged.push(JSON.stringify({ ...fields, message }));
};
export const log: Log = { debug: keep, info: keep, warn: keep, error: keep };
export const clock = { now: () => Date.now() };

export function sinkFor(options: Partial<Parameters<typeof createWebhookSink>[0]> = {}) {
  const sink = createWebhookSink({ secret: secret(SECRET), allowPrivate: true, clock, log, ...options });
  undo.push(async () => sink.close?.());
  return sink;
}

export async function receiver(): Promise<Receiver> {
  const started = await startReceiver();
  undo.push(() => started.close());
  return started;
}

/** The fault that an attempt ends with. It names only the host of the target. */
export async function failureOf(sink: Sink, target: string): Promise<DeliveryError> {
  const delivery = contractDelivery(sink, target);
  const error = await sink.deliver(delivery, target, realGuard(delivery.postings)).then(
    () => undefined,
    (thrown: DeliveryError) => thrown,
  );
  expect(error?.name).toBe('DeliveryError');
  expect(`${error?.message} ${error?.forOwner} ${logged.join()}`).not.toMatch(/canary|services/u);
  return error as DeliveryError;
}
