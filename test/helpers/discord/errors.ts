// Discord's refusals: status, JSON code, sentence and (for 50035) the tree of field errors. Only those that the local
// Discord uses are listed.
import type { Json } from './types.js';

const KNOWN = {
  unauthorized: [401, 0, '401: Unauthorized'],
  notFound: [404, 0, '404: Not Found'],
  methodNotAllowed: [405, 0, '405: Method Not Allowed'],
  unknownApplication: [404, 10002, 'Unknown Application'],
  unknownChannel: [404, 10003, 'Unknown Channel'],
  unknownGuild: [404, 10004, 'Unknown Guild'],
  unknownMember: [404, 10007, 'Unknown Member'],
  unknownMessage: [404, 10008, 'Unknown Message'],
  unknownUser: [404, 10013, 'Unknown User'],
  unknownWebhook: [404, 10015, 'Unknown Webhook'],
  unknownInteraction: [404, 10062, 'Unknown interaction'],
  unknownCommand: [404, 10063, 'Unknown application command'],
  tooManyCommands: [400, 30032, 'Maximum number of application commands reached (100).'],
  alreadyCrossposted: [400, 40033, 'This message has already been crossposted.'],
  alreadyAcknowledged: [400, 40060, 'Interaction has already been acknowledged.'],
  tooManyFollowUps: [400, 40094, 'This interaction has reached the maximum number of follow-up messages.'],
  tagRequired: [400, 40067, 'A tag is required to create a forum post in this channel'],
  missingAccess: [403, 50001, 'Missing Access'],
  wrongChannelType: [400, 50024, 'Cannot execute action on this channel type'],
  notOwnMessage: [403, 50005, 'Cannot edit a message authored by another user'],
  emptyMessage: [400, 50006, 'Cannot send an empty message'],
  cannotDm: [403, 50007, 'Cannot send messages to this user'],
  nonTextChannel: [400, 50008, 'Cannot send messages in a non-text channel'],
  missingPermissions: [403, 50013, 'Missing Permissions'],
  invalidWebhookToken: [401, 50027, 'Invalid Webhook Token'],
  invalidRecipients: [400, 50033, 'Invalid Recipient(s)'],
  archivedThread: [400, 50083, 'Thread is archived'],
  lockedThread: [400, 160005, 'Thread is locked'],
  entryPointRemoved: [
    400,
    50240,
    "You cannot remove this app's Entry Point command in a bulk update operation. Please include the Entry Point command in your update request or delete it separately.",
  ],
  invalidJson: [400, 50109, 'The request body contains invalid JSON.'],
} as const satisfies Record<string, readonly [number, number, string]>;

export type Refusal = keyof typeof KNOWN;

/** An answer other than 2xx; thrown by a route, sent by the server. */
export class DiscordError extends Error {
  readonly status: number;
  readonly code: number;
  readonly body: Json;
  readonly headers: Record<string, string>;
  constructor(status: number, code: number, body: Json, headers: Record<string, string> = {}) {
    super(String(body.message));
    this.status = status;
    this.code = code;
    this.body = body;
    this.headers = headers;
  }
}

/** The error of Discord for a known case. */
export function refusal(kind: Refusal): DiscordError {
  const [status, code, message] = KNOWN[kind];
  return new DiscordError(status, code, { message, code });
}

export interface Trouble {
  path: (string | number)[];
  code: string;
  message: string;
}

/** 50035 "Invalid Form Body" with the tree of the collected faults. */
export function invalidForm(troubles: Trouble[]): DiscordError {
  const errors: Json = {};
  for (const { path, code, message } of troubles) {
    let node = errors;
    for (const key of path) {
      node[key] ??= {};
      node = node[key] as Json;
    }
    const list = (node._errors ?? []) as Json[];
    node._errors = [...list, { code, message }];
  }
  return new DiscordError(400, 50035, { message: 'Invalid Form Body', code: 50035, errors });
}
