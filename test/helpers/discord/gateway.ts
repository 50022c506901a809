// The gateway over ws: sessions with a replay buffer, IDENTIFY, RESUME, heartbeats, and the faults that a test can
// cause.
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { isJson } from './checks.js';
import { identifyProblem, identityOf } from './gateway-identify.js';
import { createSessions, type Session } from './gateway-sessions.js';
import { until } from './state.js';
import type { Json, State } from './types.js';

export interface Gateway {
  /** IDENTIFYs and RESUMEs accepted so far, heartbeats received, connections that are open and ready. */
  readonly identifies: number;
  readonly resumes: number;
  readonly heartbeats: number;
  readonly connected: number;
  /** The intents of the latest IDENTIFY. */
  readonly intents: number | null;
  /** Resolves when a bot has identified or resumed. */
  ready: (timeoutMs?: number) => Promise<void>;
  /** Closes every connection with a code, e.g. 4000 (resumable), 4004, 4009, 4014. */
  close: (code: number) => void;
  /** Cuts every connection without a close frame. */
  drop: () => void;
  /** Op 7. */
  reconnect: () => void;
  /** Op 9. */
  invalidSession: (resumable: boolean) => void;
  /** The present connections get no acknowledgements and no events any more, but stay open. */
  zombie: () => void;
  /** Cuts all connections and refuses new ones for a while. */
  refuse: (ms: number) => void;
  /** Closes every further IDENTIFY with this code, until null. */
  rejectIdentify: (code: number | null) => void;
  /** Sends the last INTERACTION_CREATE once more, same id and token. */
  replayLastInteraction: () => void;
  stop: () => void;
}

const NOT_RESUMABLE = new Set([1000, 1001, 4004, 4007, 4009, 4010, 4011, 4012, 4013, 4014]);

interface Connection {
  socket: WebSocket;
  session: Session | null;
  zombie: boolean;
  received: number[];
}

