// Sessions outlive connections: every event gets a number and is kept, so that RESUME can replay what a lost
// connection missed.
import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';
import { guildCreateJson, userJson } from './payloads.js';
import { applicationJson } from './routes-app.js';
import type { Json, State } from './types.js';

export interface Session {
  id: string;
  seq: number;
  events: { s: number; t: string; d: Json }[];
  intents: number;
  shard: [number, number];
  socket: WebSocket | null;
}

export interface Sessions {
  open: (socket: WebSocket, intents: number, shard: [number, number]) => Session;
  find: (id: string) => Session | undefined;
  attach: (session: Session, socket: WebSocket, seq: number) => void;
  /** The connection is gone; the session waits for RESUME. */
  detach: (session: Session, socket: WebSocket) => void;
  /** The session can't be resumed any more. */
  end: (session: Session) => void;
}

const GUILDS = 1;

/** Also makes `state.dispatch` deliver to these sessions. */
export function createSessions(state: State): Sessions {
  const sessions = new Map<string, Session>();

  function push(session: Session, t: string, d: Json): void {
    session.seq += 1;
    session.events.push({ s: session.seq, t, d });
    send(session, session.seq, t, d);
  }

  function send(session: Session, s: number, t: string, d: Json): void {
    session.socket?.send(JSON.stringify({ op: 0, s, t, d }));
  }

  state.dispatch = (t, d, guildId) => {
    for (const session of sessions.values()) {
      const [id, count] = session.shard;
      const home = guildId === null ? 0 : Number((BigInt(guildId) >> 22n) % BigInt(count));
      const wanted = t === 'INTERACTION_CREATE' || (session.intents & GUILDS) !== 0;
      if (home === id && wanted) push(session, t, d);
    }
  };

  return {
    open(socket, intents, shard) {
      const session: Session = {
        id: randomBytes(16).toString('hex'),
        seq: 0,
        events: [],
        intents,
        shard,
        socket,
      };
      sessions.set(session.id, session);
      const guilds = [...state.guilds.values()].filter(
        (g) => g.botInside && Number((BigInt(g.id) >> 22n) % BigInt(shard[1])) === shard[0],
      );
      const { id, flags } = applicationJson(state);
      push(session, 'READY', {
        v: 10,
        user: { ...userJson(state.bot), verified: true, mfa_enabled: false, email: null },
        guilds: guilds
          .filter((guild) => !guild.unlisted)
          .map((guild) => ({ id: guild.id, unavailable: true })),
        session_id: session.id,
        resume_gateway_url: state.baseUrl.replace(/^http/, 'ws'),
        shard,
        application: { id, flags },
      });
      if (intents & GUILDS)
        for (const guild of guilds.filter((one) => !one.away && !one.unlisted))
          push(session, 'GUILD_CREATE', guildCreateJson(state, guild));
      return session;
    },
    find: (id) => sessions.get(id),
    attach(session, socket, seq) {
      session.socket = socket;
      for (const { s, t, d } of session.events) if (s > seq) send(session, s, t, d);
      push(session, 'RESUMED', {});
    },
    detach(session, socket) {
      if (session.socket === socket) session.socket = null;
    },
    end(session) {
      session.socket = null;
      sessions.delete(session.id);
    },
  };
}
