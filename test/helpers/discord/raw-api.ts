// Plain requests to the local Discord, which a careful library would never send.
import type { Discord } from './start-discord.js';
import type { InteractionRecord, Json } from './types.js';

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  body: any;
}

export async function raw(
  discord: Discord,
  method: string,
  path: string,
  body?: unknown,
  token = discord.token,
): Promise<Answer> {
  const response = await fetch(`${discord.apiUrl}/v10${path}`, {
    method,
    headers: { authorization: `Bot ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : null };
}

/** Sends a message with allowed_mentions set, so that only the tested rule can be broken. */
export function post(discord: Discord, channelId: string, body: Json): Promise<Answer> {
  return raw(discord, 'POST', `/channels/${channelId}/messages`, {
    allowed_mentions: { parse: [] },
    ...body,
  });
}

export function answer(discord: Discord, { id, token }: InteractionRecord, type: number, data?: Json) {
  const safe = data === undefined || type > 7 ? data : { allowed_mentions: { parse: [] }, ...data };
  return raw(discord, 'POST', `/interactions/${id}/${token}/callback`, { type, data: safe });
}