export function startGateway(state: State, server: Server): Gateway {
  const sockets = new WebSocketServer({ noServer: true });
  const connections = new Set<Connection>();
  const sessions = createSessions(state);
  const counts = { resumes: 0, heartbeats: 0 };
  let intents: number | null = null;
  let refusedUntil = 0;
  let rejectCode: number | null = null;

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (Date.now() < refusedUntil) {
      socket.destroy();
      return;
    }
    sockets.handleUpgrade(request, socket, head, (ws) => accept(ws, request));
  });

  function accept(socket: WebSocket, request: IncomingMessage): void {
    const query = new URL(request.url ?? '/', 'http://localhost').searchParams;
    const connection: Connection = { socket, session: null, zombie: false, received: [] };
    connections.add(connection);
    socket.on('error', () => socket.terminate());
    socket.on('close', (code) => {
      connections.delete(connection);
      if (connection.session && (code === 1000 || code === 1001)) sessions.end(connection.session);
      if (connection.session) sessions.detach(connection.session, socket);
    });
    if (query.get('v') !== '10') {
      end(connection, 4012);
      return;
    }
    if (query.get('encoding') !== 'json') {
      end(connection, 4002);
      return;
    }
    socket.on('message', (data) => receive(connection, String(data)));
    socket.send(
      JSON.stringify({ op: 10, d: { heartbeat_interval: state.settings.heartbeatMs, _trace: [] } }),
    );
  }

  function end(connection: Connection, code: number): void {
    if (connection.session && NOT_RESUMABLE.has(code)) sessions.end(connection.session);
    connection.socket.close(code);
  }

  function broken(connection: Connection, code: number, reason: string): void {
    state.violations.push(`gateway ${code}: ${reason}`);
    end(connection, code);
  }

  function receive(connection: Connection, text: string): void {
    const now = Date.now();
    connection.received = connection.received.filter((at) => now - at < 60_000);
    if (connection.received.push(now) > 120) {
      broken(connection, 4008, 'more than 120 events in 60 s');
      return;
    }
    let payload: unknown;
    try {
      payload = JSON.parse(text);
    } catch {
      broken(connection, 4002, 'not JSON');
      return;
    }
    if (!isJson(payload)) {
      broken(connection, 4002, 'not an object');
      return;
    }
    const { op, d } = payload;
    if (op === 1) {
      counts.heartbeats += 1;
      if (!connection.zombie) connection.socket.send(JSON.stringify({ op: 11 }));
    } else if (op === 2) identify(connection, isJson(d) ? d : {});
    else if (op === 6) resume(connection, isJson(d) ? d : {});
    else if (connection.session === null) broken(connection, 4003, `op ${String(op)} before IDENTIFY`);
    else if (op !== 3 && op !== 4 && op !== 8) broken(connection, 4001, `unknown op ${String(op)}`);
  }

  function identify(connection: Connection, d: Json): void {
    if (connection.session) {
      broken(connection, 4005, 'IDENTIFY sent twice');
      return;
    }
    if (rejectCode !== null) {
      end(connection, rejectCode);
      return;
    }
    const problem = identifyProblem(state, d);
    if (problem) {
      broken(connection, ...problem);
      return;
    }
    const { wanted, shard } = identityOf(d);
    state.identifies += 1;
    intents = wanted;
    connection.session = sessions.open(connection.socket, wanted, shard);
  }

  function resume(connection: Connection, d: Json): void {
    if (connection.session) {
      broken(connection, 4005, 'RESUME on an identified connection');
      return;
    }
    if (rejectCode !== null) {
      end(connection, rejectCode);
      return;
    }
    if (d.token !== state.token) {
      broken(connection, 4004, 'wrong token');
      return;
    }
    const session = sessions.find(String(d.session_id));
    if (!session) {
      connection.socket.send(JSON.stringify({ op: 9, d: false }));
      return;
    }
    if (Number(d.seq) > session.seq) {
      broken(connection, 4007, `sequence ${String(d.seq)} is ahead`);
      return;
    }
    counts.resumes += 1;
    connection.session = session;
    sessions.attach(session, connection.socket, Number(d.seq));
  }

  const open = () =>
    [...connections].filter((c) => c.session !== null && !c.zombie && c.socket.readyState === 1);
  const gateway: Gateway = {
    get identifies() {
      return state.identifies;
    },
    get resumes() {
      return counts.resumes;
    },
    get heartbeats() {
      return counts.heartbeats;
    },
    get connected() {
      return open().length;
    },
    get intents() {
      return intents;
    },
    async ready(timeoutMs = 20_000) {
      await until(state, () => open().length > 0, 'a gateway connection of the bot', timeoutMs);
    },
    close(code) {
      for (const connection of [...connections]) end(connection, code);
    },
    drop() {
      for (const connection of [...connections]) connection.socket.terminate();
    },
    reconnect() {
      for (const { socket } of connections) socket.send(JSON.stringify({ op: 7, d: null }));
    },
    invalidSession(resumable) {
      for (const connection of connections) {
        if (connection.session && !resumable) sessions.end(connection.session);
        else if (connection.session) sessions.detach(connection.session, connection.socket);
        connection.session = null;
        connection.socket.send(JSON.stringify({ op: 9, d: resumable }));
      }
    },
    zombie() {
      for (const connection of connections) {
        connection.zombie = true;
        if (connection.session) sessions.detach(connection.session, connection.socket);
      }
    },
    refuse(ms) {
      refusedUntil = Date.now() + ms;
      gateway.drop();
    },
    rejectIdentify(code) {
      rejectCode = code;
    },
    replayLastInteraction() {
      const last = state.interactions.at(-1);
      if (!last) throw new Error('There was no interaction yet.');
      state.dispatch('INTERACTION_CREATE', last.payload, last.guildId);
    },
    stop() {
      for (const { socket } of connections) socket.terminate();
      sockets.close();
    },
  };
  return gateway;
}
